// Maps of all heads on one canvas, layers down and heads across; a place is [layer, head].

const MAP_GAP = 3; // CSS pixels between maps

class HeadGrid {
  // view: told to `hover`, `walk` to and `pick` a place; knows which one is `current` and `picked`,
  // and may take other keys in `typed`. limits, in CSS pixels: `narrow` and `wide`, a map's least
  // and largest width; `high`, about the height of the whole; `low`, the least height it leaves a
  // map; `label`, room for the layers' numbers.
  constructor(root, view, limits) {
    Object.assign(this, { view, limits });
    for (const name of ["scroll", "across", "down", "stage", "maps", "marks"]) {
      this[name] = root.querySelector(`.${name}`);
    }
    this.silenced = svgElement("g", { class: "silenced", fill: "none" });
    this.outlines = { pin: outline("pin"), hover: outline("hover") };
    this.marks.append(this.silenced, ...Object.values(this.outlines));
    this.#listen();
    new ResizeObserver(() => this.message && this.#arrange()).observe(this.scroll);
  }

  // message: has `layers`, `heads` and the `silenced` places; tiles: a canvas for each head, at one
  // pixel a cell; aspect: width of a map over its height.
  update(message, tiles, aspect) {
    Object.assign(this, { message, tiles, aspect });
    this.#arrange();
  }

  // Size of the maps from the room there is, then everything that depends on it.
  #arrange() {
    const { aspect, limits } = this;
    const { layers, heads } = this.message;
    const across = (this.scroll.clientWidth - limits.label) / heads - MAP_GAP;
    const down = Math.max(limits.high / layers, limits.low) - MAP_GAP;
    const room = Math.min(across, down * aspect);
    const width = Math.floor(clamp(room, limits.narrow, limits.wide));
    const height = Math.max(1, Math.round(width / aspect));
    this.tile = { width, height };
    this.size = { width: heads * (width + MAP_GAP) - MAP_GAP, height: layers * (height + MAP_GAP) - MAP_GAP };
    this.#draw();
    for (const label of this.across.children) {
      label.style.cssText = `width:${width}px;margin-right:${MAP_GAP}px`;
    }
    for (const label of this.down.children) {
      label.style.cssText = `height:${height}px;margin-bottom:${MAP_GAP}px`;
    }
    this.marks.setAttribute("viewBox", `0 0 ${this.size.width} ${this.size.height}`);
    this.#crossOut();
    this.outline();
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
    return [layer * (this.tile.height + MAP_GAP), head * (this.tile.width + MAP_GAP)];
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

  isSilenced(place) {
    return this.message.silenced.some((other) => String(other) === String(place));
  }

  #listen() {
    const { stage, view } = this;
    stage.onpointermove = stage.onpointerdown = (event) => view.hover(this.#under(event));
    stage.onpointerleave = stage.onpointercancel = () => view.hover(null);
    stage.onclick = (event) => view.pick(this.#under(event));
    stage.onblur = () => view.walk(null);
    stage.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) view.walk(this.#neighbour(...ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") view.pick(view.current);
      else if (event.key === "Escape") view.walk(null);
      else if (!view.typed?.(event.key)) return;
      event.preventDefault();
      event.stopPropagation(); // the page has shortcuts of its own
    };
  }

  #under({ clientX, clientY }) {
    const { layers, heads } = this.message;
    const box = this.maps.getBoundingClientRect();
    const layer = Math.floor((clientY - box.top) / (this.tile.height + MAP_GAP));
    const head = Math.floor((clientX - box.left) / (this.tile.width + MAP_GAP));
    return [clamp(layer, 0, layers - 1), clamp(head, 0, heads - 1)];
  }

  #neighbour(down, right) {
    const { layers, heads } = this.message;
    if (!this.view.current) return this.view.start ?? [0, 0];
    const [layer, head] = this.view.current;
    return [clamp(layer + down, 0, layers - 1), clamp(head + right, 0, heads - 1)];
  }

  // Marks the place that is picked, and the current one if it is another.
  outline() {
    const { current, picked } = this.view;
    const { pin, hover } = this.outlines;
    drawOutline(pin, picked ? boxPath(this.#box(picked)) : "");
    const other = current && String(current) !== String(picked);
    drawOutline(hover, other ? boxPath(this.#box(current)) : "");
  }

  // The wall as it stands, for a saved figure: numbers, maps and marks, its top left map at (x, y).
  figure(x, y) {
    const { message, tile, size, maps } = this;
    const group = svgElement("g", { transform: `translate(${x} ${y})` });
    const number = (words, right, down, anchor) => {
      const options = { x: right, y: down, "text-anchor": anchor, "font-size": 11, fill: "#444" };
      const label = svgElement("text", options);
      label.textContent = words;
      return label;
    };
    for (let head = 0; head < message.heads; head++) {
      group.append(number(head, this.corner([0, head])[1] + tile.width / 2, -6, "middle"));
    }
    for (let layer = 0; layer < message.layers; layer++) {
      group.append(number(layer, -8, this.corner([layer, 0])[0] + tile.height / 2 + 4, "end"));
    }
    const marks = svgElement("g", { color: getComputedStyle(this.marks).color });
    marks.append(...Array.from(this.marks.children, (mark) => mark.cloneNode(true)));
    group.append(svgElement("image", { href: maps.toDataURL("image/png"), ...size }), marks);
    return group;
  }
}
