// Where everything of an unrolled network lies, and the parts of its picture; CSS pixels.

const STRIPS = 240; // height of a strip
const BRIDGE = 58; // between encoder and decoder
const WIRES = 30; // from the words below to the cells above
const LINE = 14; // of text
const LONGEST = 84; // of a label that stands upright
const CURVE = 84; // height of the unit's curve
const MARGIN = 30; // at the left, for the curve's axis

function unrolledLayout(message, room, width) {
  const { source, given, said, units } = message;
  const steps = source.length + said.length;
  const step = clamp(Math.floor((room - BRIDGE - MARGIN) / steps), 17, 48);
  const [height, unit] = [STRIPS, STRIPS / units.length];
  const widest = (labels) => Math.max(...labels.map(width));
  const flat = widest([...source, ...given, ...said]) <= step - 2;
  const band = (labels) => (flat ? LINE : Math.min(Math.ceil(widest(labels)) + 4, LONGEST));
  const above = band(said);
  const top = above + LINE + 8 + 8; // labels, their numbers, an arrow
  const words = top + height + WIRES; // where the words below begin
  const curve = words + LINE + band([...source, ...given]) + 14;
  const layout = { steps, split: source.length, step, unit, height, flat, top, above, words, curve };
  layout.bar = step - (step < 24 ? 3 : 8);
  layout.total = { width: unrolledX(layout, steps) + 4, height: curve + CURVE + 8 };
  return layout;
}

// The left edge of a step's strip.
function unrolledX({ split, step }, at) {
  return MARGIN + at * step + (at >= split ? BRIDGE : 0);
}

function unrolledMiddle(layout, at) {
  return unrolledX(layout, at) + layout.bar / 2;
}

function svgWords(text, x, y, attributes = {}) {
  const node = svgElement("text", { x, y, "font-size": 12, fill: "currentColor", ...attributes });
  node.textContent = text;
  return node;
}

function svgLine(d, attributes = {}) {
  return svgElement("path", { d, fill: "none", stroke: "currentColor", ...attributes });
}

// A label at a step, upright where there is no room; what is cut off stays in its title.
function stepLabel(text, x, y, { flat, up = false, unknown = false }, fits) {
  const dashes = unknown ? { "text-decoration": "underline dotted" } : {};
  const shown = flat ? text : fits(text);
  const turn = flat ? {} : { transform: `rotate(-90 ${x} ${y})` };
  const anchor = flat ? "middle" : up ? "start" : "end";
  const at = flat ? [x, y + (up ? 0 : 10)] : [x, y];
  const node = svgWords(shown, at[0], at[1], {
    "text-anchor": anchor, "dominant-baseline": flat ? "auto" : "central", ...turn, ...dashes,
  });
  const title = svgElement("title");
  title.textContent = text;
  node.append(title);
  return node;
}

function arrowHead(x, y, angle) {
  return svgElement("path", {
    d: "M-3.5 -4L0 0L-3.5 4", fill: "none", stroke: "currentColor", "stroke-width": 1.2,
    transform: `translate(${x} ${y}) rotate(${angle})`,
  });
}

// Words below with their wires: what each step reads. Returns {wires, words}, one each a step.
function inputsOf(message, layout, fits) {
  const { source, reads, given, unknown } = message;
  const wires = [];
  const words = [];
  const numberAt = layout.words + 10;
  const bottom = layout.top + layout.height + 3;
  const one = (text, place, at, index, strange) => {
    const [from, to] = [unrolledMiddle(layout, place), unrolledMiddle(layout, at)];
    const wire = svgElement("g", { class: "quiet" });
    const faint = place === at ? 0.75 : 0.4; // where they cross
    wire.append(svgLine(`M${from} ${layout.words - 2}L${to} ${bottom + 1}`, { "stroke-opacity": faint }));
    wire.append(arrowHead(to, bottom, -90));
    const word = svgElement("g");
    word.append(svgWords(index, from, numberAt, { "text-anchor": "middle", "font-size": 10, opacity: 0.75 }));
    word.append(stepLabel(text, from, numberAt + 6, { flat: layout.flat, unknown: strange }, fits));
    wires.push(wire);
    words.push(word);
  };
  reads.forEach((place, at) => one(source[place], place, at, place, unknown.includes(place)));
  given.forEach((text, t) => one(text, layout.split + t, layout.split + t, t ? t - 1 : ""));
  return { wires, words };
}

