// One caption to play: which word and which cells are looked at, and what follows from that.

const WORD_PACE = 1000; // milliseconds a word
const DRIFT = 250; // milliseconds from the map of a word to the next while it plays

class Captioner {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = this.walked = this.cell = null; // two words and a cell; null for none
    this.stroke = null; // the cells while they are painted, before the page hears of them
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["view", "picture", "map", "marks", "said", "play", "sum", "cells", "boxes", "clear", "status", "frames"]) {
      this[name] = find(name);
    }
    this.slider = root.querySelector("input");
    this.lines = new CaptionLines(this.marks);
    this.#listen();
    new ResizeObserver(() => this.message && this.show()).observe(this.view);
    find("svg").onclick = async () => saveSvg(await captionFigure(this), this.fileName());
    find("png").onclick = async () => savePng(await captionFigure(this), this.fileName());
  }

  // A new run of the page: the same message costs nothing, and an order alone keeps what is drawn.
  update(data, send) {
    const message = unpack(data);
    const { order } = this.choice;
    this.choice.follow(message, send);
    if (message.stamp === this.message?.stamp) return;
    if (order !== this.choice.order) this.walked = null;
    if (message.content !== this.message?.content) this.#take(message, this.message);
    this.message = message;
    this.show();
  }

  #take(message, before) {
    const { words, rows, cols, weights, vmax, smooth, boxes } = message;
    const [cells, last] = [rows * cols, words.length - 1];
    this.message = message;
    this.maps = words.map((_, step) => weights.subarray(step * cells, (step + 1) * cells));
    this.coverage = coverageOf(this.maps, vmax);
    if (smooth !== before?.smooth) this.sharp = !smooth;
    this.boxes.hidden = !boxes.length;
    this.cells.textContent = `${rows} × ${cols} cells`;
    this.slider.max = last;
    if (!before || chipsOf(before) !== chipsOf(message)) {
      this.halt();
      this.hovered = this.walked = this.cell = null;
      this.said.replaceChildren(...words.map((_, step) => this.#pointed(captionChip(message, step), step)));
      this.frames.replaceChildren(...words.map((_, step) => this.#pointed(captionFrame(message, step), step)));
    }
    if (message.seen !== before?.seen) this.#newPicture();
    this.#remap();
  }

  #newPicture() {
    const { picture, kind, width, height, rows, cols } = this.message;
    const address = URL.createObjectURL(new Blob([picture], { type: kind }));
    this.picture.onload = () => {
      URL.revokeObjectURL(address);
      this.#drawFrames();
    };
    this.picture.src = address;
    this.view.style.aspectRatio = `${width} / ${height}`;
    this.view.style.width = `min(100%, ${Math.round(640 * Math.min(1, width / height))}px)`;
    this.view.setAttribute("aria-label",
      `Picture of ${rows} rows and ${cols} columns of cells. Left and right go from word to word, ` +
      "space plays, Enter keeps a word; with shift, arrows go from cell to cell.");
  }

  // Sharp or smooth.
  #remap() {
    const { message, sharp } = this;
    this.weightMap = new WeightMap(this.map, { ...message, smooth: !sharp });
    this.map.style.opacity = message.opacity;
    this.values = null;
    this.#drawFrames();
  }

  #drawFrames() {
    const { message, picture } = this;
    if (!picture.naturalWidth) return;
    const canvas = element("canvas");
    const map = new WeightMap(canvas, { ...message, smooth: !this.sharp });
    [...this.frames.children].forEach(({ firstChild: small }, step) => {
      small.height = Math.round((small.width * message.height) / message.width);
      const context = small.getContext("2d");
      context.imageSmoothingQuality = "high";
      context.drawImage(picture, 0, 0, small.width, small.height);
      map.paint(this.maps[step]);
      context.globalAlpha = message.opacity;
      context.drawImage(canvas, 0, 0, small.width, small.height);
    });
  }

  #pointed(button, step) {
    button.onpointerenter = (event) => event.pointerType !== "touch" && this.hover(step);
    button.onpointerleave = button.onblur = () => this.hover(null);
    button.onfocus = () => button.matches(":focus-visible") && this.hover(step);
    button.onclick = () => this.pick(step);
    return button;
  }

  #listen() {
    const { view } = this;
    view.onpointermove = (event) => this.#over(event);
    view.onpointerdown = (event) => this.#down(event);
    view.onpointerup = () => this.#lift();
    view.onpointercancel = () => this.#drop();
    view.onpointerleave = ({ pointerType }) => pointerType !== "touch" && !this.stroke && this.point(null);
    view.onblur = () => this.point(null);
    this.play.onclick = () => this.toggle();
    this.slider.oninput = () => this.walk(Number(this.slider.value));
    this.sum.onclick = () => this.#switch("summed");
    this.boxes.onclick = () => this.#switch("boxed");
    this.cells.onclick = () => {
      this.sharp = !this.sharp;
      this.#remap();
      this.show();
    };
    this.clear.onclick = () => this.#report(this.picked.step, []);
    this.root.onkeydown = (event) => this.#key(event);
  }

  #switch(what) {
    this[what] = !this[what];
    this.show();
  }

  #key(event) {
    const { key, target, shiftKey } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const onView = target === this.view;
    const moves = { Escape: () => this.release() };
    if (onView && shiftKey && key in ARROWS) moves[key] = () => this.#beside(...ARROWS[key]);
    else if (target !== this.slider) {
      moves.ArrowRight = () => this.#step(1, target);
      moves.ArrowLeft = () => this.#step(-1, target);
    }
    if (target.tagName !== "BUTTON") moves[" "] = () => this.toggle();
    if (onView) moves.Enter = () => this.#enter();
    if (!Object.hasOwn(moves, key)) return;
    moves[key]();
    event.preventDefault();
    event.stopPropagation(); // the page has shortcuts of its own
  }

  // One word on or back; the focus goes along if it lies on a word.
  #step(way, target) {
    const step = clamp(this.step + way, 0, this.maps.length - 1);
    this.walk(step);
    if (this.said.contains(target)) this.said.children[step].focus();
  }

  // The cell beside the one that is looked at; the peak of the word at first.
  #beside(down, right) {
    if (this.cell === null) return this.point(indexOfMaximum(this.maps[this.step]));
    const { rows, cols } = this.message;
    const [row, col] = this.place(this.cell);
    this.point(clamp(row + down, 0, rows - 1) * cols + clamp(col + right, 0, cols - 1));
  }

  // Enter on the picture: paints or erases the cell that keys went to, else keeps the word.
  #enter() {
    const { picked, cell } = this;
    if (!this.message.mark || !picked || cell === null) return this.pick(this.step);
    const others = picked.cells.filter((other) => other !== cell);
    this.#report(picked.step, others.length < picked.cells.length ? others : [...others, cell]);
  }

  #over(event) {
    const cell = this.cellAt(event);
    if (this.stroke) this.#brush(cell);
    this.point(cell);
  }

  #down(event) {
    const cell = this.cellAt(event);
    const { picked } = this;
    if (this.message.mark && picked && event.isPrimary && event.button === 0) {
      this.halt();
      this.walked = null; // what is painted belongs to the picked word
      if (event.shiftKey) this.#report(picked.step, []);
      else {
        this.view.setPointerCapture(event.pointerId);
        this.stroke = { step: picked.step, cells: new Set(picked.cells), erases: picked.cells.includes(cell) };
        this.#brush(cell);
      }
    }
    this.point(cell);
    this.show();
  }

  // All cells from the last one to this one: a fast pointer skips some.
  #brush(cell) {
    const { stroke } = this;
    const [end, start] = [this.place(cell), this.place(stroke.last ?? cell)];
    const count = Math.max(...end.map((at, axis) => Math.abs(at - start[axis])), 1);
    for (let i = 0; i <= count; i++) {
      const [row, col] = end.map((at, axis) => Math.round(start[axis] + ((at - start[axis]) * i) / count));
      const passed = row * this.message.cols + col;
      if (stroke.erases) stroke.cells.delete(passed);
      else stroke.cells.add(passed);
    }
    stroke.last = cell;
    this.show();
  }

  #lift() {
    const { stroke } = this;
    this.stroke = null;
    if (stroke) this.#report(stroke.step, [...stroke.cells]);
  }

  // The browser took the finger away, to scroll say: nothing was painted.
  #drop() {
    this.stroke = null;
    this.point(null);
    this.show();
  }

  #report(step, cells) {
    const sorted = [...cells].sort((a, b) => a - b);
    const { picked } = this;
    if (picked?.step === step && String(sorted) !== String(picked.cells)) this.choice.make({ step, cells: sorted });
    this.show();
  }

  cellAt({ clientX, clientY }) {
    const { rows, cols, height, width, centre, stride } = this.message;
    const box = this.view.getBoundingClientRect();
    const row = (((clientY - box.top) / box.height) * height - centre[0]) / stride[0];
    const col = (((clientX - box.left) / box.width) * width - centre[1]) / stride[1];
    return clamp(Math.round(row), 0, rows - 1) * cols + clamp(Math.round(col), 0, cols - 1);
  }

  // The (row, col) of a cell.
  place(cell) {
    return [Math.floor(cell / this.message.cols), cell % this.message.cols];
  }

  // What is picked, if this caption has such a word.
  get picked() {
    const { value } = this.choice;
    return value && value.step < this.maps.length ? value : null;
  }

  // The word that is shown.
  get step() {
    return this.hovered ?? this.walked ?? this.picked?.step ?? this.message.rest;
  }

  // Whether all words are shown together; a word under the pointer comes first.
  get together() {
    return Boolean(this.summed) && this.hovered === null;
  }

  hover(step) {
    if (step === this.hovered) return;
    this.hovered = step;
    this.show();
  }

  walk(step) {
    this.halt();
    this.hovered = this.cell = null;
    this.#go(step);
  }

  point(cell) {
    if (cell === this.cell) return;
    this.cell = cell;
    this.show();
  }

  pick(step) {
    this.halt();
    this.walked = this.cell = null;
    this.summed = false;
    this.choice.make(step === this.picked?.step ? null : { step, cells: [] });
    this.show();
  }

  release() {
    this.halt();
    this.hovered = this.walked = this.cell = this.stroke = null;
    if (this.picked) this.choice.make(null);
    this.show();
  }

  toggle() {
    const last = this.maps.length - 1;
    if (this.timer) return this.halt();
    this.timer = setInterval(() => {
      if (!this.root.isConnected) return this.halt();
      if (this.walked + 1 >= last) this.halt();
      this.#go(Math.min(this.walked + 1, last), !calm());
    }, WORD_PACE);
    const from = this.walked ?? this.picked?.step ?? 0;
    this.hovered = this.cell = null;
    this.#go(from >= last ? 0 : from);
  }

  halt() {
    clearInterval(this.timer);
    this.timer = null;
    this.#dress();
  }

  #go(step, drifts = false) {
    this.walked = step;
    this.summed = false;
    this.show(drifts);
    const [strip, frame] = [this.frames, this.frames.children[step]];
    const left = frame.offsetLeft - (strip.clientWidth - frame.offsetWidth) / 2;
    strip.scrollTo({ left, behavior: calm() ? "auto" : "smooth" });
  }

  #dress() {
    this.play.classList.toggle("playing", Boolean(this.timer));
    this.play.setAttribute("aria-label", this.timer ? "Pause" : "Play");
  }

  show(drifts = false) {
    const { message, step, together, coverage } = this;
    const values = together ? coverage.bytes : this.maps[step];
    this.shownScale = together ? { ...message, vmax: coverage.most, scale: "all words added up" } : message;
    if (values !== this.values) this.#paint(values, drifts ? this.values : null);
    labelScale(this.root, this.shownScale);
    this.#dress();
    this.slider.value = step;
    this.slider.setAttribute("aria-valuetext", `${step} ${message.words[step]}`);
    for (const [button, on] of [[this.sum, this.summed], [this.cells, this.sharp], [this.boxes, this.boxed]]) {
      button.setAttribute("aria-pressed", Boolean(on));
    }
    const marked = this.stroke?.cells ?? this.picked?.cells ?? [];
    this.root.classList.toggle("painting", message.mark && this.picked !== null);
    this.clear.hidden = !message.mark;
    this.clear.disabled = !this.picked?.cells.length;
    this.#showWords();
    this.lines.draw(message, this.view.clientWidth, {
      cell: this.cell,
      peak: together ? null : indexOfMaximum(values),
      marked: together || step !== this.picked?.step ? [] : [...marked],
      boxes: this.boxed ? message.boxes : [],
    });
    this.status.textContent = captionSentence(this);
  }

  #paint(values, from) {
    this.values = values;
    if (!from) return this.weightMap.paint(values);
    const start = performance.now();
    const frame = () => {
      const share = (performance.now() - start) / DRIFT;
      if (this.values !== values) return;
      this.weightMap.paint(share < 1 ? values.map((value, i) => from[i] + share * (value - from[i])) : values);
      if (share < 1) requestAnimationFrame(frame);
    };
    frame();
  }

  #showWords() {
    const { step, together, cell } = this;
    this.said.classList.toggle("shaded", cell !== null);
    [...this.said.children].forEach((word, index) => {
      const current = index === step && !together;
      word.classList.toggle("current", current);
      word.setAttribute("aria-pressed", index === this.picked?.step);
      // The root lets a small share be seen beside a large one.
      word.style.setProperty("--here", cell === null ? 0 : Math.sqrt(this.maps[index][cell] / 255));
      this.frames.children[index].classList.toggle("current", current);
    });
  }

  fileName() {
    const { name, words } = this.message;
    return this.together ? `${name}-coverage` : `${name}-${this.step}-${words[this.step]}`;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".captioner");
  root.captioner ??= new Captioner(root);
  root.captioner.update(data, setStateValue);
}
