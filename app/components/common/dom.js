function element(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}

function svgElement(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

// A line that stays visible on any picture: white, or the accent, within a dark rim.
function outline(kind) {
  const group = svgElement("g", { class: kind, fill: "none" });
  const width = kind === "pin" ? 3 : 1.5;
  const colour = kind === "pin" ? "currentColor" : "#fff";
  for (const [stroke, extra, opacity] of [["#000", 2, 0.65], [colour, 0, 1]]) {
    group.append(svgElement("path", {
      stroke,
      "stroke-width": width + extra,
      "stroke-opacity": opacity,
      "stroke-linejoin": "round",
      "vector-effect": "non-scaling-stroke",
      ...(kind === "target" ? { "stroke-dasharray": "3 2.5" } : {}),
    }));
  }
  return group;
}

function drawOutline(group, path) {
  for (const line of group.children) line.setAttribute("d", path);
}

function boxPath([top, left, bottom, right]) {
  return `M${left} ${top}H${right}V${bottom}H${left}Z`;
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// Whether the visitor's pointer can hover; a finger cannot.
function hovering() {
  return matchMedia("(hover: hover)").matches;
}

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
