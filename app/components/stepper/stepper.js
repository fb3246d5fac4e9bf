// The player: which step and stage are shown, and what moves them.

const PACE = 2800; // milliseconds a stage
const REST = 1000; // milliseconds at one place until the page hears of it

// A message with its numbers unpacked.
class Walk {
  constructor(message) {
    Object.assign(this, message);
    for (const name of ["scores", "weights", "chances", "probabilities"]) {
      this[name] = new Float32Array(message[name].slice().buffer);
    }
  }

  // One step's numbers.
  row(name, step) {
    const count = this[name].length / this.target.length;
    return this[name].subarray(step * count, (step + 1) * count);
  }
}

class Stepper {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.column = null; // the source piece under the pointer
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["written", "stages", "play", "where", "formula", "sentence"]) {
      this[name] = find(name);
    }
    for (const name of ["rail", "columns", "after", "scroll", "words"]) this[name] = find(name);
    this.slider = root.querySelector("input");
    this.stages.append(...STAGES.map((name, stage) => this.#tab(name, stage)));
    this.#listen(find);
    new ResizeObserver(() => this.walk && this.#fit()).observe(this.root);
    find("svg").onclick = () => saveSvg(stepFigure(this), this.fileName());
    find("png").onclick = () => savePng(stepFigure(this), this.fileName());
  }

  update(data, send) {
    const message = unpack(data);
    const [news, order] = [message.stamp !== this.stamp, this.choice.order];
    this.choice.follow(message, send);
    if (!news && order === this.choice.order) return;
    this.stamp = message.stamp;
    this.#halt();
    this.walk = new Walk(message);
    this.picture = new StepPicture(this.walk, getComputedStyle(this.root).fontFamily);
    this.slider.max = this.walk.target.length - 1;
    this.written.replaceChildren(...this.walk.target.map((piece, step) => this.#chip(piece, step)));
    this.root.querySelector(".ramp").style.background = this.picture.tiles.gradient();
    this.root.querySelector(".low").textContent = `≤ −${number(message.reach)}`;
    this.root.querySelector(".top").textContent = `≥ ${number(message.reach)}`;
    [this.step, this.stage] = this.choice.value ?? [0, 0];
    this.#fit();
  }

  #tab(name, stage) {
    const tab = element("li");
    const button = element("button", { type: "button", className: "stage" });
    button.append(element("b", { textContent: stage + 1 }), element("span", { textContent: name }));
    button.onclick = () => this.#byHand(this.step, stage);
    tab.append(button);
    return tab;
  }

  #chip(piece, step) {
    const chip = element("button", { type: "button", className: "chip", title: `step ${step}: ${piece}` });
    chip.append(element("span", { textContent: piece }), element("sub", { textContent: step }));
    chip.onclick = () => this.#byHand(step, this.stage);
    return chip;
  }

  #listen(find) {
    find("back").onclick = () => this.#byHand(...this.#beside(-1));
    find("on").onclick = () => this.#byHand(...this.#beside(1));
    this.play.onclick = () => this.#toggle();
    this.slider.oninput = () => this.#byHand(Number(this.slider.value), this.stage);
    this.root.onkeydown = (event) => this.#key(event);
    this.columns.onpointermove = (event) => this.#focus(this.#columnAt(event));
    this.columns.onpointerleave = () => this.#focus(null);
    const picture = find("picture");
    picture.onpointermove = (event) => this.#tellCell(event);
    picture.onpointerleave = () => this.#tellCell(null);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { step, stage } = this;
    const last = this.walk.target.length - 1;
    const own = event.target.closest("input, button");
    const moves = {
      ArrowRight: () => this.#byHand(...this.#beside(1)),
      ArrowLeft: () => this.#byHand(...this.#beside(-1)),
      ArrowDown: () => this.#byHand(Math.min(step + 1, last), stage),
      ArrowUp: () => this.#byHand(Math.max(step - 1, 0), stage),
      Home: () => this.#byHand(0, stage),
      End: () => this.#byHand(last, stage),
      " ": () => this.#toggle(),
    };
    if (!(event.key in moves) || own?.tagName === "INPUT" || (own && event.key === " ")) return;
    moves[event.key]();
    event.preventDefault();
    event.stopPropagation(); // the page has shortcuts of its own
  }

  // The stage before or after, over the steps; the ends stay.
  #beside(way) {
    const stages = STAGES.length;
    const place = this.step * stages + this.stage + way;
    const kept = clamp(place, 0, this.walk.target.length * stages - 1);
    return [Math.floor(kept / stages), kept % stages];
  }

  #byHand(step, stage) {
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
    if (String(this.#beside(1)) === String([this.step, this.stage])) this.show(0, 0);
    this.#go();
  }

  #go() {
    this.timer = setTimeout(() => {
      const next = this.#beside(1);
      const ended = String(next) === String([this.step, this.stage]);
      if (ended || !this.root.isConnected) this.#halt();
      else {
        this.show(...next);
        this.#go();
      }
    }, PACE);
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
    }, REST);
  }

  show(step, stage) {
    const forward = step === this.step && stage === this.stage + 1;
    Object.assign(this, { step, stage });
    this.#draw(forward || stage === 0);
    this.#mark();
    this.#say();
  }

  #fit() {
    const room = this.root.querySelector(".picture").clientWidth;
    if (!room) return;
    const plan = this.picture.arrange(room);
    const sizes = [
      [this.rail, plan.rail, plan.height],
      [this.columns, plan.width, plan.height],
      [this.after, room, plan.after],
    ];
    for (const [svg, width, height] of sizes) {
      for (const [name, value] of Object.entries({ width, height })) svg.setAttribute(name, value);
    }
    this.#draw(false);
    this.#mark();
    this.#say();
  }

  // `entered`: the stage is new, so what it computes comes in rather than stands there.
  #draw(entered) {
    const parts = this.picture.draw(this.step, this.stage);
    for (const [name, nodes] of Object.entries(parts)) {
      this[name].replaceChildren(...nodes);
      this[name].classList.toggle("enter", entered);
    }
    this.root.dataset.stage = this.stage;
  }

  // Chips, tabs and slider.
  #mark() {
    const { step, stage, walk } = this;
    [...this.stages.children].forEach((tab, index) => {
      tab.firstChild.setAttribute("aria-current", index === stage ? "step" : "false");
    });
    [...this.written.children].forEach((chip, index) => {
      chip.setAttribute("aria-current", index === step ? "step" : "false");
      chip.classList.toggle("ahead", index > step || (index === step && stage < STAGES.length - 1));
    });
    this.slider.value = step;
    this.where.textContent = `step ${step}`;
    const best = this.columns.querySelectorAll(".column")[indexOfMaximum(walk.row("weights", step))];
    const left = Number(best.getAttribute("x")) - this.picture.plan.column;
    const { clientWidth, scrollLeft } = this.scroll;
    if (left < scrollLeft || left + 3 * this.picture.plan.column > scrollLeft + clientWidth) {
      this.scroll.scrollTo({ left, behavior: calm() ? "auto" : "smooth" });
    }
  }

  // The formula with its numbers, for the piece under the pointer or the one looked at most.
  #say() {
    const { walk, step, stage } = this;
    const piece = this.column ?? indexOfMaximum(walk.row("weights", step));
    const [computed, general, here] = stageFormulas(walk, step, stage, piece);
    const parts = [general, here].map((text) => {
      const part = element("span");
      part.append(...mathNodes(text, computed));
      return part;
    });
    this.formula.replaceChildren(...parts);
    this.sentence.textContent = stageSentence(walk, step, stage);
    this.columns.querySelectorAll(".column").forEach((back, i) =>
      back.setAttribute("fill-opacity", i === this.column ? 0.06 : 0));
    if (!this.words.textContent) this.#tellCell(null);
  }

  #focus(column) {
    if (column === this.column) return;
    this.column = column;
    this.#say();
  }

  #columnAt({ clientX }) {
    const left = this.columns.getBoundingClientRect().left;
    const column = Math.floor((clientX - left) / this.picture.plan.column);
    return column >= 0 && column < this.walk.source.length ? column : null;
  }

  // The value of the cell under the pointer, beside the colour bar.
  #tellCell(event) {
    const tile = event?.target.closest("[data-block]");
    this.words.textContent = tile
      ? this.#cell(tile, event)
      : `one cell for each of ${this.walk.channels} numbers, one scale for all`;
  }

  #cell(tile, { clientX, clientY }) {
    const { channels, reach } = this.walk;
    const { lines } = this.picture.tiles;
    const box = tile.querySelector("rect").getBoundingClientRect();
    const at = (part, whole, count) => clamp(Math.floor((part / whole) * count), 0, count - 1);
    const channel = at(clientY - box.top, box.height, lines) * ACROSS + at(clientX - box.left, box.width, ACROSS);
    if (channel >= channels) return "";
    const { block, index, name } = tile.dataset;
    const share = (this.walk[block][index * channels + channel] - 128) / 127;
    const beyond = Math.abs(share) === 1 ? (share > 0 ? "≥ " : "≤ ") : "";
    return `${name}, number ${channel}: ${beyond}${fixed(share * reach, 2)}`;
  }

  fileName() {
    return `${this.walk.name}-${this.step}-${STAGES[this.stage]}`;
  }
}

// Whether the visitor asked for less movement.
function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".stepper");
  root.stepper ??= new Stepper(root);
  root.stepper.update(data, setStateValue);
}
