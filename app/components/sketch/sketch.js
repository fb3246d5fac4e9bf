// One row of weights as bars: the pointer or the arrow keys draw them.

const NUDGE = 5; // of a key, in the units of the weights
const SETTLED = 500; // milliseconds without a key until the page hears of it

class Sketch {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.drawing = null; // the weights while they are drawn, before the page hears of them
    this.bars = root.querySelector(".bars");
    this.labels = root.querySelector(".labels");
    this.#listen();
  }

  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (news) {
      this.drawing = null;
      this.message = message;
      this.#build();
    }
    this.show();
  }

  #build() {
    const { names, own, full } = this.message;
    this.bars.replaceChildren(...names.map((name, column) => {
      const bar = element("div", { className: "bar", tabIndex: 0, title: name });
      bar.setAttribute("role", "slider");
      bar.setAttribute("aria-label", `${column} ${name}`);
      bar.setAttribute("aria-valuemin", 0);
      bar.setAttribute("aria-valuemax", full);
      const ghost = element("u");
      ghost.style.height = `${(100 * own[column]) / 255}%`;
      bar.append(element("i"), ghost, element("b"));
      bar.onkeydown = (event) => this.#key(event, column);
      return bar;
    }));
    this.labels.replaceChildren(...names.map((name, column) => {
      const label = element("span", { title: name });
      label.append(element("small", { textContent: column }), name);
      return label;
    }));
  }

  get weights() {
    const { own, full } = this.message;
    return this.drawing ?? this.choice.value ?? Array.from(own, (byte) => Math.round((full * byte) / 255));
  }

  #listen() {
    const { bars } = this;
    bars.onpointerdown = (event) => {
      bars.setPointerCapture(event.pointerId);
      this.#draw(event);
    };
    bars.onpointermove = (event) => bars.hasPointerCapture(event.pointerId) && this.#draw(event);
    bars.onpointerup = bars.onpointercancel = () => this.#report();
  }

  #draw({ clientX, clientY }) {
    const box = this.bars.getBoundingClientRect();
    const column = [...this.bars.children].findIndex((bar) => bar.getBoundingClientRect().right > clientX);
    if (column >= 0) this.#set(column, (1 - (clientY - box.top) / box.height) * this.message.full);
  }

  #key(event, column) {
    const way = { ArrowUp: NUDGE, ArrowDown: -NUDGE }[event.key];
    if (!way || event.ctrlKey || event.metaKey || event.altKey) return;
    this.#set(column, this.weights[column] + way);
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.#report(), SETTLED);
    event.preventDefault();
    event.stopPropagation(); // the page has shortcuts of its own
  }

  #set(column, weight) {
    this.drawing = [...this.weights];
    this.drawing[column] = Math.round(clamp(weight, 0, this.message.full));
    this.show();
  }

  // A row without any weight is no row: it goes back to what it is by itself.
  #report() {
    if (!this.drawing) return;
    const drawn = this.drawing.some((weight) => weight > 0) ? this.drawing : null;
    this.drawing = null;
    this.choice.make(drawn);
    this.show();
  }

  show() {
    const { weights } = this;
    const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
    [...this.bars.children].forEach((bar, column) => {
      const height = `${(100 * weights[column]) / this.message.full}%`;
      const [fill, , share] = bar.children;
      fill.style.height = share.style.bottom = height;
      share.textContent = weights[column] ? `${Math.round((100 * weights[column]) / total)}` : "";
      bar.setAttribute("aria-valuenow", weights[column]);
    });
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".sketch");
  root.sketch ??= new Sketch(root);
  root.sketch.update(data, setStateValue);
}
