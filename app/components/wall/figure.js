// The wall as a figure for print.
function wallFigure(wall) {
  const { message, size, tile } = wall;
  const [left, top] = [32, 20];
  const page = svgPage(Math.max(left + size.width, 420), top + size.height + 40);
  const text = (words, x, y, anchor) => {
    const label = svgElement("text", { x, y, "text-anchor": anchor, "font-size": 11, fill: "#444" });
    label.textContent = words;
    return label;
  };
  for (let head = 0; head < message.heads; head++) {
    page.append(text(head, left + wall.corner([0, head])[1] + tile.width / 2, top - 6, "middle"));
  }
  for (let layer = 0; layer < message.layers; layer++) {
    page.append(text(layer, left - 8, top + wall.corner([layer, 0])[0] + tile.height / 2 + 4, "end"));
  }
  const view = svgElement("svg", { x: left, y: top, ...size, overflow: "visible" });
  view.append(svgElement("image", { href: wall.maps.toDataURL("image/png"), ...size }));
  const marks = svgElement("g", { color: getComputedStyle(wall.marks).color });
  marks.append(...Array.from(wall.marks.children, (mark) => mark.cloneNode(true)));
  view.append(marks);
  page.append(view);
  page.append(svgColourBar(message, left, top + size.height + 10));
  return page;
}
