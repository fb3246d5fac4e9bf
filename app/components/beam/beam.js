// What is hovered, walked to and clicked in the tree of a search.
class Beam {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = null; // [step, rank]; null for none
    this.walked = null;
    for (const name of ["scroll", "tree", "status"]) this[name] = root.querySelector(`.${name}`);
    const line = { fill: "none", stroke: "currentColor" };
    this.way = svgElement("path", { ...line, class: "way", "stroke-width": 2.5 });
    this.ring = svgElement("path", { ...line, class: "ring", "stroke-width": 2 });
    this.shown = svgElement("path", { ...line, class: "shown", "stroke-width": 2.5 });
    this.#listen();
    new ResizeObserver(() => this.message && (this.#arrange(), this.show())).observe(this.scroll);
    const figure = () => treeFigure(this.drawing);
    root.querySelector(".files .svg").onclick = () => saveSvg(figure(), this.message.name);
    root.querySelector(".files .png").onclick = () => savePng(figure(), this.message.name);
  }

  // A new run of the page: the same message costs nothing.
  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (news) {
      this.message = message;
      this.hovered = this.walked = null;
      this.#arrange();
      this.#bring([Math.max(0, message.given - 1), 0]);
    }
    this.show();
  }

  #arrange() {
    const pen = new Pen(getComputedStyle(this.root).fontFamily);
    this.drawing = new Tree(this.message, pen, this.scroll.clientWidth);
    this.tree.setAttribute("width", this.drawing.width);
    this.tree.setAttribute("height", this.drawing.height);
    this.tree.replaceChildren(...this.drawing.draw(), this.way, this.ring, this.shown);
  }

  #listen() {
    const { tree } = this;
    tree.onpointermove = tree.onpointerdown = (event) => this.#hover(this.#placeAt(event));
    tree.onpointerleave = tree.onpointercancel = () => this.#hover(null);
    tree.onclick = (event) => this.#click(this.#placeAt(event));
    tree.onblur = () => this.#walk(null);
    tree.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) this.#walk(this.#neighbour(...ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") this.#choose(this.current);
      else if (event.key === "Escape") this.#walk(null);
      else return;
      event.preventDefault();
      event.stopPropagation(); // the page has shortcuts of its own
    };
  }

  #placeAt({ clientX, clientY }) {
    const box = this.tree.getBoundingClientRect();
    return this.drawing.at(clientX - box.left, clientY - box.top);
  }

  // Up and down within a step; left to the parent, right to the likeliest child or else the nearest.
  #neighbour(down, right) {
    if (!this.current) return [0, 0];
    const { steps } = this.drawing;
    const [step, rank] = this.current;
    if (down) return [step, clamp(rank + down, 0, steps[step].length - 1)];
    if (right < 0) return step ? [step - 1, this.drawing.node([step, rank]).parent] : [step, rank];
    if (step === steps.length - 1) return [step, rank];
    const child = steps[step + 1].findIndex(([, , parent]) => parent === rank);
    return [step + 1, child < 0 ? Math.min(rank, steps[step + 1].length - 1) : child];
  }

  get current() {
    return this.hovered ?? this.walked;
  }

  #hover(place) {
    if (String(place) === String(this.hovered)) return;
    this.hovered = place;
    this.show();
  }

  #walk(place) {
    this.hovered = null;
    this.walked = place;
    this.show();
    if (place) this.#bring(place);
  }

  // Scrolls to a node that is out of sight.
  #bring(place) {
    const left = this.drawing.corner(place)[0];
    const { width } = this.drawing.card;
    const { scrollLeft, clientWidth } = this.scroll;
    if (left < scrollLeft || left + width > scrollLeft + clientWidth) this.scroll.scrollLeft = left - width;
  }

  // A finger cannot hover: its first tap tells what the second one would do.
  #click(place) {
    if (hovering() || String(place) === String(this.walked)) this.#choose(place);
    else this.#walk(place);
  }

  #choose(place) {
    if (!place) return;
    this.choice.make(place);
    this.show();
  }

  show() {
    const { drawing, current } = this;
    const way = current ? drawing.way(current) : [];
    this.way.setAttribute("d", way.map((place) => drawing.curve(place)).join(""));
    this.ring.setAttribute("d", current ? this.#box(current) : "");
    this.shown.setAttribute("d", this.choice.value ? this.#box(this.choice.value) : "");
    this.tree.style.cursor = this.hovered ? "pointer" : "";
    this.status.textContent = current ? this.#sentence(current) : this.#invitation();
  }

  #box(place) {
    const [x, y] = this.drawing.corner(place);
    const { width, height } = this.drawing.card;
    return boxPath([y - 2, x - 2, y + height + 2, x + width + 2]);
  }

  #invitation() {
    return hovering()
      ? "Hover a beginning to read it; click it to go on from there."
      : "Tap a beginning to read it; tap it again to go on from there.";
  }

  #sentence(place) {
    const { drawing } = this;
    const { piece, logProbability, ended } = drawing.node(place);
    const whole = Math.exp(logProbability);
    const share = whole < 0.001 ? "below 0.1 %" : `${(100 * whole).toFixed(1)} %`;
    const last = ended || place[0] === drawing.steps.length - 1;
    const verb = hovering() ? "click" : "tap again";
    return `“${drawing.text(place)}”${ended ? ` and ${piece}` : ""}: ` +
      `log-probability ${fixed(logProbability, 4)}, ${share} · ` +
      `${verb} to ${last ? "see its alignment" : "go on from here"}`;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".beam");
  root.beam ??= new Beam(root);
  root.beam.update(data, setStateValue);
}
