// The matrix with its labels as SVG groups: the same ones on the screen and in a saved file.

// All in CSS pixels.
const TEXT = 14;
const TILT = 55; // degrees, of source labels that are wider than their cells
const STRIP = { bar: 26, written: 74, bare: 40 }; // probabilities beside the rows, with percent or not
const CELL = { least: 20, width: 92, height: 46 };
const TALL = 360; // about the height of all cells
const LABEL = 132; // at most, of a tilted one
const NARROW = 460; // room that is a phone's, or one of several matrices'

// How large everything is, from the room there is.
function alignmentLayout(message, room, width) {
  const { source, target, probabilities, height } = message;
  const rows = Math.ceil(Math.max(...target.map((text, i) => width(`${i} ${text}`)))) + 18;
  const narrow = room < NARROW;
  const left = Math.min(rows, narrow ? 100 : 190);
  const strip = !probabilities.length ? 8 : narrow ? STRIP.bare : STRIP.written;
  const widths = source.map((text, i) => width(`${i} ${text}`));
  const label = Math.min(Math.max(...widths), LABEL);
  const across = (beside, columns) =>
    Math.floor(clamp((room - left - beside) / columns, CELL.least, CELL.width));
  const upright = across(strip, source.length);
  const tilted = Math.max(...widths) > upright - 8;
  const angle = (TILT * Math.PI) / 180;
  const lean = Math.ceil(Math.min(widths.at(-1), LABEL) * Math.cos(angle)) + 6; // the last label's
  const cell = {
    width: tilted ? Math.min(upright, across(lean, source.length - 0.5)) : upright,
    height: Math.floor(clamp((height ?? TALL) / target.length, CELL.least, CELL.height)),
  };
  const top = tilted ? Math.ceil(label * Math.sin(angle)) + 20 : TEXT + 16;
  const overhang = tilted ? lean - cell.width / 2 : 0;
  const size = { width: cell.width * source.length, height: cell.height * target.length };
  const right = Math.max(strip, overhang);
  return {
    left, top, cell, size, tilted, label, narrow,
    total: { width: left + size.width + right, height: top + size.height + 4 },
  };
}

// A label no wider than the room: the end is left out, the whole is its tooltip.
function clipped(text, room, width) {
  if (width(text) <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && width(letters.join("") + "…") > room) letters.pop();
  return letters.join("") + "…";
}

function written(words, attributes) {
  const node = svgElement("text", { "font-size": TEXT, fill: "currentColor", ...attributes });
  node.append(...words);
  return node;
}

// Number and text of a piece; the number keeps repeated pieces apart.
function labelText(index, text, room, width, attributes) {
  const number = svgElement("tspan", { "font-size": 10.5, "fill-opacity": 0.72 });
  number.textContent = `${index} `;
  const whole = svgElement("title");
  whole.textContent = `${index} ${text}`;
  return written([number, clipped(text, room - width(`${index} `), width), whole], attributes);
}

// Target labels, right-aligned against the cells; their origin is the cells' top left corner.
function rowLabels({ target, forced }, { left, cell }, width) {
  return target.map((text, row) => {
    const middle = (row + 0.5) * cell.height;
    const group = svgElement("g", { class: "row", "data-index": row });
    const box = { x: 4 - left, y: row * cell.height + 1, width: left - 6, height: cell.height - 2 };
    group.append(svgElement("rect", { class: "shade", ...box, opacity: 0 }));
    group.append(labelText(row, text, left - 18, width,
      { x: -9, y: middle + TEXT * 0.36, "text-anchor": "end" }));
    if (forced.includes(row)) {
      group.append(svgElement("path", { class: "mark", fill: "currentColor",
        d: `M-1 ${middle}l-6 -4v8z` }));
    }
    return group;
  });
}

// Source labels over the cells, upright or tilted.
function columnLabels({ source, unknown }, { cell, tilted, label }, width) {
  return source.map((text, column) => {
    const middle = (column + 0.5) * cell.width;
    const turn = tilted ? `translate(${middle + 4} -7) rotate(${-TILT})` : `translate(${middle} -9)`;
    const group = svgElement("g", { class: "column", "data-index": column, transform: turn });
    const long = Math.min(width(`${column} ${text}`), tilted ? label : cell.width - 8);
    const start = tilted ? 0 : -long / 2;
    group.append(svgElement("rect", { class: "shade", opacity: 0,
      x: start - 3, y: -TEXT - 2, width: long + 6, height: TEXT + 7 }));
    group.append(labelText(column, text, long + 1, width,
      { "text-anchor": tilted ? "start" : "middle" }));
    if (unknown.includes(column)) {
      group.append(svgElement("path", { class: "mark", d: `M${start} 4.5h${long}`, fill: "none",
        stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": "2 2.5" }));
    }
    return group;
  });
}

function cellRects({ weights, colours, vmax, source }, { cell }) {
  return Array.from(weights, (value, i) => svgElement("rect", {
    x: (i % source.length) * cell.width,
    y: Math.floor(i / source.length) * cell.height,
    width: cell.width - 1,
    height: cell.height - 1,
    fill: cssColour(colours, shade(value, vmax)),
  }));
}

// How probable each target piece was: a bar and its percent.
function probabilityBars({ probabilities }, { cell, size, narrow }) {
  return Array.from(probabilities, (value, row) => {
    const [x, middle] = [size.width + 8, (row + 0.5) * cell.height];
    const bar = { y: middle - 3, height: 6, x };
    const group = svgElement("g", { class: "probability" });
    group.append(
      svgElement("rect", { ...bar, width: STRIP.bar, fill: "currentColor", "fill-opacity": 0.16 }),
      svgElement("rect", { ...bar, width: STRIP.bar * value, fill: "currentColor" }),
    );
    const words = { x: x + STRIP.bar + 4, y: middle + 4, "font-size": 11 };
    if (!narrow) group.append(written([percent(value)], words));
    return group;
  });
}

// What is written small: the axis in the free corner, and p over the strip.
function caption(words, x, y = -6) {
  return written([words], { "font-size": 10.5, "fill-opacity": 0.72, x, y });
}

// The matrix as a figure for print, with what is pinned in it.
function alignmentFigure({ message, layout, groups, root }) {
  const { left, top, total } = layout;
  const page = svgPage(Math.max(total.width, 420), total.height + 40);
  const body = svgElement("g", { transform: `translate(${left} ${top})`, color: "#23211e" });
  const accent = getComputedStyle(root).getPropertyValue("--st-primary-color").trim();
  for (const group of Object.values(groups)) body.append(group.cloneNode(true));
  for (const mark of body.querySelectorAll(".mark, .pin")) mark.setAttribute("color", accent);
  for (const rect of body.querySelectorAll(".shade")) rect.setAttribute("fill", accent);
  page.append(body, svgColourBar(message, left, total.height + 6));
  return page;
}

// Where a weight lies in the colour table.
function shade(value, vmax) {
  return Math.round(255 * clamp(value / vmax, 0, 1));
}

function percent(share) {
  const points = 100 * share;
  if (points > 0 && points < 0.1) return "<0.1 %";
  return `${points.toFixed(points < 9.95 || (points > 90 && points < 99.95) ? 1 : 0)} %`;
}
