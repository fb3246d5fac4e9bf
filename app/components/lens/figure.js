// The lens as a figure for print, and the hatching of removed patches.

const FOOT = 40; // pixels below the picture, for the colour bar

// An SVG page that holds everything: the picture, the map, the marks and the scale.
async function lensFigure(lens) {
  const { picture, kind, width, height, opacity, smooth } = lens.message;
  const zoom = Math.max(1, 640 / Math.max(width, height));
  const [wide, high] = [Math.round(width * zoom), Math.round(height * zoom)];
  const page = svgPage(Math.max(wide, 420), high + FOOT);
  const title = svgElement("title");
  title.textContent = lens.status.textContent;
  const view = svgElement("svg", {
    width: wide,
    height: high,
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: "none",
  });
  const box = { width, height, preserveAspectRatio: "none" };
  view.append(svgElement("image", { href: await dataAddress(picture, kind), ...box }));
  const map = smooth
    ? svgElement("image", { href: lens.map.toDataURL("image/png"), ...box })
    : cellRectangles(lens);
  map.setAttribute("opacity", opacity);
  const marks = svgElement("g", { color: getComputedStyle(lens.marks).color });
  marks.append(...Array.from(lens.marks.children, (mark) => mark.cloneNode(true)));
  view.append(map, marks);
  page.append(title, view);
  page.append(svgColourBar(lens.message, 0, high + 10));
  return page;
}

// Every cell as a rectangle, edge to edge; the outermost reach to the picture's edge.
function cellRectangles({ message, values, kept }) {
  const { rows, cols, height, width, centre, stride, prefix, colours } = message;
  const edges = (cells, size, axis) =>
    Array.from({ length: cells + 1 }, (_, i) =>
      i === 0 ? 0 : i === cells ? size : centre[axis] + (i - 0.5) * stride[axis]);
  const [down, across] = [edges(rows, height, 0), edges(cols, width, 1)];
  const group = svgElement("g", { "shape-rendering": "crispEdges" });
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const patch = row * cols + col;
      group.append(svgElement("rect", {
        x: across[col],
        y: down[row],
        width: across[col + 1] - across[col],
        height: down[row + 1] - down[row],
        fill: cssColour(colours, values[prefix.length + patch]),
        ...(kept && !kept.kept[patch] ? { "fill-opacity": 0.16 } : {}),
      }));
    }
  }
  return group;
}

// Three strokes across each box, light on dark, so that they show on any picture.
function drawHatching(group, boxes) {
  const path = boxes.map(([top, left, bottom, right]) => {
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    return `M${left} ${bottom}L${right} ${top}M${left} ${y}L${x} ${top}M${x} ${bottom}L${right} ${y}`;
  }).join("");
  const lines = [["#000", 3, 0.6], ["#fff", 1.2, 1]].map(([stroke, width, opacity]) =>
    svgElement("path", {
      d: path,
      stroke,
      "stroke-width": width,
      "stroke-opacity": opacity,
      "vector-effect": "non-scaling-stroke",
    }));
  group.replaceChildren(...lines);
}
