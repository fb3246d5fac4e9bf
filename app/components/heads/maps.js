// The wall of the head view: every head's map, and the layers' numbers to click.

const LIMITS = { narrow: 14, wide: 64, high: 420, low: 30, label: 34 };

class Maps {
  // view: told `hoverHead`, `walkHead` and `pick` a [layer, head]; knows which ones are current.
  constructor(root, view) {
    this.view = view;
    this.grid = new HeadGrid(root, this, LIMITS);
  }

  update(message, map) {
    this.message = message;
    this.pixels = pixelTable(message.colours);
    const { across, down, stage } = this.grid;
    stage.setAttribute("aria-label",
      `Maps of ${message.layers} layers with ${message.heads} heads each. ` +
      "Arrow keys move, Enter picks a head, Page Up and Page Down change the layer.");
    across.replaceChildren(...Array.from({ length: message.heads }, (_, head) =>
      element("span", { textContent: head, title: `head ${head}` })));
    down.replaceChildren(...Array.from({ length: message.layers }, (_, layer) =>
      this.#layerButton(layer)));
    const tiles = Array.from({ length: message.layers * message.heads }, (_, index) => {
      const tile = element("canvas");
      this.paint(tile, map(Math.floor(index / message.heads), index % message.heads));
      return tile;
    });
    this.grid.update(message, tiles, clamp(message.keys.length / message.queries.length, 0.6, 1.7));
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

  // What the grid asks for and tells.
  get current() {
    return this.view.currentHead;
  }

  get picked() {
    return this.view.picked;
  }

  get start() {
    return [this.view.layer, 0];
  }

  hover(place) {
    this.view.hoverHead(place);
  }

  walk(place) {
    this.view.walkHead(place);
  }

  pick(place) {
    this.view.pick(place);
  }

  typed(key) {
    return this.view.turnPage(key);
  }

  // Marks the picked and the current head, and the layer whose lines are drawn.
  show() {
    const { across, down } = this.grid;
    this.grid.outline();
    [...down.children].forEach((button, layer) =>
      button.setAttribute("aria-pressed", layer === this.view.shown.layer));
    [...across.children].forEach((label, head) =>
      label.classList.toggle("current", this.current?.[1] === head));
  }
}

// Where a weight lies in the colour table: on a square-root scale, or small ones would be one colour.
function mapByte(value, vmax) {
  return Math.round(255 * Math.sqrt(clamp(value / vmax, 0, 1)));
}
