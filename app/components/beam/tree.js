// The tree as a drawing: a column a step, a row a rank, edges from parents. CSS pixels.

const EDGE = 22; // between columns
const CARD = 40; // height of a node
const GAP = 12; // between rows
const LEFT = 34; // ranks
const TOP = 26; // steps

class Tree {
  // `room`: as wide as the tree would like to be, if its longest pieces may be cut for it.
  constructor({ steps, best, given }, pen, room = Infinity) {
    Object.assign(this, { steps, given, pen });
    const longest = Math.max(...steps.flat().map(([piece]) => pen.width(piece, 15))) + 16;
    const share = Math.floor((room - LEFT) / steps.length) - EDGE;
    const width = clamp(Math.ceil(longest), 60, 132);
    this.card = { width: Math.min(width, Math.max(share, 76)), height: CARD };
    this.best = this.way(best);
    this.kept = this.#kept();
    this.ranks = Math.max(...steps.map((nodes) => nodes.length));
    this.width = LEFT + steps.length * (this.card.width + EDGE) + 6;
    this.height = TOP + this.ranks * (CARD + GAP);
  }

  node([step, rank]) {
    const [piece, spaced, parent, logProbability, ended] = this.steps[step][rank];
    return { piece, spaced, parent, logProbability, ended };
  }

  // The places from the first step to a node, as keys.
  way(place) {
    const way = [];
    for (let [step, rank] = place; step >= 0; step--) {
      way.unshift([step, rank]);
      rank = this.node([step, rank]).parent;
    }
    return way;
  }

  // Which nodes lead to a translation, or to the last step.
  #kept() {
    const kept = new Set();
    this.steps.forEach((nodes, step) => nodes.forEach((node, rank) => {
      const last = step === this.steps.length - 1;
      if (node[4] || last) this.way([step, rank]).forEach((place) => kept.add(String(place)));
    }));
    return kept;
  }

  text(place) {
    return this.way(place).map((at) => {
      const { piece, spaced } = this.node(at);
      return (spaced ? " " : "") + (piece === "␣" || piece === "</s>" ? "" : piece);
    }).join("").trim();
  }

  corner([step, rank]) {
    return [LEFT + EDGE + step * (this.card.width + EDGE), TOP + rank * (CARD + GAP)];
  }

  // The node at a point, or null.
  at(x, y) {
    const step = Math.floor((x - LEFT - EDGE) / (this.card.width + EDGE));
    const rank = Math.floor((y - TOP) / (CARD + GAP));
    if (!this.steps[step]?.[rank]) return null;
    const [left, top] = this.corner([step, rank]);
    return x <= left + this.card.width && y <= top + CARD ? [step, rank] : null;
  }

  draw() {
    const places = this.steps.flatMap((nodes, step) => nodes.map((_, rank) => [step, rank]));
    const best = new Set(this.best.map(String));
    const edges = places.map((place) => this.#edge(place, best.has(String(place))));
    return [
      ...this.#labels(),
      ...edges,
      ...places.map((place) => this.#card(place, best.has(String(place)))),
    ];
  }

  #labels() {
    const label = (text, x, y) => this.#text(text, x, y, { size: 12, class: "quiet" });
    const steps = this.steps.map((_, step) =>
      label(step, this.corner([step, 0])[0] + this.card.width / 2, 14));
    const ranks = Array.from({ length: this.ranks }, (_, rank) =>
      label(`${rank + 1}.`, 10, this.corner([0, rank])[1] + CARD / 2 + 4));
    const root = svgElement("circle", { cx: LEFT, cy: TOP + CARD / 2, r: 4, fill: "currentColor" });
    return [...steps, ...ranks, root];
  }

  #text(text, x, y, { size = 15, anchor = "middle", ...rest } = {}) {
    const node = svgElement("text", { x, y, "text-anchor": anchor, "font-size": size, fill: "currentColor", ...rest });
    node.textContent = text;
    return node;
  }

  // The curve from a node's parent to it.
  curve([step, rank]) {
    const [x, y] = this.corner([step, rank]);
    const middle = y + CARD / 2;
    const [left, top] = step ? this.corner([step - 1, this.node([step, rank]).parent]) : [LEFT, TOP];
    const from = step ? left + this.card.width : LEFT;
    const half = (from + x) / 2;
    return `M${from} ${top + CARD / 2}C${half} ${top + CARD / 2} ${half} ${middle} ${x} ${middle}`;
  }

  #edge(place, best) {
    const opacity = best ? 1 : this.kept.has(String(place)) ? 0.55 : 0.25;
    return svgElement("path", {
      class: best ? "edge accent" : "edge", d: this.curve(place), fill: "none", stroke: "currentColor",
      "stroke-width": best ? 2.5 : 1.25, "stroke-opacity": opacity,
    });
  }

  #card(place, best) {
    const [x, y] = this.corner(place);
    const { width, height } = this.card;
    const { piece, logProbability, ended } = this.node(place);
    const group = svgElement("g", {
      class: "node", "data-place": place, transform: `translate(${x} ${y})`,
      opacity: this.kept.has(String(place)) ? 1 : 0.72,
    });
    const box = svgElement("rect", {
      class: best ? "box accent" : "box", width, height, rx: 2, stroke: "currentColor",
      "stroke-width": best ? 1.75 : 1, "stroke-opacity": best ? 1 : 0.4,
      ...(place[0] < this.given ? { "stroke-dasharray": "4 3" } : {}),
    });
    const middle = width / 2;
    const number = fixed(logProbability, 2);
    group.append(
      box,
      this.#text(this.pen.clipped(piece, 15, width - 10), middle, 17, best ? { "font-weight": 600 } : {}),
      this.#text(number, middle, 33, { size: 12 }),
    );
    if (ended) group.append(svgElement("rect", { x: width - 4, width: 4, height, class: "accent", fill: "currentColor" }));
    return group;
  }
}

function fixed(value, digits) {
  return (Number(value.toFixed(digits)) + 0).toFixed(digits).replace("-", "−");
}

// The tree as a figure for print.
function treeFigure(tree) {
  const page = svgPage(tree.width, tree.height);
  page.setAttribute("color", "#23211e");
  const style = svgElement("style");
  style.textContent = ".accent { color: #b04212; } .quiet { color: #66625c; } .box { fill: #fff; }";
  page.append(style, ...tree.draw());
  return page;
}
