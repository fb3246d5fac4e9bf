// The vectors as points to drag, and the outputs as rings; y points up.

const REACH = 3; // vectors stay within ± this
const STEP = 0.1; // of an arrow key
const SIDES = { // of a point, where its label may stand
  above: { x: 0, y: -0.24, "text-anchor": "middle" },
  below: { x: 0, y: 0.46, "text-anchor": "middle" },
  right: { x: 0.22, y: 0.1, "text-anchor": "start" },
  left: { x: -0.22, y: 0.1, "text-anchor": "end" },
};
const BEFORE = { start: 0, middle: 0.5, end: 1 }; // share of a text that lies left of its anchor

class Plane {
  // view: told to `move` a token to [x, y], that it was `dropped`, and to `look` at a token or null.
  constructor(svg, view) {
    Object.assign(this, { svg, view });
    const axes = svgElement("path", { class: "axes", d: `M${-REACH} 0H${REACH}M0 ${-REACH}V${REACH}` });
    this.circle = svgElement("circle", { class: "unit", r: 1 });
    this.lines = svgElement("g", { class: "looks" });
    this.outputs = svgElement("g");
    this.points = svgElement("g");
    svg.append(axes, this.circle, this.lines, this.outputs, this.points);
    svg.onpointermove = (event) => this.#drag(event);
    svg.onpointerup = svg.onpointercancel = () => this.#drop();
  }

  build(labels) {
    this.points.replaceChildren(...labels.map((label, i) => this.#point(label, i)));
    this.outputs.replaceChildren(...labels.map(() => {
      const group = svgElement("g", { class: "output" });
      group.append(svgElement("line"), svgElement("circle", { r: 0.1 }));
      return group;
    }));
    this.lines.replaceChildren(...labels.map(() => svgElement("line")));
  }

  #point(label, i) {
    const group = svgElement("g", { class: "point", tabindex: 0, role: "button" });
    const text = svgElement("text", { "font-size": 0.28 });
    text.textContent = label;
    group.setAttribute("aria-label", `Vector ${label}`);
    group.append(svgElement("circle", { class: "grip", r: 0.34 }), svgElement("circle", { r: 0.12 }), text);
    group.onpointerdown = (event) => {
      this.dragged = i;
      this.svg.setPointerCapture(event.pointerId);
      event.preventDefault();
    };
    group.onpointerenter = () => this.dragged === undefined && this.view.look(i);
    group.onpointerleave = () => this.dragged === undefined && this.view.look(null);
    group.onfocus = () => this.view.look(i);
    group.onblur = () => this.view.look(null);
    group.onkeydown = (event) => this.#key(event, i);
    return group;
  }

  #drag({ clientX, clientY }) {
    if (this.dragged === undefined) return;
    const at = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    this.view.move(this.dragged, this.#within([at.x, -at.y]));
    this.view.look(this.dragged);
  }

  #drop() {
    if (this.dragged === undefined) return;
    this.dragged = undefined;
    this.view.dropped();
  }

  #key(event, i) {
    if (!(event.key in ARROWS) || event.ctrlKey || event.metaKey || event.altKey) return;
    const [down, right] = ARROWS[event.key];
    const [x, y] = this.at[i];
    this.view.move(i, this.#within([x + STEP * right, y - STEP * down]));
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.view.dropped(), 500);
    event.preventDefault();
    event.stopPropagation(); // the page has shortcuts of its own
  }

  #within(point) {
    return point.map((value) => Math.round(100 * clamp(value, -REACH, REACH)) / 100);
  }

  // X: vectors, O: outputs, A: weights; token: the one whose looks are drawn, or null.
  draw({ X, O, A }, token) {
    this.at = X;
    X.forEach(([x, y], i) => {
      this.points.children[i].setAttribute("transform", `translate(${x} ${-y})`);
      this.points.children[i].classList.toggle("on", i === token);
      const output = this.outputs.children[i];
      output.classList.toggle("on", i === token);
      const [line, ring] = output.children;
      setAll(line, { x1: x, y1: -y, x2: O[i][0], y2: -O[i][1] });
      setAll(ring, { cx: O[i][0], cy: -O[i][1] });
      const look = this.lines.children[i];
      const weight = token === null ? 0 : A[token][i];
      const [fromX, fromY] = X[token ?? 0];
      setAll(look, { x1: fromX, y1: -fromY, x2: x, y2: -y, "stroke-width": 0.16 * weight });
    });
    this.#placeLabels(X, O);
  }

  // Each label away from the middle, or at another side where that place is taken.
  #placeLabels(X, O) {
    const taken = [...X.map((point) => around(point, 0.13)), ...O.map((point) => around(point, 0.11))];
    X.forEach(([x, y], i) => {
      const text = this.points.children[i].querySelector("text");
      const length = text.getComputedTextLength();
      const [up, down] = y < 0 ? ["below", "above"] : ["above", "below"];
      const [out, back] = x < 0 ? ["left", "right"] : ["right", "left"];
      const sides = [up, out, down, back].map((name) => SIDES[name]);
      const free = (side) => !taken.some((box) => overlap(box, labelBox([x, y], side, length)));
      const side = sides.find(free) ?? sides[0];
      setAll(text, side);
      taken.push(labelBox([x, y], side, length));
    });
  }
}

// Boxes are [left, top, right, bottom] in the drawing, where y points down.
function around([x, y], radius) {
  return [x - radius, -y - radius, x + radius, -y + radius];
}

function labelBox([x, y], side, length) {
  const left = x + side.x - length * BEFORE[side["text-anchor"]];
  const foot = -y + side.y;
  return [left, foot - 0.22, left + length, foot + 0.06];
}

function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}
