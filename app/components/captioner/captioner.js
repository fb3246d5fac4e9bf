// One caption to play: which word is hovered, walked to and picked, and how that looks.

const WORD_PACE = 1100; // milliseconds a word

class Captioner {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = this.played = this.cell = null; // words and a cell; null for none
    this.painting = null; // true while cells are added, false while they are taken away
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["said", "view", "picture", "map", "marks", "play", "sum", "cells", "boxes", "clear", "status", "frames"]) {
      this[name] = find(name);
    }
    this.slider = root.querySelector("input");
    this.painted = svgElement("g", { class: "painted" });
    this.shownBoxes = svgElement("g", { class: "shown-boxes" });
    this.outlines = { hover: outline("hover"), target: outline("target") };
    this.marks.append(this.painted, this.shownBoxes, ...Object.values(this.outlines));
    this.#listen();
    find("svg").onclick = async () => saveSvg(await captionFigure(this), this.fileName());
    find("png").onclick = async () => savePng(await captionFigure(this), this.fileName());
  }

  // A new run of the page: the same message costs nothing.
  update(data, send) {
    const message = unpack(data);
    const [news, order] = [message.stamp !== this.message?.stamp, this.choice.order];
    this.choice.follow(message, send);
    if (!news && order === this.choice.order) return;
    if (news) this.#take(message);
    this.show();
  }

  #take(message) {
    const first = !this.message;
    this.halt();
    this.message = message;
    this.hovered = this.played = this.cell = null;
    const { words, rows, cols, picture, kind, width, height, weights, smooth, mark, boxes } = message;
    const cells = rows * cols;
    this.maps = words.map((_, step) => weights.subarray(step * cells, (step + 1) * cells));
    this.coverage = coverageOf(this.maps, message.vmax);
    if (first) this.sharp = !smooth;
    this.address = URL.createObjectURL(new Blob([picture], { type: kind }));
    this.picture.onload = () => {
      URL.revokeObjectURL(this.address);
      this.#drawFrames();
    };
    this.picture.src = this.address;
    this.view.style.aspectRatio = `${width} / ${height}`;
    this.view.setAttribute("aria-label", `Picture of ${rows} rows and ${cols} columns of cells.`);
    this.marks.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.root.classList.toggle("marking", mark);
    this.clear.hidden = !mark;
    this.boxes.hidden = !boxes.length;
    this.slider.max = words.length - 1;
    this.said.replaceChildren(...words.map((word, step) => this.#word(word, step)));
    this.frames.replaceChildren(...words.map((word, step) => this.#frame(word, step)));
  }

  #word(word, step) {
    const { probabilities, gates, forced, guided } = this.message;
    const given = forced.includes(step) ? "word given" : guided.includes(step) ? "place given" : "";
    const button = element("button", { type: "button", className: given ? "given" : "" });
    button.style.setProperty("--chance", probabilities[step]);
    button.title = `${step} ${word}: probability ${percentage(probabilities[step])}, gate β ${decimals(gates[step], 2)}${given && `; ${given}`}`;
    button.append(element("span", { textContent: word }), element("i"),
      element("sub", { textContent: `β ${decimals(gates[step], 2)}` }));
    this.#pointed(button, step);
    return button;
  }

  #frame(word, step) {
    const button = element("button", { type: "button", title: `${step} ${word}` });
    button.append(element("canvas", { width: 112, height: 112 }), element("span", { textContent: word }));
    this.#pointed(button, step);
    return button;
  }

  #pointed(button, step) {
    button.onpointerenter = (event) => event.pointerType !== "touch" && this.hover(step);
    button.onpointerleave = () => this.hover(null);
    button.onfocus = () => button.matches(":focus-visible") && this.hover(step);
    button.onblur = () => this.hover(null);
    button.onclick = () => this.pick(step);
  }

  #drawFrames() {
    const { message, sharp } = this;
    const canvas = element("canvas");
    const map = new WeightMap(canvas, { ...message, smooth: !sharp });
    [...this.frames.children].forEach((frame, step) => {
      const small = frame.firstChild;
      small.height = Math.round((112 * message.height) / message.width);
      const context = small.getContext("2d");
      context.drawImage(this.picture, 0, 0, small.width, small.height);
      map.paint(this.maps[step]);
      context.globalAlpha = message.opacity;
      context.drawImage(canvas, 0, 0, small.width, small.height);
    });
  }

  #listen() {
    const { view } = this;
    view.onpointermove = (event) => this.#over(event);
    view.onpointerdown = (event) => this.#down(event);
    view.onpointerup = view.onpointercancel = () => this.#up();
    view.onpointerleave = () => this.painting === null && this.point(null);
    view.onblur = () => this.point(null);
    this.play.onclick = () => (this.timer ? this.halt() : this.go());
    this.slider.oninput = () => {
      this.halt();
      this.played = Number(this.slider.value);
      this.show();
    };
    this.sum.onclick = () => this.toggle("summed");
    this.boxes.onclick = () => this.toggle("boxed");
    this.cells.onclick = () => {
      this.toggle("sharp");
      this.#drawFrames();
    };
    this.clear.onclick = () => this.picked && this.#report([]);
    this.root.onkeydown = (event) => this.#key(event);
  }

  toggle(what) {
    this[what] = !this[what];
    this.show();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === this.slider) return;
    const last = this.message.words.length - 1;
    const from = this.step;
    const moves = {
      ArrowRight: () => this.walk(Math.min(from + 1, last)),
      ArrowLeft: () => this.walk(Math.max(from - 1, 0)),
      Escape: () => this.release(),
    };
    if (event.target === this.view) {
      moves[" "] = () => this.play.onclick();
      moves.Enter = () => this.pick(from);
    }
    if (!(event.key in moves)) return;
    moves[event.key]();
    event.preventDefault();
    event.stopPropagation(); // the page has shortcuts of its own
  }

  #over(event) {
    const cell = this.cellAt(event);
    if (this.painting !== null) this.#paint(cell);
    this.point(cell);
  }

  #down(event) {
    const cell = this.cellAt(event);
    this.point(cell);
    if (!this.message.mark || !this.picked) return;
    this.view.setPointerCapture(event.pointerId);
    this.stroke = new Set(this.picked.cells);
    this.painting = !this.stroke.has(cell);
    this.#paint(cell);
  }

  #paint(cell) {
    if (this.painting) this.stroke.add(cell);
    else this.stroke.delete(cell);
    this.#drawPainted(this.stroke);
  }

  #up() {
    if (this.painting === null) return;
    this.painting = null;
    this.#report([...this.stroke].sort((a, b) => a - b));
  }

  #report(cells) {
    this.choice.make({ step: this.picked.step, cells });
    this.show();
  }

  cellAt({ clientX, clientY }) {
    const { rows, cols, height, width, centre, stride } = this.message;
    const box = this.view.getBoundingClientRect();
    const row = (((clientY - box.top) / box.height) * height - centre[0]) / stride[0];
    const col = (((clientX - box.left) / box.width) * width - centre[1]) / stride[1];
    return clamp(Math.round(row), 0, rows - 1) * cols + clamp(Math.round(col), 0, cols - 1);
  }

  // What is picked, if this caption has such a word.
  get picked() {
    const { value } = this.choice;
    return value && value.step < this.message.words.length ? value : null;
  }

  // The word whose map is shown.
  get step() {
    return this.hovered ?? this.played ?? this.picked?.step ?? this.message.rest;
  }

  hover(step) {
    this.hovered = step;
    this.show();
  }

  walk(step) {
    this.halt();
    this.hovered = null;
    this.played = step;
    this.show();
  }

  point(cell) {
    if (cell === this.cell) return;
    this.cell = cell;
    this.show();
  }

  pick(step) {
    this.halt();
    this.played = this.hovered = null;
    this.choice.make(step === this.picked?.step ? null : { step, cells: [] });
    this.show();
  }

  release() {
    this.halt();
    this.hovered = this.played = this.cell = null;
    if (this.picked) this.choice.make(null);
    this.show();
  }

  go() {
    const last = this.message.words.length - 1;
    this.hovered = null;
    this.played = this.played === null || this.played >= last ? 0 : this.played;
    const on = () => {
      if (!this.root.isConnected || this.played >= last) return this.halt();
      this.played += 1;
      this.show();
      this.timer = setTimeout(on, WORD_PACE);
    };
    this.timer = setTimeout(on, WORD_PACE);
    this.show();
  }

  halt() {
    clearTimeout(this.timer);
    this.timer = null;
    this.#dress();
  }

  #dress() {
    this.play.classList.toggle("playing", Boolean(this.timer));
    this.play.setAttribute("aria-label", this.timer ? "Pause" : "Play");
  }

  show() {
    const { message, step, summed } = this;
    this.#dress();
    this.values = summed ? this.coverage.bytes : this.maps[step];
    this.shownScale = summed
      ? { ...message, vmax: this.coverage.most, scale: "the maps of all words added up" }
      : message;
    new WeightMap(this.map, { ...message, smooth: !this.sharp }).paint(this.values);
    this.map.style.opacity = message.opacity;
    labelScale(this.root, this.shownScale);
    this.slider.value = step;
    for (const [button, on] of [[this.sum, summed], [this.cells, this.sharp], [this.boxes, this.boxed]]) {
      button.setAttribute("aria-pressed", Boolean(on));
    }
    this.#showWords(step);
    this.#drawPainted(this.picked?.cells ?? []);
    this.#drawBoxes();
    const best = indexOfMaximum(this.values);
    drawOutline(this.outlines.target, this.values[best] ? this.path(best) : "");
    drawOutline(this.outlines.hover, this.cell === null ? "" : this.path(this.cell));
    this.status.textContent = this.#sentence(step, best);
  }

  path(cell) {
    return boxPath(cellBox(this.message, ...this.place(cell)));
  }

  place(cell) {
    return [Math.floor(cell / this.message.cols), cell % this.message.cols];
  }

  #showWords(step) {
    const shaded = this.cell !== null;
    this.said.classList.toggle("shaded", shaded);
    const most = Math.max(1, ...this.maps.map((map) => map[this.cell ?? 0]));
    [...this.said.children].forEach((word, index) => {
      word.classList.toggle("current", index === step && !this.summed);
      word.setAttribute("aria-pressed", index === this.picked?.step);
      word.style.setProperty("--here", shaded ? this.maps[index][this.cell] / Math.max(most, 26) : 0);
      this.frames.children[index].classList.toggle("current", index === step && !this.summed);
    });
  }

  #drawPainted(cells) {
    const paths = [...cells].map((cell) => svgElement("path", {
      d: this.path(cell),
      fill: "currentColor",
      "fill-opacity": 0.35,
      stroke: "currentColor",
      "stroke-width": 1.5,
      "vector-effect": "non-scaling-stroke",
    }));
    this.painted.replaceChildren(...paths);
  }

  #drawBoxes() {
    const { boxes, width, height } = this.message;
    const shown = this.boxed ? boxes : [];
    this.shownBoxes.replaceChildren(...shown.flatMap(([label, [top, left, bottom, right]]) => {
      const group = outline("box");
      drawOutline(group, boxPath([top * height, left * width, bottom * height, right * width]));
      const text = svgElement("text", { x: left * width + 3, y: Math.max(11, top * height - 3) });
      text.textContent = label;
      return [group, text];
    }));
  }

  #sentence(step, best) {
    const { words, vmax, mark, probabilities, gates } = this.message;
    const at = (cell) => `cell ${this.place(cell).join(",")}`;
    if (this.cell !== null && this.painting === null) {
      const looked = words.map((word, index) => [word, this.maps[index][this.cell]])
        .filter(([, byte]) => byte > 2).sort((a, b) => b[1] - a[1]).slice(0, 4)
        .map(([word, byte]) => `${word} ${percentage((byte / 255) * vmax)}`);
      const ask = mark && !this.picked ? " Choose a word first, then paint." : "";
      return `${at(this.cell)}: ${looked.join(", ") || "no word looked here"}.${ask}`;
    }
    if (this.summed) {
      return `Coverage: the most looked-at ${at(best)} got ${number(this.coverage.most)} in all. Mean (1 − Σα)² is ${number(this.coverage.penalty)}.`;
    }
    const picked = this.picked?.step === step ? ", picked," : "";
    const looks = `“${words[step]}”${picked} looks most at ${at(best)} (${weight(this.values[best], vmax)}); `;
    const facts = `probability ${percentage(probabilities[step])}, gate β ${decimals(gates[step], 2)}.`;
    if (!mark) return looks + facts;
    return this.picked
      ? `Paint where “${words[this.picked.step]}” should look: drag over cells; Clear lets go.`
      : `${looks}${facts} Choose a word, then paint where it should look.`;
  }

  fileName() {
    const { name, words } = this.message;
    return this.summed ? `${name}-coverage` : `${name}-${this.step}-${words[this.step]}`;
  }
}

