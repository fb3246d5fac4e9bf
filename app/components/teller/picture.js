// One word as one drawing: maps of the picture's cells, vectors, gate and candidates.

// What each stage works with; the rest steps back.
const LIT = {
  grid: ["grid"],
  average: ["grid", "average"],
  state: ["state"],
  score: ["grid", "state", "score"],
  softmax: ["score", "softmax"],
  context: ["grid", "softmax", "context"],
  gate: ["state", "context", "gate"],
  word: ["state", "gate", "word"],
};

class TellPicture extends Sheet {
  // address: of the picture.
  constructor(walk, font, address) {
    super(font);
    Object.assign(this, { walk, address });
    const { channels, reach, signs } = walk;
    const tiles = (kind) => new Tiles({ channels: channels[kind], reach: reach[kind], signs, across: ACROSS });
    this.tiles = { cells: tiles("cells"), states: tiles("states") };
    this.cells = new Cells(walk);
    this.photos = {}; // kept, since a new one would have to load first
    this.outlines = {};
    this.topWeight = walk.weights.reduce((most, weight) => Math.max(most, weight), 0);
  }

  arrange(room, whole = false) {
    const { cells, states } = this.tiles;
    const lines = { cells: cells.lines, states: states.lines };
    const { height, width, hard } = this.walk;
    this.plan = tellPlan(room, { lines, aspect: height / width, hard }, whole);
    return this.plan;
  }

  draw(step, stage) {
    Object.assign(this, { step, stage, outlines: {} });
    const parts = {
      grid: () => this.#grid(),
      average: () => this.#average(),
      state: () => this.#state(),
      score: () => this.#score(),
      softmax: () => this.#softmax(),
      context: () => this.#context(),
      gate: () => this.#gate(),
      word: () => this.#word(),
    };
    return [...this.#arrows(), ...STAGES.map((name) => this.#block(name, parts[name]))];
  }

  // A stage at its place: its pictures faint while the words are about another one, only its name and
  // where they will be before its turn.
  #block(name, inside) {
    const number = STAGES.indexOf(name);
    const { x, y, width } = this.plan.stages[name];
    const now = number === this.stage;
    const title = this.text(`${number + 1} ${name}`, 0, 14, {
      anchor: "start", size: this.plan.small ? 13 : 15, room: width, "font-weight": now ? 600 : 400,
      "data-go": number, class: now ? "accent" : "quiet",
    });
    const group = svgElement("g", { class: `block ${name}`, transform: `translate(${x} ${y})` });
    group.append(title);
    if (number <= this.stage) {
      const part = svgElement("g", { class: now ? "enter" : "" });
      part.append(...inside().filter(Boolean));
      for (const node of part.children) if (node.tagName !== "text") node.setAttribute("opacity", this.#strength(name));
      group.append(part);
    } else group.append(...this.#empty(name));
    return group;
  }

  // Where something will be.
  #empty(name) {
    const { cell, state, stages, term, terms } = this.plan;
    const { width, height } = stages[name];
    const end = terms * term + (this.walk.hard ? 14 : 34);
    const boxes = {
      score: [[0, TITLE, width, height - TITLE - LEGEND]],
      average: [[0, TITLE, cell.width, cell.height]],
      state: [[0, TITLE, state.width, state.height]],
      context: [...Array.from({ length: terms }, (_, i) => i * term), end].map((x) => [x, TERMS_TOP, cell.width, cell.height]),
      gate: [[0, TERMS_TOP + cell.height / 2 - 7, 96, 14], [GATED, TERMS_TOP, cell.width, cell.height]],
      word: [[0, TERMS_TOP, state.width, state.height]],
    };
    return (boxes[name] ?? boxes.score).map(([x, y, width, height]) => svgElement("rect", {
      x, y, width, height, fill: "none", stroke: "currentColor", "stroke-opacity": 0.25, "stroke-dasharray": "2 3",
    }));
  }

  // The average counts for the first state alone.
  #strength(name) {
    if (LIT[STAGES[this.stage]].includes(name)) return 1;
    if (name === "average") return this.step === 0 && this.stage === 2 ? 1 : this.step ? 0.4 : 0.66;
    return 0.66;
  }

