// The unrolled network as a figure for print.
function unrolledFigure({ strips, layout, message, drawing, status }) {
  const { width, height } = layout.total;
  const page = svgPage(Math.max(width, 420), height + 40);
  const title = svgElement("title");
  title.textContent = status.textContent;
  const picture = svgElement("image", {
    href: strips.toDataURL("image/png"), x: 0, y: layout.top, width, height: layout.height,
    preserveAspectRatio: "none",
  });
  const lines = svgElement("g", { color: "#333" });
  lines.append(...Array.from(drawing.children, (group) => group.cloneNode(true)));
  for (const node of lines.querySelectorAll(".accent")) node.setAttribute("color", "#b04212");
  for (const node of lines.querySelectorAll(".veil")) node.setAttribute("fill", "#fff");
  const low = message.signed ? -message.vmax : 0;
  page.append(title, picture, lines, svgColourBar({ ...message, low }, MARGIN, height + 8));
  return page;
}
