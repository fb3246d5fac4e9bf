// A network unrolled in time: strips of numbers, the unit under the pointer over time, a player.

const PACE = 420; // milliseconds a step

class Unrolled {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = null; // [row, step]; null for none
    this.walked = null;
    this.at = null; // the step that the player stands on; null: all are shown
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["scroll", "stage", "strips", "drawing", "status", "play", "scrub"]) {
      this[name] = find(name);
    }
    for (const name of ["clock", "all"]) this[name] = find(name);
    this.groups = {};
    for (const name of ["veil", "frame", "passages", "inputs", "wires", "outputs", "curve"]) {
      this.groups[name] = svgElement("g", { class: name });
    }
    this.groups.pin = svgElement("g", { class: "accent" });
    this.groups.hover = outline("hover");
    this.drawing.append(...Object.values(this.groups));
    this.#listen();
    new ResizeObserver(() => this.message && this.#arrange()).observe(this.scroll);
    find("svg").onclick = () => saveSvg(unrolledFigure(this), this.message.name);
    find("png").onclick = () => savePng(unrolledFigure(this), this.message.name);
  }

  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    const { order } = this.choice;
    this.choice.follow(message, send);
    if (order !== this.choice.order) this.at = this.kept[1];
    if (!news) return;
    for (const name of ["values", "probabilities"]) {
      message[name] = new Float32Array(message[name].slice().buffer);
    }
    const largest = message.values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    message.reach = message.signed ? largest || 1 : message.vmax; // of the curve: nothing is cut off
    this.message = message;
    this.hovered = this.walked = null;
    this.#pause();
    labelScale(this.root, message);
    this.root.querySelector(".low").textContent = message.signed ? signedNumber(-message.vmax) : "0";
    this.scrub.max = message.source.length + message.said.length - 1;
    this.stage.setAttribute("aria-label",
      `${message.what} of ${message.units.length} units over ${message.source.length} steps of the ` +
      `encoder and ${message.said.length} of the decoder. ` +
      "Arrow keys move, Enter keeps a unit, Escape lets go.");
    this.room = null;
    this.#paint();
    this.#arrange();
  }

  // Every value as one pixel, to be stretched to whatever size there is room for.
  #paint() {
    const { values, units, colours, vmax, signed } = this.message;
    const [steps, rows] = [values.length / units.length, units.length];
    this.pixels = element("canvas", { width: steps, height: rows });
    const context = this.pixels.getContext("2d");
    const image = context.createImageData(steps, rows);
    const out = new Uint32Array(image.data.buffer);
    const table = pixelTable(colours);
    for (let row = 0; row < rows; row++) {
      for (let at = 0; at < steps; at++) {
        const share = values[at * rows + units[row]] / vmax;
        out[row * steps + at] = table[clamp(Math.round(255 * (signed ? (1 + share) / 2 : share)), 0, 255)];
      }
    }
    context.putImageData(image, 0, 0);
  }

  #arrange() {
    const room = this.scroll.clientWidth - 6;
    if (room === this.room || room < 1) return;
    this.room = room;
    const { message, groups } = this;
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `12px ${getComputedStyle(this.root).fontFamily}`;
    const width = (text) => pen.measureText(text).width;
    const fits = (text) => {
      let shown = text;
      while (shown.length > 1 && width(shown) > LONGEST - 4) shown = `${shown.slice(0, -2)}…`;
      return shown;
    };
    const layout = (this.layout = unrolledLayout(message, room, width));
    const { width: wide, height: high } = layout.total;
    for (const [name, value] of [["width", wide], ["height", high], ["viewBox", `0 0 ${wide} ${high}`]]) {
      this.drawing.setAttribute(name, value);
    }
    this.#stretch();
    const inputs = inputsOf(message, layout, fits);
    groups.frame.replaceChildren(curveFrame(message, layout));
    groups.passages.replaceChildren(passages(message, layout));
    groups.wires.replaceChildren(...inputs.wires);
    groups.inputs.replaceChildren(...inputs.words);
    groups.outputs.replaceChildren(...outputsOf(message, layout, fits));
    this.show();
  }

  #stretch() {
    const { strips, layout, pixels } = this;
    const sharp = window.devicePixelRatio || 1;
    const width = layout.total.width;
    Object.assign(strips, { width: Math.round(width * sharp), height: Math.round(layout.height * sharp) });
    strips.style.cssText = `left:0;top:${layout.top}px;width:${width}px;height:${layout.height}px`;
    const context = strips.getContext("2d");
    context.imageSmoothingEnabled = false;
    for (let at = 0; at < layout.steps; at++) {
      const [left, right] = [unrolledX(layout, at), unrolledX(layout, at) + layout.bar];
      const x = Math.round(left * sharp);
      context.drawImage(pixels, at, 0, 1, pixels.height, x, 0, Math.round(right * sharp) - x, strips.height);
    }
  }

  #listen() {
    const { stage, scrub } = this;
    stage.onpointermove = stage.onpointerdown = (event) => this.hover(this.placeAt(event));
    stage.onpointerleave = stage.onpointercancel = () => this.hover(null);
    stage.onclick = (event) => this.pin(this.placeAt(event));
    stage.onblur = () => this.walk(null);
    stage.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) this.walk(this.#neighbour(...ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") this.pin(this.current);
      else if (event.key === "Escape") this.release();
      else return;
      event.preventDefault();
      event.stopPropagation(); // the page has shortcuts of its own
    };
    this.play.onclick = () => (this.timer ? this.#rest() : this.#start());
    this.all.onclick = () => this.#stand(null);
    scrub.oninput = () => this.#go(Number(scrub.value));
    scrub.onchange = () => this.#rest();
  }

  // The row and the step under the pointer; on the words and on the curve, the step alone.
  placeAt({ clientX, clientY }) {
    const { layout } = this;
    const box = this.stage.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    const row = Math.floor((y - layout.top) / layout.unit);
    const bridge = unrolledX(layout, layout.split) - BRIDGE / 2;
    const at = Math.floor((x - MARGIN - (x > bridge ? BRIDGE : 0)) / layout.step);
    const step = clamp(at, 0, layout.steps - 1);
    return [row >= 0 && row < this.message.units.length ? row : null, step];
  }

  #neighbour(down, right) {
    const [row, step] = this.current ?? [null, null];
    if (row === null) return [0, step ?? 0];
    return [
      clamp(row + down, 0, this.message.units.length - 1),
      clamp((step ?? 0) + right, 0, this.layout.steps - 1),
    ];
  }

  // [unit, step] that the page and the visitor agreed on.
  get kept() {
    return this.choice.value ?? [null, null];
  }

  get keptRow() {
    const row = this.message.units.indexOf(this.kept[0]);
    return row < 0 ? null : row;
  }

  get current() {
    return this.hovered ?? this.walked;
  }

  hover(place) {
    if (String(place) === String(this.hovered)) return;
    this.hovered = place;
    this.show();
  }

  walk(place) {
    this.hovered = null;
    this.walked = place;
    this.show();
  }

  pin(place) {
    if (!place || place[0] === null) return;
    const unit = this.message.units[place[0]];
    this.#keep(unit === this.kept[0] ? null : unit, this.kept[1]);
    this.show();
  }

  release() {
    this.hovered = this.walked = null;
    if (this.kept[0] !== null) this.#keep(null, this.kept[1]);
    this.show();
  }

  #keep(unit, step) {
    if (unit === this.kept[0] && step === this.kept[1]) return;
    this.choice.make(unit === null && step === null ? null : [unit, step]);
  }

  #start() {
    const last = this.layout.steps - 1;
    const next = () => {
      this.#go(this.at === null || this.at >= last ? 0 : this.at + 1);
      if (this.at >= last) this.#rest();
    };
    this.timer = setInterval(next, PACE);
    this.play.textContent = "Pause";
    next();
  }

  #pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  // Play no further; the page hears of where it stopped.
  #rest() {
    this.#pause();
    this.#keep(this.kept[0], this.at);
    this.show();
  }

  #stand(at) {
    this.#pause();
    this.#go(at);
    this.#rest();
  }

  #go(at) {
    this.at = at;
    this.show();
  }

  series(row) {
    const { values, units } = this.message;
    const unit = units[row];
    return Array.from({ length: this.layout.steps }, (_, at) => values[at * units.length + unit]);
  }

  show() {
    if (!this.layout) return;
    const { message, layout, groups } = this;
    const row = this.current?.[0] ?? this.keptRow;
    const step = this.current?.[1] ?? this.at;
    this.#veil();
    this.#curve(row, step);
    groups.pin.replaceChildren(...(this.keptRow === null ? [] : this.#rowMarks(this.keptRow)));
    const hovered = this.current && this.current[0] !== null;
    drawOutline(groups.hover, hovered ? boxPath(this.#cellBox(...this.current)) : "");
    const emphasise = (group, shift) => [...group.children].forEach((node, at) => {
      node.toggleAttribute("data-current", at + shift === step);
      node.setAttribute("font-weight", at + shift === step ? 700 : 400);
      node.setAttribute("opacity", step === null || at + shift === step ? 1 : 0.45);
    });
    emphasise(groups.inputs, 0);
    emphasise(groups.wires, 0);
    emphasise(groups.outputs, layout.split);
    this.scrub.value = this.at ?? layout.steps - 1;
    this.clock.textContent = this.at === null ? `${layout.steps} steps` : `step ${this.at} of ${layout.steps - 1}`;
    this.all.style.visibility = this.at === null ? "hidden" : "visible";
    this.status.textContent = this.#sentence(row, step);
    if (this.timer) this.#follow();
  }

  // What has not happened yet lies under a veil.
  #veil() {
    const { layout, groups, at } = this;
    if (at === null || at >= layout.steps - 1) return groups.veil.replaceChildren();
    const x = unrolledX(layout, at) + layout.bar + 1;
    groups.veil.replaceChildren(svgElement("rect", {
      x, y: layout.top, width: layout.total.width - x, height: layout.height, opacity: 0.88,
    }));
  }

  #curve(row, step) {
    const { message, layout, groups } = this;
    if (row === null) {
      const hint = svgElement("g", { class: "quiet" });
      hint.append(svgWords("one unit over time", MARGIN + 6, layout.curve + 12));
      return groups.curve.replaceChildren(hint);
    }
    const values = this.series(row);
    const line = svgLine(curvePath(message, layout, values), { "stroke-width": 1.6, "stroke-linejoin": "round" });
    const dots = values.map((value, at) => svgElement("circle", {
      cx: unrolledMiddle(layout, at), cy: curveY(message, layout, value), r: at === step ? 4 : 1.8,
      fill: "currentColor",
    }));
    const accent = svgElement("g", { class: "accent" });
    accent.append(line, ...dots);
    groups.curve.replaceChildren(accent);
  }

  // Thin lines along both sides of a row, which may be no higher than themselves, and a pointer.
  #rowMarks(row) {
    const { layout } = this;
    const [top, bottom] = [row, row + 1].map((edge) => layout.top + edge * layout.unit);
    const spans = [[0, layout.split - 1], [layout.split, layout.steps - 1]];
    const lines = spans.map(([first, last]) => {
      const [left, right] = [unrolledX(layout, first), unrolledX(layout, last) + layout.bar];
      return svgLine(`M${left} ${top - 1}H${right}M${left} ${bottom + 1}H${right}`);
    });
    const [x, y] = [MARGIN - 3, (top + bottom) / 2];
    const pointer = svgElement("path", { d: `M${x - 8} ${y - 5}L${x} ${y}L${x - 8} ${y + 5}Z`, fill: "currentColor" });
    return [...lines, pointer];
  }

  #cellBox(row, step) {
    const { layout } = this;
    const [top, left] = [layout.top + row * layout.unit, unrolledX(layout, step)];
    return [top, left, top + layout.unit, left + layout.bar];
  }

  // While it plays, the step stays in view.
  #follow() {
    const x = unrolledX(this.layout, this.at);
    const { scrollLeft, clientWidth } = this.scroll;
    if (x < scrollLeft || x + 80 > scrollLeft + clientWidth) this.scroll.scrollLeft = x - clientWidth / 2;
  }

  #sentence(row, step) {
    const { message } = this;
    if (row === null && step === null) {
      const verb = hovering() ? "Move over" : "Tap";
      return `${verb} a unit to see it over time; play to watch the sentence being read and written.`;
    }
    const parts = [];
    if (step !== null) parts.push(this.#happens(step));
    if (row !== null) {
      const values = this.series(row);
      const unit = `unit ${message.units[row]}`;
      parts.push(step === null ? `${unit}, kept` : `${unit}: ${message.what} ${exact(values[step])}`);
    }
    return `${parts.join(" · ")}.`;
  }

  #happens(step) {
    const { source, reads, given, said, probabilities } = this.message;
    if (step < source.length) {
      return `Step ${step}: the encoder reads “${source[reads[step]]}”, piece ${reads[step]}`;
    }
    const t = step - source.length;
    const chance = (100 * probabilities[t]).toFixed(1);
    return `Step ${step}: the decoder is given “${given[t]}” and says “${said[t]}” (${chance} %)`;
  }
}

function exact(value) {
  return value.toFixed(4).replace("-", "−");
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".unrolled");
  root.unrolled ??= new Unrolled(root);
  root.unrolled.update(data, setStateValue);
}
