// One step for print: source, pieces and candidates in columns, with their numbers.
function writingFigure(writer) {
  const { message, step, layer } = writer;
  const { source, inputs, candidates, chances, picked, texts } = message;
  const [wide, line, top] = [230, 20, 78];
  const count = candidates[step].length;
  const rows = Math.max(source.length, inputs.length, count);
  const page = svgPage(3 * wide + 24, top + rows * line + 16);
  const words = (text, x, y, attributes = {}) => {
    const node = svgElement("text", { x, y, "font-size": 12, fill: "#222", ...attributes });
    node.textContent = text;
    page.append(node);
  };
  const bar = (x, row, weight, text, fill, bold) => {
    const y = top + row * line;
    page.append(svgElement("rect", { x, y, width: (wide - 24) * weight, height: line - 4, fill, opacity: 0.3 }));
    words(text, x + 4, y + 12, bold ? { "font-weight": 700 } : {});
    words(share(weight), x + wide - 28, y + 12, { "text-anchor": "end", fill: "#555" });
  };
  words(texts[step], 12, 26, { "font-size": 18 });
  words(`step ${step}, layer ${layer}, mean of its heads`, 12, 46, { fill: "#555" });
  ["the source", "what it was given", "the next piece"].forEach((name, i) =>
    words(name, 12 + i * wide, 68, { "font-weight": 700 }));
  writer.row("cross").forEach((weight, i) => bar(12, i, weight, `${i} ${source[i]}`, "#b04212"));
  writer.row("own").forEach((weight, i) => {
    if (i > step) words(`${i} ${inputs[i]}  hidden`, 16 + wide, top + i * line + 12, { fill: "#888" });
    else bar(12 + wide, i, weight, `${i} ${inputs[i]}`, "#555", i === step);
  });
  candidates[step].forEach((label, rank) =>
    bar(12 + 2 * wide, rank, chances[step * count + rank], label, "#b04212", rank === picked[step]));
  return page;
}
