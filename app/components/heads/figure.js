// The head view as a figure for print: the wall, and the lines with their words.
function headsFigure(view) {
  const { message, wall, lines } = view;
  const [left, top] = [36, 40];
  const start = left + Math.max(wall.size.width, 260) + 40; // of the lines
  const height = Math.max(wall.size.height + 60, lines.layout.height + 8);
  const page = svgPage(start + lines.layout.room, top + height + 16);
  const write = (words, x, y, options = {}) => {
    const label = svgElement("text", { x, y, "font-size": 11, fill: "#444", ...options });
    label.textContent = words;
    page.append(label);
  };
  for (let head = 0; head < message.heads; head++) {
    const x = left + wall.corner([0, head])[1] + wall.tile.width / 2;
    write(head, x, top - 6, { "text-anchor": "middle" });
  }
  for (let layer = 0; layer < message.layers; layer++) {
    const y = top + wall.corner([layer, 0])[0] + wall.tile.height / 2 + 4;
    write(layer, left - 8, y, { "text-anchor": "end" });
  }
  const maps = svgElement("svg", { x: left, y: top, ...wall.size, overflow: "visible" });
  maps.append(svgElement("image", { href: wall.maps.toDataURL("image/png"), ...wall.size }));
  const marks = svgElement("g", { color: getComputedStyle(wall.marks).color });
  marks.append(...Array.from(wall.marks.children, (mark) => mark.cloneNode(true)));
  maps.append(marks);
  const scale = { ...message, scale: "square-root scale" };
  page.append(maps, svgColourBar(scale, left, top + wall.size.height + 12));
  write(`${view.title()} · strongest ${Math.round(100 * view.share)} % of each row`, start, 16,
    { "font-size": 12 });
  page.append(linesGroup(lines, start, top, write));
  return page;
}

// The lines that are on the screen; the words beside them are written on the way.
function linesGroup(lines, x, y, write) {
  const { row, left, between, room, size } = lines.layout;
  const group = svgElement("g", { transform: `translate(${x + left} ${y})`, fill: "none" });
  const { vmax } = lines.message;
  const { edges, faintest } = lines.drawn;
  for (const [query, key, value, stroke] of edges) {
    const [from, to] = lines.ends(query, key);
    group.append(svgElement("path", {
      d: `M0 ${from}C${between / 2} ${from} ${between / 2} ${to} ${between} ${to}`,
      stroke,
      "stroke-width": lineWidth(value / vmax).toFixed(2),
      "stroke-opacity": lineOpacity(value / vmax, faintest).toFixed(3),
    }));
  }
  for (const side of ["queries", "keys"]) {
    lines.message[side].forEach((text, index) => {
      const share = lines.share(side, index);
      const words = [`${index} ${text}`, share === null ? "" : percent(share)];
      const at = y + (index + 0.5) * row + 4;
      const first = side === "queries";
      const bold = String([side, index]) === String(lines.view.currentToken) ? 700 : 400;
      write((first ? words.reverse() : words).filter(Boolean).join("  "),
        first ? x + left - 6 : x + room - lines.layout.right + 6, at,
        { "font-size": size, "text-anchor": first ? "end" : "start", "font-weight": bold });
    });
  }
  return group;
}
