// The vectors as points to drag, and the outputs as rings; y points up.

const REACH = 3; // vectors stay within ± this
const STEP = 0.1; // of an arrow key

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
    const text = svgElement("text", { y: -0.24, "font-size": 0.28, "text-anchor": "middle" });
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
  }
}

function setAll(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
}
