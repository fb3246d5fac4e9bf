// All heads as small maps on one canvas; the one under the pointer is shown large beside them.

// All in CSS pixels.
const GAP = 3; // between maps
const LABEL = 30; // room for the layers' numbers
const [SMALLEST, LARGEST] = [18, 110]; // width of a map
const HIGH = 640; // about the height of a whole wall

class Wall {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = null; // (layer, head) as [layer, head]; null for none
    this.walked = null;
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["board", "scroll", "heads", "layers", "stage", "maps", "marks"]) {
      this[name] = find(name);
    }
    for (const name of ["zoom", "status"]) this[name] = find(name);
    this.silenced = svgElement("g", { class: "silenced", fill: "none" });
    this.outlines = { pin: outline("pin"), hover: outline("hover") };
    this.marks.append(this.silenced, ...Object.values(this.outlines));
    this.#listen();
    new ResizeObserver(() => this.message && this.#arrange()).observe(this.scroll);
    find("svg").onclick = () => saveSvg(wallFigure(this), this.message.name);
    find("png").onclick = () => savePng(wallFigure(this), this.message.name);
  }

  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (!news) return;
    this.message = message;
    this.pixels = pixelTable(message.colours);
    labelScale(this.root, message, "layers down, heads across · ");
    this.stage.setAttribute("aria-label",
      `Maps of ${message.layers} layers with ${message.heads} heads each. ` +
      "Arrow keys move, Enter picks a head.");
    Object.assign(this.zoom, { width: message.cols, height: message.rows });
    this.#label(this.heads, message.heads, "head");
    this.#label(this.layers, message.layers, "layer");
    this.#paint();
    this.#arrange();
    this.show();
  }

  #label(parent, count, what) {
    parent.replaceChildren(...Array.from({ length: count }, (_, index) =>
      element("span", { textContent: index, title: `${what} ${index}` })));
  }

  // Every head at one pixel a patch, kept for drawing at whatever size there is room for.
  #paint() {
    const { layers, heads, rows, cols } = this.message;
    this.tiles = [];
    for (let layer = 0; layer < layers; layer++) {
      for (let head = 0; head < heads; head++) {
        const tile = element("canvas", { width: cols, height: rows });
        this.#paintHead(tile, [layer, head]);
        this.tiles.push(tile);
      }
    }
  }

  #paintHead(canvas, place) {
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    this.patches(place).forEach((value, i) => (pixels[i] = this.pixels[value]));
    context.putImageData(image, 0, 0);
  }

  tokens([layer, head]) {
    const { heads, prefix, rows, cols, weights } = this.message;
    const count = prefix.length + rows * cols;
    const start = (layer * heads + head) * count;
    return weights.subarray(start, start + count);
  }

  patches(place) {
    return this.tokens(place).subarray(this.message.prefix.length);
  }

  // Size of the maps from the room there is, then everything that depends on it.
  #arrange() {
    const { layers, heads, rows, cols, stride } = this.message;
    const aspect = (cols * stride[1]) / (rows * stride[0]);
    const across = (this.scroll.clientWidth - LABEL) / heads - GAP;
    const down = Math.max(HIGH / layers, 40) - GAP;
    const width = Math.floor(clamp(Math.min(across, down * aspect), SMALLEST, LARGEST));
    const height = Math.max(1, Math.round(width / aspect));
    this.tile = { width, height };
    this.size = { width: heads * (width + GAP) - GAP, height: layers * (height + GAP) - GAP };
    this.#draw();
    for (const span of this.heads.children) span.style.cssText = `width:${width}px;margin-right:${GAP}px`;
    for (const span of this.layers.children) span.style.cssText = `height:${height}px;margin-bottom:${GAP}px`;
    this.marks.setAttribute("viewBox", `0 0 ${this.size.width} ${this.size.height}`);
    this.#crossOut();
    this.#outline();
  }

  #draw() {
    const { maps, tiles, tile, size } = this;
    const sharp = window.devicePixelRatio || 1;
    const sharpened = (values) => values.map((value) => Math.round(value * sharp));
    const [wide, high] = sharpened([tile.width, tile.height]);
    [maps.width, maps.height] = sharpened([size.width, size.height]);
    Object.assign(maps.style, { width: `${size.width}px`, height: `${size.height}px` });
    const context = maps.getContext("2d");
    context.imageSmoothingEnabled = tiles[0].width > wide; // small maps are averages, not samples
    tiles.forEach((map, index) => {
      const [top, left] = sharpened(this.corner(this.place(index)));
      context.drawImage(map, left, top, wide, high);
    });
  }

  place(index) {
    return [Math.floor(index / this.message.heads), index % this.message.heads];
  }

  corner([layer, head]) {
    return [layer * (this.tile.height + GAP), head * (this.tile.width + GAP)];
  }

  #box(place) {
    const [top, left] = this.corner(place);
    return [top, left, top + this.tile.height, left + this.tile.width];
  }

  #crossOut() {
    const path = this.message.silenced.map((place) => {
      const [top, left, bottom, right] = this.#box(place);
      return `M${left} ${top}L${right} ${bottom}M${left} ${bottom}L${right} ${top}`;
    }).join("");
    const lines = [["#000", 4, 0.7], ["#fff", 1.5, 1]].map(([stroke, width, opacity]) =>
      svgElement("path", { d: path, stroke, "stroke-width": width, "stroke-opacity": opacity }));
    this.silenced.replaceChildren(...lines);
  }

  #listen() {
    const { stage } = this;
    stage.onpointermove = stage.onpointerdown = (event) => this.hover(this.placeAt(event));
    stage.onpointerleave = stage.onpointercancel = () => this.hover(null);
    stage.onclick = (event) => this.pick(this.placeAt(event));
    stage.onblur = () => this.walk(null);
    stage.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) this.walk(this.#neighbour(...ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") this.pick(this.current);
      else if (event.key === "Escape") this.walk(null);
      else return;
      event.preventDefault();
      event.stopPropagation(); // the page has shortcuts of its own
    };
  }

  placeAt({ clientX, clientY }) {
    const { layers, heads } = this.message;
    const box = this.maps.getBoundingClientRect();
    const layer = Math.floor((clientY - box.top) / (this.tile.height + GAP));
    const head = Math.floor((clientX - box.left) / (this.tile.width + GAP));
    return [clamp(layer, 0, layers - 1), clamp(head, 0, heads - 1)];
  }

  #neighbour(down, right) {
    const { layers, heads } = this.message;
    if (!this.current) return [0, 0];
    const [layer, head] = this.current;
    return [clamp(layer + down, 0, layers - 1), clamp(head + right, 0, heads - 1)];
  }

  get current() {
    return this.hovered ?? this.walked ?? this.choice.value;
  }

  hover(place) {
    if (String(place) === String(this.hovered)) return;
    this.hovered = place;
    this.show();
  }

  walk(place) {
    this.hovered = null;
    this.walked = place;
    this.show();
  }

  pick(place) {
    if (!place) return;
    this.choice.make(String(place) === String(this.choice.value) ? null : place);
    this.show();
  }

  show() {
    const place = this.current;
    this.#outline();
    if (place) this.#paintHead(this.zoom, place);
    else this.zoom.getContext("2d").clearRect(0, 0, this.zoom.width, this.zoom.height);
    const verb = hovering() ? "Hover" : "Tap";
    this.status.textContent = place ? this.#sentence(place) : `${verb} a head to enlarge it.`;
    for (const [labels, axis] of [[this.layers, 0], [this.heads, 1]]) {
      [...labels.children].forEach((label, index) =>
        label.classList.toggle("current", place?.[axis] === index));
    }
  }

  #outline() {
    const { pin, hover } = this.outlines;
    const chosen = this.choice.value;
    const current = this.current;
    drawOutline(pin, chosen ? boxPath(this.#box(chosen)) : "");
    const other = current && String(current) !== String(chosen);
    drawOutline(hover, other ? boxPath(this.#box(current)) : "");
  }

  #sentence([layer, head]) {
    const { cols, vmax, silenced } = this.message;
    const patches = this.patches([layer, head]);
    const best = indexOfMaximum(patches);
    const place = `${Math.floor(best / cols)},${best % cols}`;
    const off = silenced.some((other) => String(other) === `${layer},${head}`) ? " · silenced" : "";
    return `layer ${layer} · head ${head}${off}\n` +
      `maximum ${weight(patches[best], vmax)} at patch ${place}`;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".wall");
  root.wall ??= new Wall(root);
  root.wall.update(data, setStateValue);
}
