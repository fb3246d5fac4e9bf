// The head view as a figure for print: the wall, and the lines with their words.
function headsFigure(view) {
  const { message, lines } = view;
  const { grid } = view.wall;
  const [left, top, right] = [36, 48, 60]; // right: what a long word with its share needs
  const start = left + Math.max(grid.size.width, 260) + 40; // of the lines
  const height = Math.max(grid.size.height + 60, lines.layout.height + 8);
  const page = svgPage(start + lines.layout.room + right, top + height + 16);
  const write = (words, x, y, options = {}) => {
    const label = svgElement("text", { x, y, fill: "#444", ...options });
    label.textContent = words;
    page.append(label);
  };
  const scale = { ...message, scale: "square-root scale" };
  page.append(grid.figure(left, top), svgColourBar(scale, left, top + grid.size.height + 12));
  const share = Math.round(100 * view.share);
  write(`${view.title()} · lines for ${share} % of each row’s weight`, start, 16,
    { "font-size": 12 });
  const { heads, mean } = view.shown;
  (mean ? [] : heads).forEach((head, place) => {
    write(`■ ${head}`, start + 32 * place, 34, { fill: message.palette[head], "font-size": 12 });
  });
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
      write((first ? words.reverse() : words).filter(Boolean).join("\u2003"),
        first ? x + left - 6 : x + room - lines.layout.right + 6, at,
        { "font-size": size, "text-anchor": first ? "end" : "start", "font-weight": bold });
    });
  }
  return group;
}