// The maps of all words added up: bytes on a scale of its own, where that ends, and what equation
// 14 of the paper makes of it, a cell.
function coverageOf(maps, vmax) {
  const sums = Array.from(maps[0], (_, cell) =>
    maps.reduce((sum, map) => sum + (map[cell] / 255) * vmax, 0));
  const most = Math.max(...sums) || 1;
  const penalty = sums.reduce((sum, value) => sum + (1 - value) ** 2, 0) / sums.length;
  return { most, penalty, bytes: Uint8Array.from(sums, (value) => Math.round((255 * value) / most)) };
}

// The picture under its map with the marks, the caption above and the scale below, for print.
async function captionFigure(captioner) {
  const { message, map, marks, summed, step, shownScale } = captioner;
  const { picture, kind, width, height, opacity, words } = message;
  const [wide, high] = [640, Math.round((640 * height) / width)];
  const page = svgPage(wide, high + 90);
  const line = svgElement("text", { x: 0, y: 26, "font-size": 20 });
  words.forEach((word, index) => {
    const part = svgElement("tspan", index === step && !summed ? { "font-weight": 700, fill: "#b3431e" } : {});
    part.textContent = (index ? " " : "") + word;
    line.append(part);
  });
  const view = svgElement("svg", { y: 40, width: wide, height: high, viewBox: `0 0 ${width} ${height}` });
  const box = { width, height, preserveAspectRatio: "none" };
  const drawn = svgElement("g", { color: getComputedStyle(marks).color });
  drawn.append(...Array.from(marks.children, (mark) => mark.cloneNode(true)));
  view.append(
    svgElement("image", { href: await dataAddress(picture, kind), ...box }),
    svgElement("image", { href: map.toDataURL("image/png"), opacity, ...box }),
    drawn,
  );
  page.append(line, view, svgColourBar(shownScale, 0, high + 52));
  return page;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".captioner");
  root.captioner ??= new Captioner(root);
  root.captioner.update(data, setStateValue);
}