  #vector(block, index, x, y, name, rest = {}) {
    const kind = block === "states" ? "states" : "cells";
    const { cell, state } = this.plan;
    const box = { x, y, ...(kind === "states" ? state : cell) };
    return this.tile(this.tiles[kind].address(this.walk[block], index), box, { block, index, kind, name }, rest);
  }

  // The picture with its cells: `photo` and `cover` are how much is seen of each.
  #panel(name, colour, { photo, cover, inset }) {
    const { width, height } = this.cells;
    const group = svgElement("g", {
      "data-panel": name, transform: `translate(0 ${TITLE}) scale(${this.plan.stages[name].width / width})`,
    });
    if (photo) {
      this.photos[name] ??= svgElement("image", { href: this.address, width, height, preserveAspectRatio: "none" });
      this.photos[name].setAttribute("opacity", photo);
      group.append(this.photos[name]);
    }
    this.outlines[name] = { best: outline("target"), hover: outline("hover") };
    group.append(
      this.cells.rectangles(colour, cover, inset),
      svgElement("rect", { class: "frame", width, height, "pointer-events": "all" }),
      ...Object.values(this.outlines[name]),
    );
    return group;
  }

  #grid() {
    const { grid, stride } = this.walk;
    const inset = 0.06 * Math.min(...stride);
    return [this.#panel("grid", (cell) => cssColour(grid, cell), { photo: 1, cover: 0.62, inset })];
  }

  #average() {
    const { cell } = this.plan;
    return [
      this.#vector("mean", 0, 0, TITLE, "ā, the average", { class: "from-left" }),
      this.symbol("ā", "", cell.width + 11, TITLE + cell.height / 2 + 5),
      this.step && this.text("before word 1", 0, TITLE + cell.height + 18, { anchor: "start", size: 12, class: "quiet" }),
    ];
  }

  #state() {
    const { step, walk, plan } = this;
    const { state, side, stages } = plan;
    const came = step ? { class: "arrive", style: this.#way("word", "state") } : { class: "late" };
    const after = step ? `after “${walk.target[step - 1]}”` : "from ā";
    return [
      this.#vector("states", step, 0, TITLE, `h_${step}, the state`, { ...came, style: `image-rendering: pixelated; ${came.style ?? ""}` }),
      this.symbol("h", step, state.width / 2, TITLE + state.height + 16),
      this.text(after, 0, TITLE + state.height + 36, { anchor: "start", size: 12, class: "quiet", room: side, title: after }),
    ];
  }

  // How far a stage lies from another, for what comes from there.
  #way(from, to) {
    const { stages } = this.plan;
    return `--x: ${stages[from].x - stages[to].x}px; --y: ${stages[from].y - stages[to].y}px`;
  }

  #score() {
    const { walk, step } = this;
    const scores = walk.row("scores", step);
    const [low, high] = [Math.min(...scores), Math.max(...scores)];
    const colour = (cell) => cssColour(walk.colours, Math.round((255 * (scores[cell] - low)) / (high - low || 1)));
    return [
      this.#panel("score", colour, { photo: 0, cover: 1 }),
      ...this.#legend("score", decimals(low, 2), decimals(high, 2), "e"),
    ];
  }

  #softmax() {
    const { walk, step, topWeight } = this;
    const weights = walk.row("weights", step);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    const colour = (cell) => cssColour(walk.colours, Math.round((255 * weights[cell]) / topWeight));
    return [
      this.#panel("softmax", colour, { photo: 1, cover: 0.72 }),
      ...this.#legend("softmax", "0", number(topWeight), `Σ α = ${decimals(sum, 3)}`, `the weights sum to ${sum.toPrecision(7)}`),
    ];
  }

  // A colour bar under a map, with its ends.
  #legend(name, low, high, words, title) {
    const { width, height } = this.plan.stages[name];
    const [steps, long] = [16, Math.min(90, width - 110)];
    const [top, left] = [height - LEGEND + 12, this.pen.width(low, 12) + 6];
    const ramp = svgElement("g");
    ramp.append(...Array.from({ length: steps }, (_, i) => svgElement("rect", {
      x: left + (i * long) / steps, y: top, width: long / steps + 0.5, height: 8,
      fill: cssColour(this.walk.colours, Math.round((255 * i) / (steps - 1))),
    })));
    return [
      this.text(low, 0, top + 9, { anchor: "start", size: 12 }),
      ramp,
      this.text(high, left + long + 6, top + 9, { anchor: "start", size: 12 }),
      this.text(words, width, top + 9, { anchor: "end", size: 12, title, class: "sum" }),
    ];
  }

  // The heaviest cells times their weights, coming from their places on the map.
  #context() {
    const { walk, plan, step, cells } = this;
    const { cell, term, terms } = plan;
    const weights = walk.row("weights", step);
    const middle = TERMS_TOP + cell.height / 2 + 5;
    const shown = heaviest(walk, step).slice(0, terms);
    const nodes = shown.flatMap((index, place) => {
      const x = place * term;
      return [
        place > 0 && this.text("+", x - 11, middle, { size: 15, class: "quiet" }),
        this.text(walk.hard ? "1 ×" : `${decimals(weights[index], 3)} ×`, x + cell.width / 2, TERMS_TOP - 6, { size: 13 }),
        this.#vector("annotations", index, x, TERMS_TOP, `a_${cells.name(index)}`,
          { class: "arrive", style: `image-rendering: pixelated; ${this.#fromCell(index, x)}` }),
        this.symbol("a", cells.name(index), x + cell.width / 2, TERMS_TOP + cell.height + 16),
      ];
    });
    const end = shown.length * term + (walk.hard ? 14 : 34);
    return [
      ...nodes,
      this.text(walk.hard ? "=" : "+ … =", end - (walk.hard ? 18 : 28), middle, { size: 15, class: "quiet" }),
      this.#vector("averages", step, end, TERMS_TOP, "c, what is seen", { class: "late" }),
      this.symbol("c", "", end + cell.width / 2, TERMS_TOP + cell.height + 16),
    ];
  }

  #fromCell(index, x) {
    const { stages } = this.plan;
    const zoom = stages.softmax.width / this.cells.width;
    const [top, left] = this.cells.box(index);
    const right = stages.softmax.x + left * zoom - stages.context.x - x;
    const down = stages.softmax.y + TITLE + top * zoom - stages.context.y - TERMS_TOP;
    return `--x: ${right}px; --y: ${down}px; --scale: 0.2`;
  }

  #gate() {
    const { walk, plan, step } = this;
    const { cell } = plan;
    const gate = walk.gates[step];
    const middle = TERMS_TOP + cell.height / 2;
    const bar = { x: 0, y: middle - 7, height: 14 };
    return [
      this.text(`β = ${decimals(gate, 3)}`, 0, middle - 16, { anchor: "start", size: 15, title: `β = ${gate.toPrecision(7)}` }),
      svgElement("rect", { ...bar, width: 96, fill: "none", stroke: "currentColor", "stroke-opacity": 0.4 }),
      svgElement("rect", { ...bar, class: "bar stretch accent", width: 96 * gate, fill: "currentColor" }),
      this.text("0", 0, middle + 22, { anchor: "start", size: 12, class: "quiet" }),
      this.text("1", 96, middle + 22, { anchor: "end", size: 12, class: "quiet" }),
      this.text("× c =", 121, middle + 5, { size: 14 }),
      this.#vector("contexts", step, GATED, TERMS_TOP, `z_${step + 1}, what is let in`, { class: "late" }),
      this.symbol("z", step + 1, GATED + cell.width / 2, TERMS_TOP + cell.height + 16),
    ];
  }

  #word() {
    const { walk, plan, step } = this;
    const { state, small } = plan;
    const { width } = plan.stages.word;
    const left = state.width + 14;
    const longest = Math.max(...walk.candidates[step].slice(0, SHOWN).map((word) => this.pen.width(word, 15)));
    const label = clamp(Math.ceil(1.1 * longest), 40, small ? 92 : Math.min(150, Math.floor(0.3 * width)));
    const bar = clamp(width - left - label - 74, 24, 200);
    return [
      this.text("LSTM", state.width / 2, TERMS_TOP - 6, { size: 12, class: "quiet" }),
      this.#vector("states", step + 1, 0, TERMS_TOP, `h_${step + 1}, the next state`, { class: "from-left" }),
      this.symbol("h", step + 1, state.width / 2, TERMS_TOP + state.height + 16),
      ...this.candidates(walk, step, { left, top: TITLE, label, bar, most: SHOWN }),
    ];
  }

  // From stage to stage; what does not count now is left out.
  #arrows() {
    const { stages, cell, state, small } = this.plan;
    const { grid, average, score, softmax, context, gate, word } = stages;
    const level = (from, to, y, number) => this.#lead(`M${from.x + from.width + 6} ${y}H${to.x - 6}`, number);
    const down = (x, from, to, number) => this.#lead(`M${x} ${from}V${to}`, number);
    const turn = (x, y, to, number) => this.#lead(`M${x} ${y}V${to.y - 16}H${to.x + cell.width / 2}V${to.y - 2}`, number);
    const tiles = TERMS_TOP + cell.height / 2;
    const maps = score.y + TITLE + (score.height - TITLE - LEGEND) / 2;
    const first = this.step === 0;
    return [
      first && level({ x: grid.x, width: grid.width }, average, TITLE + cell.height / 2, 1),
      first && down(average.x + cell.width / 2, TITLE + cell.height + 5, stages.state.y - 2, 2),
      small ? null : level({ x: stages.state.x, width: cell.width }, score, stages.state.y + TITLE + state.height / 2, 3),
      level(score, softmax, maps, 4),
      turn(softmax.x + softmax.width / 2, softmax.y + softmax.height - 6, context, 5),
      small ? turn(context.x + context.width - cell.width / 2, context.y + context.height, gate, 6) : level(context, gate, gate.y + tiles, 6),
      word.y > gate.y ? turn(gate.x + GATED + cell.width / 2, gate.y + gate.height, word, 7) : level(gate, word, gate.y + tiles, 7),
    ].filter(Boolean);
  }

  // A line that leads to a stage, its head at the end; faint before that stage.
  #lead(path, number) {
    const downwards = path.lastIndexOf("V") > path.lastIndexOf("H");
    const head = downwards ? "m-4-6 4 6 4-6" : "m-6-4 6 4-6 4";
    return svgElement("path", {
      d: path + head, fill: "none", stroke: "currentColor", "stroke-width": 1.25,
      "stroke-opacity": number === this.stage ? 1 : number < this.stage ? 0.5 : 0.15,
      class: number === this.stage ? "accent" : "",
    });
  }

  // Outlines cells on all maps: the one that the formula is about, and those pointed at.
  outline(best, hovered) {
    const path = (cells) => cells.map((cell) => boxPath(this.cells.box(cell))).join("");
    for (const { best: dashed, hover } of Object.values(this.outlines)) {
      drawOutline(dashed, best === null ? "" : path([best]));
      drawOutline(hover, path(hovered));
    }
  }
}
