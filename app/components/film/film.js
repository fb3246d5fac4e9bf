// The weights at every kept step of a training: one large, all small, and a clock that walks them.

const PACE = 900; // milliseconds a frame
const [NARROWEST, WIDEST] = [14, 34]; // of a cell, CSS pixels
const [LOWEST, HIGHEST] = [16, 28];
const TALL = 300; // the cells together, about
const ROOM = 90; // beside the cells and their labels: the chances

class Film {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.moving = null; // the frame while it is scrubbed or played, before the page hears of it
    this.hovered = null; // [row, col]
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["play", "scrub", "step", "says", "scroll", "columns", "rows"]) {
      this[name] = find(name);
    }
    for (const name of ["stage", "map", "marks", "chances", "status", "strip"]) {
      this[name] = find(name);
    }
    this.outline = outline("hover");
    this.marks.append(this.outline);
    this.#listen();
    new ResizeObserver(() => this.message && this.#arrange()).observe(this.scroll);
    find("svg").onclick = () => saveSvg(filmFigure(this), this.message.name);
    find("png").onclick = () => savePng(filmFigure(this), this.message.name);
  }

  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (news) {
      this.pause();
      this.moving = this.hovered = null;
      this.message = message;
      this.pixels = pixelTable(message.colours);
      this.#build();
      this.#arrange();
    }
    this.show();
  }

  #build() {
    const { source, target, steps } = this.message;
    labelScale(this.root, this.message);
    this.scrub.max = steps.length - 1;
    this.scrub.setAttribute("aria-label", "Training step");
    this.scrub.hidden = this.play.hidden = steps.length < 2;
    const labels = (names) =>
      names.map((name, i) => {
        const label = element("span", { title: name });
        label.append(element("small", { textContent: i }), name);
        return label;
      });
    this.columns.replaceChildren(...labels(source));
    this.rows.replaceChildren(...labels(target));
    this.chances.replaceChildren(...target.map(() => {
      const row = element("span");
      row.append(element("i"));
      return row;
    }));
    Object.assign(this.map, { width: source.length, height: target.length });
    this.marks.setAttribute("viewBox", `0 0 ${source.length} ${target.length}`);
    this.strip.replaceChildren(...steps.map((step, frame) => {
      const button = element("button", { type: "button", onclick: () => this.stop(frame) });
      const canvas = element("canvas", { width: source.length, height: target.length });
      this.paint(canvas, frame);
      button.append(canvas, step.toLocaleString("en"));
      button.setAttribute("aria-label", `step ${step}`);
      return button;
    }));
  }

  // Cells as wide as there is room for.
  #arrange() {
    const { source, target } = this.message;
    const room = (this.scroll.clientWidth - this.rows.offsetWidth - ROOM) / source.length;
    const width = Math.floor(clamp(room, NARROWEST, WIDEST));
    const height = Math.floor(clamp(TALL / target.length, LOWEST, HIGHEST));
    for (const span of this.columns.children) span.style.width = `${width}px`;
    for (const spans of [this.rows, this.chances]) {
      for (const span of spans.children) span.style.height = `${height}px`;
    }
    this.stage.style.cssText =
      `width:${width * source.length}px;height:${height * target.length}px`;
  }

  #listen() {
    this.scrub.oninput = () => this.#move(Number(this.scrub.value));
    this.scrub.onchange = () => this.stop(Number(this.scrub.value));
    this.play.onclick = () => (this.clock ? this.stop(this.frame) : this.#start());
    const { stage } = this;
    stage.onpointermove = stage.onpointerdown = (event) => this.#hover(this.#cellAt(event));
    stage.onpointerleave = stage.onpointercancel = () => this.#hover(null);
  }

  get frame() {
    return this.moving ?? this.choice.value ?? this.message.steps.length - 1;
  }

  #start() {
    const last = this.message.steps.length - 1;
    if (this.frame === last) this.#move(0);
    this.clock = setInterval(() => {
      if (!this.root.isConnected) return this.pause();
      if (this.frame + 1 >= last) this.stop(last);
      else this.#move(this.frame + 1);
    }, PACE);
    this.show();
  }

  pause() {
    clearInterval(this.clock);
    this.clock = null;
  }

  #move(frame) {
    this.moving = frame;
    this.show();
  }

  // Where scrubbing or playing ended: the page hears of it.
  stop(frame) {
    this.pause();
    this.moving = null;
    if (frame !== this.choice.value) this.choice.make(frame);
    this.show();
  }

  #cellAt({ clientX, clientY }) {
    const { source, target } = this.message;
    const box = this.stage.getBoundingClientRect();
    const place = (at, start, size, count) => clamp(Math.floor(((at - start) / size) * count), 0, count - 1);
    return [
      place(clientY, box.top, box.height, target.length),
      place(clientX, box.left, box.width, source.length),
    ];
  }

  #hover(cell) {
    this.hovered = cell;
    this.show();
  }

  weights(frame) {
    const { source, target, weights } = this.message;
    const size = source.length * target.length;
    return weights.subarray(frame * size, (frame + 1) * size);
  }

  paint(canvas, frame) {
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    this.weights(frame).forEach((value, i) => (pixels[i] = this.pixels[value]));
    context.putImageData(image, 0, 0);
  }

  show() {
    const { frame, hovered } = this;
    const { steps, says, target, probabilities } = this.message;
    this.paint(this.map, frame);
    this.scrub.value = frame;
    this.scrub.setAttribute("aria-valuetext", `step ${steps[frame]}`);
    this.play.textContent = this.clock ? "Pause" : "Play";
    this.step.textContent = `step ${steps[frame].toLocaleString("en")}`;
    this.says.textContent = says[frame] || "(nothing)";
    const chances = probabilities.subarray(frame * target.length, (frame + 1) * target.length);
    [...this.chances.children].forEach((row, i) => {
      row.firstChild.style.width = `${(100 * chances[i]) / 255}%`;
    });
    [...this.strip.children].forEach((button, i) => button.setAttribute("aria-pressed", i === frame));
    drawOutline(this.outline, hovered ? boxPath([...hovered, hovered[0] + 1, hovered[1] + 1]) : "");
    for (const [spans, axis] of [[this.rows, 0], [this.columns, 1]]) {
      [...spans.children].forEach((span, i) => span.classList.toggle("current", hovered?.[axis] === i));
    }
    this.status.textContent = this.#sentence(chances);
  }

  #sentence(chances) {
    if (!this.hovered) return "";
    const { source, target } = this.message;
    const [row, col] = this.hovered;
    const percent = (byte) => `${Math.round((100 * byte) / 255)} %`;
    const weight = this.weights(this.frame)[row * source.length + col];
    return `${row} ${target[row]} looks at ${col} ${source[col]} with ${percent(weight)} of its ` +
      `weight and is given ${percent(chances[row])}.`;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".film");
  root.film ??= new Film(root);
  root.film.update(data, setStateValue);
}
