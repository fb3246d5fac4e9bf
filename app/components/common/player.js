// Walks a visitor through the steps of a run, each in the same stages: by buttons, keys, slider and
// pieces, and by itself. The root has the class `player` and the parts that are found here by name.

// A message with its exact numbers unpacked; `target` holds a piece for each step.
class Walk {
  constructor(message, exact) {
    Object.assign(this, message);
    for (const name of exact) this[name] = new Float32Array(message[name].slice().buffer);
  }

  // One step's numbers.
  row(name, step) {
    const count = this[name].length / this.target.length;
    return this[name].subarray(step * count, (step + 1) * count);
  }
}

// What a kind of player says for itself: `walked(message)` makes its walk, `arrange()` and
// `paint(entered)` draw it (entered: what the stage computes comes in rather than stands there),
// `say()` writes formula and sentence, `figure()` is for print.
class Player {
  static PACE = 2800; // milliseconds a stage
  static REST = 1000; // milliseconds at one place until the page hears of it

  constructor(root, names) {
    Object.assign(this, { root, names });
    this.choice = new Choice();
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["written", "stages", "play", "where", "formula", "sentence", "words", "picture"]) {
      this[name] = find(name);
    }
    this.slider = root.querySelector("input");
    this.stages.append(...names.map((name, stage) => this.#tab(name, stage)));
    find("back").onclick = () => this.byHand(...this.beside(-1));
    find("on").onclick = () => this.byHand(...this.beside(1));
    this.play.onclick = () => this.#toggle();
    this.slider.oninput = () => this.byHand(Number(this.slider.value), this.stage);
    root.onkeydown = (event) => this.#key(event);
    new ResizeObserver(() => this.walk && this.#fit()).observe(root);
    find("svg").onclick = async () => saveSvg(await this.figure(), this.fileName());
    find("png").onclick = async () => savePng(await this.figure(), this.fileName());
  }

  update(data, send) {
    const message = unpack(data);
    const [news, order] = [message.stamp !== this.stamp, this.choice.order];
    this.choice.follow(message, send);
    if (!news && order === this.choice.order) return;
    this.stamp = message.stamp;
    this.#halt();
    this.walk = this.walked(message);
    this.slider.max = this.walk.target.length - 1;
    this.written.replaceChildren(...this.walk.target.map((piece, step) => this.#chip(piece, step)));
    [this.step, this.stage] = this.choice.value ?? [0, 0];
    this.#fit();
  }

  // How a step is called, and the number under its piece.
  stepName(step) {
    return `step ${step}`;
  }

  stepNumber(step) {
    return step;
  }

  #tab(name, stage) {
    const tab = element("li");
    const button = element("button", { type: "button", className: "stage" });
    button.append(element("b", { textContent: stage + 1 }), element("span", { textContent: name }));
    button.onclick = () => this.byHand(this.step, stage);
    tab.append(button);
    return tab;
  }

  #chip(piece, step) {
    const chip = element("button", { type: "button", className: "chip", title: `${this.stepName(step)}: ${piece}` });
    chip.append(element("span", { textContent: piece }), element("sub", { textContent: this.stepNumber(step) }));
    chip.onclick = () => this.byHand(step, this.stage);
    return chip;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { step, stage } = this;
    const last = this.walk.target.length - 1;
    const own = event.target.closest("input, button");
    const moves = {
      ArrowRight: () => this.byHand(...this.beside(1)),
      ArrowLeft: () => this.byHand(...this.beside(-1)),
      ArrowDown: () => this.byHand(Math.min(step + 1, last), stage),
      ArrowUp: () => this.byHand(Math.max(step - 1, 0), stage),
      Home: () => this.byHand(0, stage),
      End: () => this.byHand(last, stage),
      " ": () => this.#toggle(),
    };
    const held = own?.tagName === "INPUT" || (own && event.key === " ");
    if (!this.typed(event)) {
      if (!(event.key in moves) || held) return;
      moves[event.key]();
    }
    event.preventDefault();
    event.stopPropagation(); // the page has shortcuts of its own
  }

  // Keys of a player's own come first; true if this was one.
  typed() {
    return false;
  }

  // The stage before or after, over the steps; the ends stay.
  beside(way) {
    const stages = this.names.length;
    const place = this.step * stages + this.stage + way;
    const kept = clamp(place, 0, this.walk.target.length * stages - 1);
    return [Math.floor(kept / stages), kept % stages];
  }

  #ended() {
    return String(this.beside(1)) === String([this.step, this.stage]);
  }

  byHand(step, stage) {
    this.#halt();
    this.show(step, stage);
    this.#tell();
  }

  #toggle() {
    if (this.timer) {
      this.#halt();
      this.#tell();
      return;
    }
    if (this.#ended()) this.show(0, 0);
    this.#go();
  }

  #go() {
    this.timer = setTimeout(() => {
      if (!this.root.isConnected) this.#halt();
      else if (this.#ended()) {
        this.#halt();
        this.#tell();
      } else {
        this.show(...this.beside(1));
        this.#go();
      }
    }, Player.PACE);
    this.#dress();
  }

  #halt() {
    clearTimeout(this.timer);
    this.timer = null;
    this.#dress();
  }

  #dress() {
    this.play.setAttribute("aria-label", this.timer ? "Pause" : "Play");
    this.play.classList.toggle("playing", Boolean(this.timer));
  }

  // Where the visitor comes to rest goes into the link; what is only passed through does not.
  #tell() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      const place = [this.step, this.stage];
      if (String(place) !== String(this.choice.value ?? [0, 0])) this.choice.make(place);
    }, Player.REST);
  }

  show(step, stage) {
    const onward = String(this.beside(1)) === String([step, stage]);
    Object.assign(this, { step, stage });
    this.paint(onward || stage === 0);
    this.mark();
    this.say();
  }

  #fit() {
    const room = this.picture.clientWidth;
    if (!room) return;
    this.arrange(room);
    this.paint(false);
    this.mark();
    this.say();
  }

  // Chips, tabs and slider.
  mark() {
    const { step, stage } = this;
    [...this.stages.children].forEach((tab, index) => {
      tab.firstChild.setAttribute("aria-current", index === stage ? "step" : "false");
    });
    [...this.written.children].forEach((chip, index) => {
      chip.setAttribute("aria-current", index === step ? "step" : "false");
      chip.classList.toggle("ahead", index > step || (index === step && stage < this.names.length - 1));
    });
    this.slider.value = step;
    this.where.textContent = this.stepName(step);
    this.root.dataset.stage = stage;
  }

  // Writes what a stage computes, in general and here.
  write([computed, ...formulas], sentence) {
    this.formula.replaceChildren(...formulas.map((text) => {
      const part = element("span");
      part.append(...mathNodes(text, computed));
      return part;
    }));
    this.sentence.textContent = sentence;
  }

  fileName() {
    return `${this.walk.name}-${this.step}-${this.names[this.stage]}`;
  }
}

// Whether the visitor asked for less movement.
function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
