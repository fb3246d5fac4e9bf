// The table of sinusoids, positions across and components down, and the waves of one pair under it.

const [LEFT, RIGHT, TOP] = [34, 8, 2]; // CSS pixels around the table
const AXIS = 36; // between table and waves
const [HIGH, WAVE] = [330, 120]; // the table's height, the waves'

class Waves {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = null; // [pair, position]; the pair is null beside the table
    this.walked = null;
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["room", "stage", "table", "drawing", "status"]) this[name] = find(name);
    this.groups = {};
    for (const name of ["axes", "waves", "pin"]) this.groups[name] = svgElement("g");
    this.groups.pin.setAttribute("class", "accent");
    this.groups.hover = outline("hover");
    this.drawing.append(...Object.values(this.groups));
    this.#listen();
    new ResizeObserver(() => this.message && this.#arrange()).observe(this.room);
    find("svg").onclick = () => saveSvg(wavesFigure(this), this.message.name);
    find("png").onclick = () => savePng(wavesFigure(this), this.message.name);
  }

  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (!news) return this.message && this.show();
    for (const name of ["values", "frequencies"]) {
      message[name] = new Float32Array(message[name].slice().buffer);
    }
    this.message = message;
    this.pairs = message.width / 2;
    this.hovered = this.walked = null;
    labelScale(this.root, { ...message, vmax: 1 });
    this.root.querySelector(".low").textContent = "−1";
    this.stage.setAttribute("aria-label",
      `${message.width} components of ${message.length} positions. ` +
      "Arrow keys move, Enter keeps a pair, Escape lets go.");
    this.#paint();
    this.width = null;
    this.#arrange();
  }

  // Every value as one pixel, to be stretched to whatever size there is room for.
  #paint() {
    const { values, length, width, colours } = this.message;
    this.pixels = element("canvas", { width: length, height: width });
    const context = this.pixels.getContext("2d");
    const image = context.createImageData(length, width);
    const out = new Uint32Array(image.data.buffer);
    const palette = pixelTable(colours);
    for (let at = 0; at < length; at++) {
      for (let row = 0; row < width; row++) {
        out[row * length + at] = palette[Math.round(127.5 * (1 + values[at * width + row]))];
      }
    }
    context.putImageData(image, 0, 0);
  }

  #arrange() {
    const width = this.room.clientWidth;
    if (width === this.width || width < 60) return;
    this.width = width;
    const { message, table, drawing } = this;
    this.step = (width - LEFT - RIGHT) / message.length; // a position's width
    this.line = HIGH / message.width; // a component's height
    this.height = TOP + HIGH + AXIS + WAVE + 4;
    const sharp = window.devicePixelRatio || 1;
    const inner = width - LEFT - RIGHT;
    Object.assign(table, { width: Math.round(inner * sharp), height: Math.round(HIGH * sharp) });
    table.style.cssText = `left:${LEFT}px;top:${TOP}px;width:${inner}px;height:${HIGH}px`;
    const context = table.getContext("2d");
    context.imageSmoothingEnabled = this.line * sharp < 1;
    context.drawImage(this.pixels, 0, 0, table.width, table.height);
    const size = { width, height: this.height, viewBox: `0 0 ${width} ${this.height}` };
    for (const [name, value] of Object.entries(size)) drawing.setAttribute(name, value);
    this.groups.axes.replaceChildren(...this.#axes());
    this.show();
  }

  #axes() {
    const { length, width } = this.message;
    const nodes = [];
    const every = [1, 2, 5, 10, 20, 50, 100].find((n) => n * this.step >= 34) ?? 200;
    for (let at = 0; at < length; at += every) {
      nodes.push(words(at, this.x(at), TOP + HIGH + 14, "middle"));
    }
    nodes.push(words("position", this.width - RIGHT, TOP + HIGH + 29, "end"));
    const rows = [1, 2, 4, 8, 16, 32, 64, 128, 256].find((n) => n * this.line >= 26);
    for (let row = 0; row < width; row += rows) {
      nodes.push(words(row, LEFT - 12, TOP + (row + 0.5) * this.line + 4, "end"));
    }
    const [top, bottom] = [this.y(1), this.y(-1)];
    nodes.push(words("1", LEFT - 12, top + 8, "end"), words("−1", LEFT - 12, bottom, "end"));
    nodes.push(svgElement("path", {
      d: `M${LEFT} ${this.y(0)}H${this.width - RIGHT}`, stroke: "currentColor", "stroke-opacity": 0.35,
    }));
    return nodes;
  }

  x(at) {
    return LEFT + (at + 0.5) * this.step;
  }

  y(value) {
    return TOP + HIGH + AXIS + ((1 - value) / 2) * WAVE;
  }

  #listen() {
    const { stage } = this;
    stage.onpointermove = stage.onpointerdown = (event) => this.#hover(this.#under(event));
    stage.onpointerleave = stage.onpointercancel = () => this.#hover(null);
    stage.onclick = (event) => this.#keep(this.#under(event)[0]);
    stage.onblur = () => this.#walk(null);
    stage.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) this.#walk(this.#neighbour(...ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") this.#keep(this.pair);
      else if (event.key === "Escape") this.#walk(null);
      else return;
      event.preventDefault();
      event.stopPropagation(); // the page has shortcuts of its own
    };
  }

  #under({ clientX, clientY }) {
    const box = this.stage.getBoundingClientRect();
    const pair = Math.floor((clientY - box.top - TOP) / (2 * this.line));
    const at = Math.floor((clientX - box.left - LEFT) / this.step);
    return [pair >= 0 && pair < this.pairs ? pair : null, clamp(at, 0, this.message.length - 1)];
  }

  #neighbour(down, right) {
    return [
      clamp(this.pair + down, 0, this.pairs - 1),
      clamp((this.current?.[1] ?? 0) + right, 0, this.message.length - 1),
    ];
  }

  get kept() {
    return clamp(this.choice.value ?? 0, 0, this.pairs - 1);
  }

  get current() {
    return this.hovered ?? this.walked;
  }

  get pair() {
    return this.current?.[0] ?? this.kept;
  }

  #hover(place) {
    if (String(place) === String(this.hovered)) return;
    this.hovered = place;
    this.show();
  }

  #walk(place) {
    this.hovered = null;
    this.walked = place;
    this.show();
  }

  #keep(pair) {
    if (pair === null) return;
    if (pair !== this.kept) this.choice.make(pair);
    this.show();
  }

  show() {
    if (!this.step) return;
    const { pair, kept, groups } = this;
    groups.waves.replaceChildren(...this.#waves(pair));
    groups.pin.replaceChildren(this.#pointer(kept));
    drawOutline(groups.hover, this.#box(pair));
    this.status.textContent = this.#sentence(pair);
  }

  #box(pair) {
    const [top, bottom] = [pair, pair + 1].map((edge) => TOP + 2 * edge * this.line);
    return boxPath([top, LEFT, Math.max(bottom, top + 2), this.width - RIGHT]);
  }

  #pointer(pair) {
    const y = TOP + (2 * pair + 1) * this.line;
    return svgElement("path", { d: `M${LEFT - 9} ${y - 5}L${LEFT - 1} ${y}L${LEFT - 9} ${y + 5}Z`, fill: "currentColor" });
  }

  // The two waves as functions of any position, and the numbers of the table as dots on them.
  #waves(pair) {
    const { length, width, values, frequencies } = this.message;
    const nodes = [];
    const at = this.current?.[1];
    if (at !== undefined) {
      nodes.push(svgElement("path", {
        d: `M${this.x(at)} ${TOP}V${TOP + HIGH}M${this.x(at)} ${this.y(1)}V${this.y(-1)}`,
        stroke: "currentColor", "stroke-opacity": 0.5, "stroke-dasharray": "2 3",
      }));
    }
    [Math.cos, Math.sin].forEach((wave, number) => {
      const points = Array.from({ length: 4 * length - 3 }, (_, i) =>
        `${this.x(i / 4).toFixed(1)} ${this.y(wave((frequencies[pair] * i) / 4)).toFixed(1)}`);
      const group = svgElement("g", { class: number ? "accent" : "quiet" });
      group.append(svgElement("path", {
        d: `M${points.join("L")}`, fill: "none", stroke: "currentColor", "stroke-width": number ? 2 : 1.3,
      }));
      for (let p = 0; p < length; p++) {
        const radius = p === at ? 4.5 : Math.min(2.2, this.step / 3);
        group.append(svgElement("circle", {
          cx: this.x(p), cy: this.y(values[p * width + 2 * pair + 1 - number]), r: radius, fill: "currentColor",
        }));
      }
      nodes.push(group);
    });
    return nodes;
  }

  #sentence(pair) {
    const { width, values, frequencies } = this.message;
    const omega = frequencies[pair];
    const what = `Pair ${pair}, components ${2 * pair} (sine) and ${2 * pair + 1} (cosine): ` +
      `${figures(omega)} radians a position, a wave of ${figures((2 * Math.PI) / omega)} positions`;
    const at = this.current?.[1];
    if (at === undefined) return `${what}. ${hovering() ? "Move over" : "Tap"} the table to see another.`;
    const [sine, cosine] = [0, 1].map((part) => values[at * width + 2 * pair + part]);
    return `${what}. At position ${at}: ${exact(sine)} and ${exact(cosine)}.`;
  }
}

function words(text, x, y, anchor) {
  const node = svgElement("text", { x, y, "text-anchor": anchor, "font-size": 11, fill: "currentColor", class: "quiet" });
  node.textContent = text;
  return node;
}

// Three significant digits.
function figures(value) {
  return value >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

function exact(value) {
  return value.toFixed(4).replace("-", "−");
}

// The table and its waves as a figure for print.
function wavesFigure({ table, drawing, message, status, width, height }) {
  const page = svgPage(Math.max(width, 420), height + 40);
  const title = svgElement("title");
  title.textContent = status.textContent;
  const picture = svgElement("image", {
    href: table.toDataURL("image/png"), x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: HIGH,
    preserveAspectRatio: "none",
  });
  const lines = svgElement("g", { color: "#333" });
  lines.append(...Array.from(drawing.children, (group) => group.cloneNode(true)));
  for (const node of lines.querySelectorAll(".accent")) node.setAttribute("color", "#b04212");
  page.append(title, picture, lines, svgColourBar({ ...message, low: -1, vmax: 1 }, LEFT, height + 8));
  return page;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".waves");
  root.waves ??= new Waves(root);
  root.waves.update(data, setStateValue);
}
