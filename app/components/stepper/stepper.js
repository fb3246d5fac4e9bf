// The player of a translation: what is under the pointer, and how the picture fits.

const EXACT = ["scores", "weights", "chances", "probabilities"];

class Stepper extends Player {
  constructor(root) {
    super(root, STAGES);
    this.column = null; // the source piece under the pointer
    for (const name of ["rail", "columns", "after", "scroll"]) this[name] = root.querySelector(`.${name}`);
    this.columns.onpointermove = (event) => this.#focus(this.#columnAt(event));
    this.columns.onpointerleave = () => this.#focus(null);
    this.picture.onpointermove = (event) => this.#tellCell(event);
    this.picture.onpointerleave = () => this.#tellCell(null);
  }

  walked(message) {
    const walk = new Walk(message, EXACT);
    this.drawing = new StepPicture(walk, getComputedStyle(this.root).fontFamily);
    this.root.querySelector(".ramp").style.background = this.drawing.tiles.gradient();
    this.root.querySelector(".low").textContent = `≤ −${number(message.reach)}`;
    this.root.querySelector(".top").textContent = `≥ ${number(message.reach)}`;
    return walk;
  }

  arrange(room) {
    const plan = this.drawing.arrange(room);
    const sizes = [
      [this.rail, plan.rail, plan.height],
      [this.columns, plan.width, plan.height],
      [this.after, room, plan.after],
    ];
    for (const [svg, width, height] of sizes) {
      for (const [name, value] of Object.entries({ width, height })) svg.setAttribute(name, value);
    }
  }

  // `entered`: the stage is new, so what it computes comes in rather than stands there.
  paint(entered) {
    const parts = this.drawing.draw(this.step, this.stage);
    for (const [name, nodes] of Object.entries(parts)) {
      this[name].replaceChildren(...nodes);
      this[name].classList.toggle("enter", entered);
    }
  }

  mark() {
    super.mark();
    const best = this.columns.querySelectorAll(".column")[this.#most()];
    const left = Number(best.getAttribute("x")) - this.drawing.plan.column;
    const { clientWidth, scrollLeft } = this.scroll;
    if (left < scrollLeft || left + 3 * this.drawing.plan.column > scrollLeft + clientWidth) {
      this.scroll.scrollTo({ left, behavior: calm() ? "auto" : "smooth" });
    }
  }

  // The piece that is looked at most.
  #most() {
    return indexOfMaximum(this.walk.row("weights", this.step));
  }

  // The formula with its numbers, for the piece under the pointer or the one looked at most.
  say() {
    const { walk, step, stage } = this;
    const piece = this.column ?? this.#most();
    this.write(stageFormulas(walk, step, stage, piece), stageSentence(walk, step, stage));
    this.columns.querySelectorAll(".column").forEach((back, i) =>
      back.setAttribute("fill-opacity", i === this.column ? 0.06 : 0));
    if (!this.words.textContent) this.#tellCell(null);
  }

  #focus(column) {
    if (column === this.column) return;
    this.column = column;
    this.say();
  }

  #columnAt({ clientX }) {
    const left = this.columns.getBoundingClientRect().left;
    const column = Math.floor((clientX - left) / this.drawing.plan.column);
    return column >= 0 && column < this.walk.source.length ? column : null;
  }

  // The value of the cell under the pointer, beside the colour bar.
  #tellCell(event) {
    const tile = event?.target.closest("[data-block]");
    this.words.textContent = tile
      ? this.#cell(tile, event)
      : `one cell for each of ${this.walk.channels} numbers, one scale for all`;
  }

  #cell(tile, event) {
    const { tiles } = this.drawing;
    const channel = tiles.channelAt(tile.querySelector("rect").getBoundingClientRect(), event);
    if (channel === null) return "";
    const { block, index, name } = tile.dataset;
    return `${name}, number ${channel}: ${tiles.says(this.walk[block], index, channel)}`;
  }

  figure() {
    return stepFigure(this);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".stepper");
  root.stepper ??= new Stepper(root);
  root.stepper.update(data, setStateValue);
}