// What the decoder says, above its cells.
function outputsOf({ said }, layout, fits) {
  const y = layout.top - 8;
  return said.map((text, t) => {
    const x = unrolledMiddle(layout, layout.split + t);
    const group = svgElement("g");
    const arrow = svgElement("g", { class: "quiet", opacity: 0.75 });
    arrow.append(svgLine(`M${x} ${layout.top - 2}V${y + 1}`), arrowHead(x, y, -90));
    group.append(arrow, svgWords(t, x, y - 3, { "text-anchor": "middle", "font-size": 10, opacity: 0.75 }));
    group.append(stepLabel(text, x, y - LINE - 2, { flat: layout.flat, up: true }, fits));
    return group;
  });
}

// The state goes from cell to cell; the last one of the encoder is all that the decoder gets.
function passages(message, layout) {
  const group = svgElement("g");
  const plain = svgElement("g", { class: "quiet", opacity: 0.75 });
  const y = layout.top + layout.height / 2;
  for (let at = 1; at < layout.steps; at++) {
    if (at === layout.split) continue;
    const to = unrolledX(layout, at);
    plain.append(svgLine(`M${to - (layout.step - layout.bar)} ${y}H${to}`));
    if (layout.step - layout.bar > 5) plain.append(arrowHead(to, y, 0));
  }
  group.append(plain);
  const accent = svgElement("g", { class: "accent" });
  const [last, first] = [unrolledX(layout, layout.split - 1), unrolledX(layout, layout.split)];
  accent.append(svgLine(`M${last + layout.bar + 2} ${y}H${first - 2}`, { "stroke-width": 2 }));
  accent.append(arrowHead(first - 1, y, 0));
  if (message.passed) {
    accent.append(svgElement("rect", {
      class: "fixed", x: last - 2, y: layout.top - 2, width: layout.bar + 4, height: layout.height + 4,
      fill: "none", stroke: "currentColor", "stroke-width": 2,
    }));
    const room = last + layout.bar - MARGIN;
    const right = room > 170;
    accent.append(svgWords(message.passed, right ? last + layout.bar + 2 : MARGIN, layout.top - 8,
      { "text-anchor": right ? "end" : "start" }));
  }
  group.append(accent);
  return group;
}

// The frame in which a unit's curve is drawn: zero, and as far as any unit goes.
function curveFrame({ reach, signed }, layout) {
  const group = svgElement("g", { class: "quiet" });
  const [left, right] = [MARGIN, layout.total.width - 4];
  const ends = signed ? [[reach, 0], [0, 0.5], [-reach, 1]] : [[reach, 0], [0, 1]];
  for (const [value, share] of ends) {
    const y = layout.curve + share * CURVE;
    group.append(svgLine(`M${left} ${y}H${right}`, { "stroke-opacity": value ? 0.25 : 0.6 }));
    group.append(svgWords(signedNumber(value), left - 5, y, {
      "text-anchor": "end", "dominant-baseline": "central", "font-size": 10,
    }));
  }
  return group;
}

function signedNumber(value) {
  return number(value).replace("-", "−");
}

function curveY({ reach, signed }, layout, value) {
  const share = value / reach;
  return layout.curve + CURVE * (signed ? (1 - share) / 2 : 1 - share);
}

// One unit over time: a broken line, because the decoder begins anew, and a dot a step.
function curvePath(message, layout, values) {
  return values.map((value, at) => {
    const start = at === 0 ? "M" : "L";
    return `${start}${unrolledMiddle(layout, at)} ${curveY(message, layout, value).toFixed(2)}`;
  }).join("");
}
