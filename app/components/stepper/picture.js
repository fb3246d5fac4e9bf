// One step as three drawings that share their rows: the decoder at the left (rail), the source
// pieces (columns, which may scroll), and what comes of both (after). All in CSS pixels.

const SHOWN = 5; // candidates
// What each stage works with; the rest steps back.
const LIT = [
  ["states", "scores"],
  ["scores", "softmax"],
  ["states", "softmax", "context"],
  ["context", "concatenation"],
  ["concatenation", "prediction"],
];

class StepPicture extends Sheet {
  constructor(walk, font) {
    super(font);
    this.walk = walk;
    this.tiles = new Tiles(walk);
  }

  // Sizes from the room there is; `whole` for print, where nothing scrolls.
  arrange(room, whole = false) {
    const small = room < 600 && !whole;
    const cell = clamp(Math.floor((small ? 72 : 96) / this.tiles.lines), 3, small ? 5 : 6);
    const [wide, high] = [this.tiles.across * cell, this.tiles.lines * cell];
    const names = small ? 66 : 140;
    const rail = names + wide + (small ? 18 : 44);
    const pieces = this.walk.source.length;
    const column = clamp(Math.floor((room - rail) / pieces), small ? 46 : 54, 112);
    const rows = { head: 0, states: 46, scores: 60 + high };
    rows.softmax = rows.scores + 76;
    rows.context = rows.softmax + 78;
    const height = rows.context + high + 14;
    const after = small ? high + 186 : Math.max(high, 20 + 24 * SHOWN) + 30;
    this.plan = { room, small, wide, high, names, rail, column, rows, height, after };
    this.plan.width = column * pieces;
    return this.plan;
  }

  // The nodes of the three drawings.
  draw(step, stage) {
    Object.assign(this, { step, stage });
    return { rail: this.#rail(), columns: this.#columns(), after: this.#after() };
  }

  // A part of the picture, faint when the stage is about something else; before its own stage there
  // is only its name.
  #row(name, y, nodes) {
    const ahead = STAGES.indexOf(name) > this.stage;
    const shown = nodes.filter((node) => node && (!ahead || node.dataset.name === "row"));
    const opacity = name === "head" || LIT[this.stage].includes(name) ? 1 : 0.66;
    const group = svgElement("g", { class: `row ${name}`, opacity, transform: `translate(0 ${y})` });
    group.append(...shown);
    return group;
  }

