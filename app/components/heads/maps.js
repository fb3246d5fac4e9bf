// The wall: every head of every layer as a small map on one canvas.

// All in CSS pixels.
const GAP = 3; // between maps
const LABEL = 34; // room for the layers' numbers
const [SMALLEST, LARGEST] = [14, 64]; // width of a map
const HIGH = 420; // about the height of a whole wall

class Maps {
  // view: told `hoverHead`, `walkHead` and `pick` a [layer, head]; knows which ones are current.
  constructor(root, view) {
    this.view = view;
    for (const name of ["scroll", "across", "down", "stage", "maps", "marks"]) {
      this[name] = root.querySelector(`.${name}`);
    }
    this.silenced = svgElement("g", { class: "silenced", fill: "none" });
    this.outlines = { pin: outline("pin"), hover: outline("hover") };
    this.marks.append(this.silenced, ...Object.values(this.outlines));
    this.#listen();
    new ResizeObserver(() => this.message && this.arrange()).observe(this.scroll);
  }

  update(message, map) {
    this.message = message;
    this.pixels = pixelTable(message.colours);
    this.stage.setAttribute("aria-label",
      `Maps of ${message.layers} layers with ${message.heads} heads each. ` +
      "Arrow keys move, Enter picks a head, Page Up and Page Down change the layer.");
    this.across.replaceChildren(...Array.from({ length: message.heads }, (_, head) =>
      element("span", { textContent: head, title: `head ${head}` })));
    this.down.replaceChildren(...Array.from({ length: message.layers }, (_, layer) =>
      this.#layerButton(layer)));
    this.tiles = Array.from({ length: message.layers * message.heads }, (_, index) => {
      const tile = element("canvas");
      this.paint(tile, map(...this.place(index)));
      return tile;
    });
    this.arrange();
  }

  #layerButton(layer) {
    const button = element("button", { type: "button", textContent: layer });
    button.title = `Show the lines of layer ${layer}`;
    button.setAttribute("aria-label", `layer ${layer}`);
    button.onclick = () => this.view.setLayer(layer);
    return button;
  }

  // A map at one pixel a cell; cells that the mask forbids stay clear.
  paint(canvas, map) {
    const { queries, keys, mask, vmax } = this.message;
    Object.assign(canvas, { width: keys.length, height: queries.length });
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const cells = new Uint32Array(image.data.buffer);
    for (let i = 0; i < cells.length; i++) if (mask[i]) cells[i] = this.pixels[mapByte(map[i], vmax)];
    context.putImageData(image, 0, 0);
  }

  // Size of the maps from the room there is, then everything that depends on it.
  arrange() {
    const { layers, heads, queries, keys } = this.message;
    const aspect = clamp(keys.length / queries.length, 0.6, 1.7);
    const across = (this.scroll.clientWidth - LABEL) / heads - GAP;
    const down = Math.max(HIGH / layers, 30) - GAP;
    const width = Math.floor(clamp(Math.min(across, down * aspect), SMALLEST, LARGEST));
    const height = Math.max(1, Math.round(width / aspect));
    this.tile = { width, height };
    this.size = { width: heads * (width + GAP) - GAP, height: layers * (height + GAP) - GAP };
    this.#draw();
    for (const span of this.across.children) {
      span.style.cssText = `width:${width}px;margin-right:${GAP}px`;
    }
    for (const button of this.down.children) {
      button.style.cssText = `height:${height}px;margin-bottom:${GAP}px`;
    }
    this.marks.setAttribute("viewBox", `0 0 ${this.size.width} ${this.size.height}`);
    this.#crossOut();
    this.show();
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
    const { stage, view } = this;
    stage.onpointermove = stage.onpointerdown = (event) => view.hoverHead(this.placeAt(event));
    stage.onpointerleave = stage.onpointercancel = () => view.hoverHead(null);
    stage.onclick = (event) => view.pick(this.placeAt(event));
    stage.onblur = () => view.walkHead(null);
    stage.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) view.walkHead(this.#neighbour(...ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") view.pick(view.currentHead);
      else if (event.key === "Escape") view.walkHead(null);
      else if (!view.turnPage(event.key)) return;
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
    const { currentHead, layer: shown } = this.view;
    if (!currentHead) return [shown, 0];
    const [layer, head] = currentHead;
    return [clamp(layer + down, 0, layers - 1), clamp(head + right, 0, heads - 1)];
  }

  // Marks the picked and the current head, and the layer whose lines are drawn.
  show() {
    if (!this.tile) return;
    const { pin, hover } = this.outlines;
    const { picked, currentHead: current, shown } = this.view;
    drawOutline(pin, picked ? boxPath(this.#box(picked)) : "");
    const other = current && String(current) !== String(picked);
    drawOutline(hover, other ? boxPath(this.#box(current)) : "");
    [...this.down.children].forEach((button, layer) =>
      button.setAttribute("aria-pressed", layer === shown.layer));
    [...this.across.children].forEach((label, head) =>
      label.classList.toggle("current", current?.[1] === head));
  }
}

// Where a weight lies in the colour table: on a square-root scale, or small ones would be one colour.
function mapByte(value, vmax) {
  return Math.round(255 * Math.sqrt(clamp(value / vmax, 0, 1)));
}
