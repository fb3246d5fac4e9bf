// The lens as a figure for print, and the hatching of removed patches.

const FOOT = 40; // pixels below the picture, for the colour bar

// An SVG page that holds everything: the picture, the map, the marks and the scale.
async function lensFigure(lens) {
  const { width, height, smooth } = lens.message;
  const zoom = Math.max(1, 640 / Math.max(width, height));
  const [wide, high] = [Math.round(width * zoom), Math.round(height * zoom)];
  const page = svgPage(Math.max(wide, 420), high + FOOT);
  const title = svgElement("title");
  title.textContent = lens.status.textContent;
  const { map, marks, values, kept } = lens;
  const view = await mapFigure(lens.message, { map, marks, values, kept: kept?.kept, smooth }, wide, high);
  page.append(title, view, svgColourBar(lens.message, 0, high + 10));
  return page;
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
