// Beside the wall: the map of what is shown, large, with its name and its strongest weight.

const [NEAR, NEAR_NARROW] = [150, 84]; // CSS pixels of the longer side

class Near {
  constructor(root, view) {
    this.view = view;
    this.root = root;
    for (const name of ["large", "zoom", "lit", "which"]) this[name] = root.querySelector(`.${name}`);
    this.outline = outline("hover");
    this.lit.append(this.outline);
  }

  // The weights are other ones now.
  forget() {
    this.painted = null;
  }

  show(token) {
    const { message, shown } = this.view;
    const [rows, columns] = [message.queries.length, message.keys.length];
    const wanted = JSON.stringify([shown, this.root.clientWidth]);
    if (wanted !== this.painted) this.#paint(shown, rows, columns);
    this.painted = wanted;
    this.lit.setAttribute("viewBox", `0 0 ${columns} ${rows}`);
    this.lit.setAttribute("preserveAspectRatio", "none");
    const [side, i] = token ?? [];
    const box = side === "queries" ? [i, 0, i + 1, columns] : [0, i, rows, i + 1];
    drawOutline(this.outline, token ? boxPath(box) : "");
  }

  #paint({ layer, heads }, rows, columns) {
    const side = this.root.clientWidth < 720 ? NEAR_NARROW : NEAR;
    const size = side / Math.max(rows, columns);
    this.large.style.width = `${Math.max(20, size * columns)}px`;
    this.large.style.height = `${Math.max(20, size * rows)}px`;
    const maps = heads.map((head) => this.view.map(layer, head));
    const map = maps.length > 1 ? meanMap(maps) : maps[0] ?? new Float32Array(rows * columns);
    this.view.wall.paint(this.zoom, map);
    const [title, words] = this.which.children;
    title.textContent = this.view.title();
    words.textContent = this.#strongest(map, columns) + this.#hint();
  }

  #strongest(map, columns) {
    const { queries, keys } = this.view.message;
    const best = indexOfMaximum(map);
    if (!(map[best] > 0)) return "";
    const [row, column] = [Math.floor(best / columns), best % columns];
    return `Strongest: ${row} “${queries[row]}” → ${column} “${keys[column]}”, ${percent(map[best])}\n`;
  }

  #hint() {
    return hovering()
      ? "Hover a map to see its lines, click to pick its head; click a layer’s number for all of it."
      : "Tap a map to pick its head, a layer’s number for all of it.";
  }
}