  // The name of a row, and the letter of what it holds.
  #name(stage, letter) {
    const { small, names } = this.plan;
    const tone = stage === this.stage ? { class: "accent" } : {};
    const name = this.text(`${stage + 1} ${(small ? SHORT : STAGES)[stage]}`, 0, 14, {
      anchor: "start", size: small ? 12 : 15, room: names - 4, "data-name": "row",
      "font-weight": stage === this.stage ? 600 : 400, ...tone,
    });
    return [name, this.symbol(letter, "", 0, 36, { anchor: "start", size: 17, ...tone })];
  }

  // A state's tile, its top at y and its middle at x.
  #tile(block, index, x, y, name, rest = {}) {
    const { wide: width, high: height } = this.plan;
    const box = { x: x - width / 2, y, width, height };
    return this.tile(this.tiles.address(this.walk[block], index), box, { block, index, name }, rest);
  }

  #rail() {
    const { step, walk, plan } = this;
    const { rows, rail, names, high } = plan;
    const x = names + (rail - names) / 2 - (plan.small ? 4 : 8);
    const read = step ? walk.target[step - 1] : "<s>";
    const sum = walk.row("weights", step).reduce((total, value) => total + value, 0);
    return [
      this.#row("head", rows.head, [
        this.text(plan.small ? "reads" : "decoder reads", 0, 16, { anchor: "start", size: plan.small ? 11 : 13, class: "quiet", room: names - 6 }),
        this.text(read, x, 16, { size: 15, room: rail - names - 4, title: `the decoder has just read ${read}` }),
        this.symbol("s", step, x, 36),
      ]),
      this.#row("states", rows.states, [
        this.text("states", 0, 14, { anchor: "start", size: plan.small ? 12 : 15 }),
        this.#tile("states", step, x, 0, `s_${step}, the decoder’s state`),
        svgElement("path", { d: `M${rail - 3} 0v${high}`, stroke: "currentColor", "stroke-opacity": 0.25 }),
      ]),
      this.#row("scores", rows.scores, this.#name(0, "e")),
      this.#row("softmax", rows.softmax, [
        ...this.#name(1, "α"),
        this.text(`Σ ${decimals(sum, 3)}`, x, 66, { size: 13, title: `the weights sum to ${sum.toPrecision(7)}` }),
      ]),
      this.#row("context", rows.context, [
        ...this.#name(2, "c"),
        this.#tile("contexts", step, x, 0, `c_${step}, the context`, { class: "late" }),
        this.text("=", rail - 6, high / 2 + 5, { size: 16 }),
      ]),
    ].filter(Boolean);
  }

  #columns() {
    const { walk, step, plan } = this;
    const { rows, column, height } = plan;
    const places = walk.source.map((_, i) => (i + 0.5) * column);
    const back = places.map((x, i) => svgElement("rect", {
      class: "column", "data-column": i, x: x - column / 2, width: column, height, fill: "currentColor", "fill-opacity": 0,
    }));
    return [
      ...back,
      this.#row("head", rows.head, places.flatMap((x, i) => this.#heading(x, i))),
      this.#row("states", rows.states, places.map((x, i) =>
        this.#tile("encoder", i, x, 0, `h_${i}, the encoder’s state at ${walk.source[i]}`))),
      this.#row("scores", rows.scores, this.#scores(places)),
      this.#row("softmax", rows.softmax, this.#weights(places)),
      this.#row("context", rows.context, this.#contributions(places)),
    ].filter(Boolean);
  }

  #heading(x, i) {
    const { walk, plan } = this;
    const unknown = walk.unknown.includes(i);
    const title = unknown ? `${walk.source[i]}: never shown to this model` : walk.source[i];
    const mark = unknown ? { "text-decoration": "underline dotted" } : {};
    return [
      this.text(walk.source[i], x, 16, { size: 15, room: plan.column - 6, title, ...mark }),
      this.symbol("h", i, x, 36),
    ];
  }

  // Bars around a common zero, and their numbers.
  #scores(places) {
    const scores = this.walk.row("scores", this.step);
    const low = Math.min(0, ...scores);
    const unit = 42 / (Math.max(0, ...scores) - low || 1);
    const zero = 42 + low * unit;
    const bars = places.map((x, i) =>
      this.#bar(0, x, Math.min(zero, zero - scores[i] * unit), Math.abs(scores[i]) * unit));
    const line = svgElement("path", { d: `M0 ${zero}H${this.plan.width}`, stroke: "currentColor", "stroke-opacity": 0.3 });
    return [...bars, line, ...places.map((x, i) =>
      this.text(decimals(scores[i], 2), x, 62, { size: 13, title: `e_${i} = ${scores[i].toPrecision(7)}` }))];
  }

  #weights(places) {
    const weights = this.walk.row("weights", this.step);
    return places.flatMap((x, i) => [
      this.#bar(1, x, 44 * (1 - weights[i]), 44 * weights[i]),
      this.text(decimals(weights[i], 3), x, 66, { size: 13, title: `α_${i} = ${weights[i].toPrecision(7)}` }),
    ]);
  }

  #bar(stage, x, y, height) {
    const width = Math.min(28, 0.5 * this.plan.column);
    const now = stage === this.stage;
    return svgElement("rect", {
      class: now ? "bar grow accent" : "bar", x: x - width / 2, y, width, height: Math.max(height, 0.5),
      fill: "currentColor", "fill-opacity": now ? 1 : 0.55,
    });
  }

  // Each encoder state times its weight; while the stage begins they leave for the context.
  #contributions(places) {
    const { walk, plan, step } = this;
    const weights = walk.row("weights", step);
    const middle = plan.high / 2 + 5;
    return places.flatMap((x, i) => [
      i > 0 && this.text("+", x - plan.column / 2, middle, { size: 14, class: "quiet" }),
      this.#tile("encoder", i, x, 0, `${weights[i].toPrecision(4)} · h_${i}`,
        { class: "fade", opacity: weights[i], style: `image-rendering: pixelated; --weight: ${weights[i]}` }),
      weights[i] > 0.005 && this.#tile("encoder", i, x, 0, "",
        { class: "flow", opacity: 0, style: `image-rendering: pixelated; --weight: ${weights[i]}; --way: ${-x - plan.wide}px` }),
    ]);
  }

  #after() {
    const { plan, step } = this;
    const { small, names, wide, high } = plan;
    const first = names + wide / 2 + 4;
    const [second, third] = [first + wide + 1, first + 2 * wide + (small ? 74 : 104)];
    const arrow = [second + wide / 2 + 8, third - wide / 2 - 8];
    const [left, top] = small ? [names, high + 34] : [third + wide / 2 + 76, 0];
    return [
      this.#row("concatenation", 6, [
        ...this.#name(3, "s̃"),
        this.#tile("contexts", step, first, 0, `c_${step}, the context`, { class: "from-left" }),
        this.#tile("states", step, second, 0, `s_${step}, the decoder’s state`, { class: "from-right" }),
        this.symbol("c", step, first, high + 16),
        this.symbol("s", step, second, high + 16),
        this.arrow(...arrow, high / 2),
        this.text("tanh W", (arrow[0] + arrow[1]) / 2 - 4, high / 2 - 7, { size: 13, "font-style": "italic", "font-family": "serif" }),
        this.#tile("outputs", step, third, 0, `s̃_${step}, the attentional state`, { class: "late" }),
        this.symbol("s̃", step, third, high + 16),
      ]),
      this.#row("prediction", 6 + top, [
        ...(small ? this.#name(4, "p") : this.#predictionName(left)),
        small ? null : this.arrow(third + wide / 2 + 12, left - 24, high / 2),
        ...this.#candidates(left, small ? 0 : 22),
      ]),
    ].filter(Boolean);
  }

  #predictionName(left) {
    const [name] = this.#name(4, "p");
    name.setAttribute("x", left);
    return [name];
  }

  #candidates(left, top) {
    const { walk, step, plan } = this;
    const label = plan.small ? 84 : 130;
    const bar = clamp(plan.room - left - label - (plan.small ? 158 : 190), 24, 200);
    const then = step === walk.target.length - 1 ? "the end" : "next input";
    return this.candidates(walk, step, { left, top, label, bar, most: SHOWN, then });
  }
}
