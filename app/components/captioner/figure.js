// The view as a figure for print: the picture under its map and marks, the caption, the scale.

const PRINTED = { wide: 640, text: 20, line: 28 };

async function captionFigure(view) {
  const { message, map, marks, values, sharp, shownScale } = view;
  const { wide, line } = PRINTED;
  const high = Math.round((wide * message.height) / message.width);
  const caption = captionText(view);
  const page = svgPage(wide, high + caption.lines * line + 62);
  const title = svgElement("title");
  title.textContent = view.status.textContent;
  const picture = await mapFigure(message, { map, marks, values, smooth: !sharp }, wide, high);
  for (const text of picture.querySelectorAll("text")) setPrinted(text);
  caption.group.setAttribute("transform", `translate(0 ${high + line})`);
  page.append(title, picture, caption.group, svgColourBar(shownScale, 0, high + caption.lines * line + 28));
  return page;
}

// What the style sheet gives the labels on the page.
function setPrinted(text) {
  const style = { "font-weight": 600, fill: "#fff", stroke: "#000", "stroke-opacity": 0.7, "paint-order": "stroke" };
  for (const [name, value] of Object.entries(style)) text.setAttribute(name, value);
}

// The words in as many lines as they need, the shown one in colour.
function captionText({ message, step, together, marks }) {
  const { wide, text: size, line } = PRINTED;
  const pen = new Pen("sans-serif");
  const group = svgElement("g", { "font-size": size });
  let [x, lines] = [0, 1];
  message.words.forEach((word, index) => {
    const room = pen.width(word, size);
    if (x && x + room > wide) [x, lines] = [0, lines + 1];
    const shown = index === step && !together;
    const fill = shown ? getComputedStyle(marks).color : "#222";
    const text = svgElement("text", { x, y: (lines - 1) * line, fill });
    text.textContent = pen.clipped(word, size, wide);
    group.append(text);
    x += room + 8;
  });
  return { group, lines };
}
