// What is drawn over picture and map: boxes, marked cells, the cell under the pointer, the peak.
class CaptionLines {
  constructor(svg) {
    this.svg = svg;
    this.boxes = svgElement("g", { class: "labelled" });
    this.fill = svgElement("path", { fill: "currentColor", "fill-opacity": 0.3 });
    this.outlines = {};
    for (const kind of ["pin", "hover", "peak"]) this.outlines[kind] = outline(kind);
    this.svg.append(this.boxes, this.fill, ...Object.values(this.outlines));
  }

  // room: CSS pixels across; cell, peak: cells or null; marked: cells; boxes: [label, shares].
  draw(message, room, { cell, peak, marked, boxes }) {
    Object.assign(this, { message, edges: cellEdges(message), scale: (room || 1) / message.width });
    this.svg.setAttribute("viewBox", `0 0 ${message.width} ${message.height}`);
    drawOutline(this.outlines.hover, cell === null ? "" : boxPath(this.#box(cell)));
    drawOutline(this.outlines.peak, peak === null ? "" : this.#ring(peak));
    drawOutline(this.outlines.pin, this.#rim(new Set(marked)));
    this.fill.setAttribute("d", marked.map((each) => boxPath(this.#box(each))).join(""));
    this.boxes.replaceChildren(...boxes.flatMap(([label, shares]) => this.#labelled(label, shares)));
  }

  // The top, left, bottom and right of a cell as the map draws it.
  #box(cell) {
    const { message: { cols }, edges: { down, across } } = this;
    const [row, col] = [Math.floor(cell / cols), cell % cols];
    return [down[row], across[col], down[row + 1], across[col + 1]];
  }

  // A circle around where a cell really looks.
  #ring(cell) {
    const { cols, centre, stride } = this.message;
    const [y, x] = [centre[0] + Math.floor(cell / cols) * stride[0], centre[1] + (cell % cols) * stride[1]];
    const radius = 0.3 * Math.min(...stride);
    return `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;
  }

  // The edges of marked cells that other cells do not share.
  #rim(marked) {
    const { rows, cols } = this.message;
    return [...marked].map((cell) => {
      const [top, left, bottom, right] = this.#box(cell);
      const col = cell % cols;
      return [
        [cell >= cols && marked.has(cell - cols), `M${left} ${top}H${right}`],
        [cell < (rows - 1) * cols && marked.has(cell + cols), `M${left} ${bottom}H${right}`],
        [col > 0 && marked.has(cell - 1), `M${left} ${top}V${bottom}`],
        [col < cols - 1 && marked.has(cell + 1), `M${right} ${top}V${bottom}`],
      ].map(([shared, line]) => (shared ? "" : line)).join("");
    }).join("");
  }

  // A box and its label: over it, or in it where there is no room above.
  #labelled(label, shares) {
    const { message: { width, height }, scale } = this;
    const [top, left, bottom, right] = shares.map((share, axis) => clamp(share, 0, 1) * (axis % 2 ? width : height));
    const size = 12 / scale;
    const within = top < 1.3 * size;
    const ending = left > 0.6 * width;
    const text = svgElement("text", {
      x: ending ? right - 3 / scale : left + 3 / scale,
      y: within ? top + 1.1 * size : top - 0.35 * size,
      "text-anchor": ending ? "end" : "start",
      "font-size": size,
      "stroke-width": 3 / scale,
    });
    text.textContent = label;
    const group = outline("box");
    drawOutline(group, boxPath([top, left, bottom, right]));
    return [group, text];
  }
}
