// A map over its picture: from weights to pixels as attnviz.analysis.upsample does it, and for print.

// Where the pixels of one axis lie between cell centres: 0 at the first, cells - 1 at the last; the
// outermost cells reach to the picture's edge.
function places(pixels, cells, centre, stride) {
  return Float32Array.from({ length: pixels }, (_, i) =>
    clamp((i + 0.5 - centre) / stride, 0, cells - 1));
}

class WeightMap {
  constructor(canvas, { rows, cols, height, width, centre, stride, prefix, smooth, colours }) {
    Object.assign(canvas, { width, height });
    canvas.classList.toggle("smooth", smooth);
    Object.assign(this, { rows, cols, width, height, smooth, prefix: prefix.length });
    this.down = places(height, rows, centre[0], stride[0]);
    this.across = places(width, cols, centre[1], stride[1]);
    this.full = pixelTable(colours);
    this.faded = pixelTable(colours, 40);
    this.context = canvas.getContext("2d");
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.nearest = Uint16Array.from(this.across, (place) => Math.floor(place + 0.5));
  }

  // values: one byte a token; kept: which patches stay bright, or null for all of them.
  paint(values, kept) {
    const patches = values.subarray(this.prefix);
    if (this.smooth) this.#paintSmooth(patches, kept);
    else this.#paintCells(patches, kept);
    this.context.putImageData(this.image, 0, 0);
  }

  #paintCells(patches, kept) {
    const { pixels, width, height, nearest, full, faded } = this;
    let before = -1;
    for (let y = 0; y < height; y++) {
      const row = Math.floor(this.down[y] + 0.5);
      const start = y * width;
      if (row === before) {
        pixels.copyWithin(start, start - width, start);
        continue;
      }
      before = row;
      for (let x = 0; x < width; x++) {
        const cell = row * this.cols + nearest[x];
        pixels[start + x] = (kept && !kept[cell] ? faded : full)[patches[cell]];
      }
    }
  }

  #paintSmooth(patches, kept) {
    const { pixels, width, height, nearest, full, faded, rows, cols } = this;
    const stretched = new Float32Array(rows * width); // every grid row, linear between its cells
    for (let row = 0; row < rows; row++) {
      for (let x = 0; x < width; x++) {
        const left = Math.floor(this.across[x]);
        const share = this.across[x] - left;
        const cell = row * cols + left;
        const right = share ? patches[cell + 1] : 0;
        stretched[row * width + x] = (1 - share) * patches[cell] + share * right;
      }
    }
    for (let y = 0; y < height; y++) {
      const top = Math.floor(this.down[y]);
      const share = this.down[y] - top;
      const above = top * width;
      const below = share ? above + width : above;
      const row = Math.floor(this.down[y] + 0.5) * cols;
      for (let x = 0; x < width; x++) {
        const value = (1 - share) * stretched[above + x] + share * stretched[below + x];
        const table = kept && !kept[row + nearest[x]] ? faded : full;
        pixels[y * width + x] = table[(value + 0.5) | 0];
      }
    }
  }
}

// The smallest set of patches that holds the share of their mass: a mask, and how many they are.
// Equal patches are taken in reading order, as attnviz.analysis.mass_set does.
function massSet(patches, share) {
  const order = Array.from(patches.keys()).sort((a, b) => patches[b] - patches[a] || a - b);
  const wanted = share * patches.reduce((sum, value) => sum + value, 0) * (1 - 1e-6);
  const kept = new Uint8Array(patches.length);
  let held = 0;
  let count = 0;
  while (held < wanted) {
    kept[order[count]] = 1;
    held += patches[order[count++]];
  }
  return { kept, count };
}

// The pixels (top, left, bottom, right) of a cell, as attnviz.geometry.Geometry.box.
function cellBox({ height, width, centre, stride }, row, col) {
  const span = (index, axis, size) => {
    const middle = centre[axis] + index * stride[axis];
    return [Math.max(0, middle - stride[axis] / 2), Math.min(size, middle + stride[axis] / 2)];
  };
  const [top, bottom] = span(row, 0, height);
  const [left, right] = span(col, 1, width);
  return [top, left, bottom, right];
}

// Where the map's cells end, in pixels of the picture: half way to their neighbours, the outermost
// at its edge.
function cellEdges({ rows, cols, height, width, centre, stride }) {
  const edges = (cells, size, axis) =>
    Array.from({ length: cells + 1 }, (_, i) =>
      i === 0 ? 0 : i === cells ? size : centre[axis] + (i - 0.5) * stride[axis]);
  return { down: edges(rows, height, 0), across: edges(cols, width, 1) };
}

// Every cell as a rectangle, edge to edge; values: one byte a patch.
function cellRectangles(message, values, kept) {
  const { rows, cols, colours } = message;
  const { down, across } = cellEdges(message);
  const group = svgElement("g", { "shape-rendering": "crispEdges" });
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const patch = row * cols + col;
      group.append(svgElement("rect", {
        x: across[col],
        y: down[row],
        width: across[col + 1] - across[col],
        height: down[row + 1] - down[row],
        fill: cssColour(colours, values[patch]),
        ...(kept && !kept[patch] ? { "fill-opacity": 0.16 } : {}),
      }));
    }
  }
  return group;
}

// The picture under its map and marks, for print: wide × high. The view has the canvas `map` or, for
// sharp cells, the `values` of all tokens and which of them are `kept`; `marks` is an SVG over it.
async function mapFigure(message, { map, values, kept, marks, smooth }, wide, high) {
  const { picture, kind, width, height, opacity, prefix } = message;
  const figure = svgElement("svg", {
    width: wide,
    height: high,
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: "none",
  });
  const box = { width, height, preserveAspectRatio: "none" };
  const drawn = smooth
    ? svgElement("image", { href: map.toDataURL("image/png"), ...box })
    : cellRectangles(message, values.subarray(prefix.length), kept);
  drawn.setAttribute("opacity", opacity);
  const lines = svgElement("g", { color: getComputedStyle(marks).color });
  lines.append(...Array.from(marks.children, (mark) => mark.cloneNode(true)));
  figure.append(svgElement("image", { href: await dataAddress(picture, kind), ...box }), drawn, lines);
  return figure;
}
