// All heads as small maps on one canvas; the one under the pointer is shown large beside them.

const LIMITS = { narrow: 18, wide: 110, high: 640, low: 40, label: 30 };

class Wall {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = null; // (layer, head) as [layer, head]; null for none
    this.walked = null;
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["zoom", "status"]) this[name] = find(name);
    this.grid = new HeadGrid(root, this, LIMITS);
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
    this.grid.stage.setAttribute("aria-label",
      `Maps of ${message.layers} layers with ${message.heads} heads each. ` +
      "Arrow keys move, Enter picks a head.");
    Object.assign(this.zoom, { width: message.cols, height: message.rows });
    this.#label(this.grid.across, message.heads, "head");
    this.#label(this.grid.down, message.layers, "layer");
    const { rows, cols, stride } = message;
    this.grid.update(message, this.#tiles(), (cols * stride[1]) / (rows * stride[0]));
    this.show();
  }

  #label(parent, count, what) {
    parent.replaceChildren(...Array.from({ length: count }, (_, index) =>
      element("span", { textContent: index, title: `${what} ${index}` })));
  }

  // Every head at one pixel a patch, kept for drawing at whatever size there is room for.
  #tiles() {
    const { layers, heads, rows, cols } = this.message;
    return Array.from({ length: layers * heads }, (_, index) => {
      const tile = element("canvas", { width: cols, height: rows });
      this.#paintHead(tile, [Math.floor(index / heads), index % heads]);
      return tile;
    });
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

  get picked() {
    return this.choice.value;
  }

  get current() {
    return this.hovered ?? this.walked ?? this.picked;
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
    this.choice.make(String(place) === String(this.picked) ? null : place);
    this.show();
  }

  show() {
    const place = this.current;
    this.grid.outline();
    if (place) this.#paintHead(this.zoom, place);
    else this.zoom.getContext("2d").clearRect(0, 0, this.zoom.width, this.zoom.height);
    const verb = hovering() ? "Hover" : "Tap";
    this.status.textContent = place ? this.#sentence(place) : `${verb} a head to enlarge it.`;
    for (const [labels, axis] of [[this.grid.down, 0], [this.grid.across, 1]]) {
      [...labels.children].forEach((label, index) =>
        label.classList.toggle("current", place?.[axis] === index));
    }
  }

  #sentence([layer, head]) {
    const { cols, vmax } = this.message;
    const patches = this.patches([layer, head]);
    const best = indexOfMaximum(patches);
    const place = `${Math.floor(best / cols)},${best % cols}`;
    const off = this.grid.isSilenced([layer, head]) ? " · silenced" : "";
    return `layer ${layer} · head ${head}${off}\n` +
      `maximum ${weight(patches[best], vmax)} at patch ${place}`;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".wall");
  root.wall ??= new Wall(root);
  root.wall.update(data, setStateValue);
}
