// All steps beside each other, for print.
function filmFigure(film) {
  const { message } = film;
  const { source, target, steps, says } = message;
  const [left, top, gap] = [8, 26, 14];
  const cell = clamp(Math.floor(150 / source.length), 4, 14);
  const [wide, high] = [cell * source.length, cell * target.length];
  const width = left + steps.length * (wide + gap);
  const page = svgPage(Math.max(width, 420), top + high + 24 + 18 * steps.length + 50);
  const text = (words, x, y) => {
    const label = svgElement("text", { x, y, "font-size": 12, fill: "#444" });
    label.textContent = words;
    page.append(label);
  };
  steps.forEach((step, frame) => {
    const x = left + frame * (wide + gap);
    const canvas = element("canvas", { width: wide, height: high });
    const context = canvas.getContext("2d");
    context.imageSmoothingEnabled = false;
    context.drawImage(film.strip.children[frame].firstChild, 0, 0, wide, high);
    page.append(svgElement("image", { x, y: top, width: wide, height: high, href: canvas.toDataURL() }));
    text(`step ${step.toLocaleString("en")}`, x, top - 8);
    text(`${step.toLocaleString("en")}: ${says[frame]}`, left, top + high + 24 + 18 * frame);
  });
  page.append(svgColourBar(message, left, top + high + 24 + 18 * steps.length));
  return page;
}
