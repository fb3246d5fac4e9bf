// The player of a caption: what is under the pointer, and how the picture fits.

const EXACT = ["scores", "weights", "gates", "chances", "probabilities"];
const ONCE = 2; // stages that come before the first word alone

class Teller extends Player {
  constructor(root) {
    super(root, STAGES);
    this.cell = null; // under the pointer, or walked to
    this.board = root.querySelector(".board");
    this.anchor = root.querySelector(".anchor");
    const { board } = this;
    board.onpointermove = board.onpointerdown = (event) => this.#point(event);
    board.onpointerleave = (event) => event.pointerType === "mouse" && this.#point(null);
    board.onclick = ({ target }) => {
      const title = target.closest("[data-go]");
      if (title) this.byHand(this.step, Number(title.dataset.go));
    };
  }

  walked(message) {
    const walk = new Walk(message, EXACT);
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = URL.createObjectURL(new Blob([message.picture], { type: message.kind }));
    this.drawing = new TellPicture(walk, getComputedStyle(this.root).fontFamily, this.address);
    this.cell = null;
    const { cells, states } = walk.reach;
    this.root.querySelector(".ramp").style.background = this.drawing.tiles.cells.gradient();
    this.root.querySelector(".low").textContent = `h ≤ −${number(states)}, a ≤ −${number(cells)}`;
    this.root.querySelector(".top").textContent = `h ≥ ${number(states)}, a ≥ ${number(cells)}`;
    return walk;
  }

  stepName(step) {
    return `word ${step + 1} of ${this.walk.target.length}`;
  }

  stepNumber(step) {
    return step + 1;
  }

  // The grid and its average are made once: later words begin with the state.
  beside(way) {
    const { step, stage } = this;
    if (way > 0 && stage === STAGES.length - 1 && step < this.walk.target.length - 1) return [step + 1, ONCE];
    if (way < 0 && step > 0 && stage === ONCE) return [step - 1, STAGES.length - 1];
    return super.beside(way);
  }

  typed({ key, shiftKey, target }) {
    if (key === "Escape" && this.cell !== null) this.#focus(null);
    else if (shiftKey && key in ARROWS && target.tagName !== "INPUT") {
      const { cells } = this.drawing;
      this.#focus(this.cell === null ? this.#about() : cells.beside(this.cell, ...ARROWS[key]));
    } else return false;
    return true;
  }

  arrange(room) {
    const { height } = this.drawing.arrange(room);
    this.board.setAttribute("width", room);
    this.board.setAttribute("height", height);
  }

  paint(entered) {
    this.board.replaceChildren(...this.drawing.draw(this.step, this.stage));
    if (!entered) this.board.querySelectorAll(".enter").forEach((part) => part.classList.remove("enter"));
  }

  show(step, stage) {
    super.show(step, stage);
    if (this.drawing.plan.small) this.#bringIntoView(this.drawing.plan.stages[STAGES[stage]]);
  }

  // On a phone the drawing is longer than the screen. Who looks elsewhere meanwhile stays there.
  #bringIntoView({ y, height }) {
    const { top, bottom } = this.root.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) return;
    Object.assign(this.anchor.style, { top: `${y}px`, height: `${height}px` });
    this.anchor.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
  }

  // The cell that the formula is about.
  #about() {
    if (this.cell !== null) return this.cell;
    const { rows, cols } = this.walk;
    const middle = Math.floor(rows / 2) * cols + Math.floor(cols / 2);
    return this.stage <= ONCE ? middle : indexOfMaximum(this.walk.row("weights", this.step));
  }

  say() {
    const { drawing, step, stage } = this;
    this.write(tellFormulas(drawing, step, stage, this.#about()), tellSentence(drawing, step, stage));
    this.#tell();
  }

  #focus(cell) {
    this.cell = cell;
    this.say();
  }

  #point(event) {
    const tile = event?.target.closest("[data-block]");
    const cell = this.#cellAt(event);
    if (cell !== this.cell) this.#focus(cell);
    if (tile) this.#tellNumber(tile, event);
    else this.#tell();
  }

  #cellAt(event) {
    const frame = event?.target.closest("[data-panel]")?.querySelector(".frame");
    if (!frame) return null;
    const box = frame.getBoundingClientRect();
    return this.drawing.cells.at((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }

  // Marks the cell, and says its numbers beside the colour bar.
  #tell() {
    const { cell, stage, drawing } = this;
    const asked = stage === 0 || stage > ONCE; // whether the formula is about a cell
    const best = asked && cell === null ? this.#about() : null;
    drawing.outline(best, cell === null ? [] : [cell]);
    this.words.textContent = cell === null
      ? "one square for each number of a vector: h of states, a of cells, ā, c and z"
      : this.#cellWords(cell);
  }

  #cellWords(cell) {
    const { walk, step, stage, drawing } = this;
    const [top, left, bottom, right] = drawing.cells.box(cell);
    const score = stage > ONCE ? `, score ${decimals(walk.row("scores", step)[cell], 3)}` : "";
    const weight = stage > ONCE + 1 ? `, weight ${digits(walk.row("weights", step)[cell])}` : "";
    const seen = score ? "" : `, pixels ${left}–${right} across and ${top}–${bottom} down`;
    return `cell ${drawing.cells.name(cell)}${score}${weight}${seen}`.replace("·10^{", " × 10^").replace("}", "");
  }

  // One number of a vector, and the cells that most of it comes from.
  #tellNumber(tile, event) {
    const { block, index, kind, name } = tile.dataset;
    const tiles = this.drawing.tiles[kind];
    const channel = tiles.channelAt(tile.querySelector("rect").getBoundingClientRect(), event);
    if (channel === null) return;
    const from = ["averages", "contexts"].includes(block) ? this.#sources(channel) : [];
    this.drawing.outline(null, from.map(([cell]) => cell));
    const most = from.map(([cell, share]) => `${this.drawing.cells.name(cell)} (${decimals(share, 2)})`);
    this.words.textContent = `${name}, number ${channel}: ${tiles.says(this.walk[block], index, channel)}` +
      (most.length ? `; most of c’s from ${most.join(", ")}` : "");
  }

  #sources(channel) {
    const { walk, step, drawing } = this;
    const weights = walk.row("weights", step);
    const looked = walk.hard ? [indexOfMaximum(weights)] : [...weights.keys()];
    return looked
      .map((cell) => [cell, (walk.hard ? 1 : weights[cell]) * drawing.tiles.cells.value(walk.annotations, cell, channel)])
      .filter(([, share]) => Math.abs(share) > 1e-4)
      .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
      .slice(0, 3);
  }

  figure() {
    return tellFigure(this);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".teller");
  root.teller ??= new Teller(root);
  root.teller.update(data, setStateValue);
}
