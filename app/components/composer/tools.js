// The toolbar: for the scene, then for the selected object. Lines, and what is filled.
const TOOLS = [
  ["undo", "Undo", "M8 5 4 9l4 4M4 9h10a5 5 0 0 1 0 10h-4", ""],
  ["redo", "Redo", "M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h4", ""],
  ["empty", "Empty the scene", "M4 4h16v16H4zM9 9l6 6M15 9l-6 6", ""],
  ["forward", "Bring forward", "M15 6.5V4H4v11h2.5", "M9 9h11v11H9z"],
  ["backward", "Send backward", "M9 9h11v11H9z", "M4 4h11v2.5H6.5V15H4z"],
  ["flip", "Flip", "M9.5 6v12H3zM12 3v3M12 8.5v2.5M12 13.5v2.5M12 18.5v2.5", "M14.5 6v12H21z"],
  ["duplicate", "Duplicate", "M9 9h11v11H9zM14.5 12v5M12 14.5h5M6.5 15H4V4h11v2.5", ""],
  ["remove", "Remove", "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5", ""],
];

class Tools {
  constructor(bar, composer) {
    this.buttons = Object.fromEntries(TOOLS.map(([act, title, lines, filled]) => {
      const button = element("button", { type: "button", className: act, title });
      button.setAttribute("aria-label", title);
      button.append(icon(lines, filled));
      button.onclick = (event) => {
        composer[act]();
        if (event.detail) composer.stage.focus(); // of a pointer; keys stay where they are
      };
      return [act, button];
    }));
    bar.append(...Object.values(this.buttons));
  }

  // possible: for each act, whether there is something to do.
  show(possible) {
    for (const [act, button] of Object.entries(this.buttons)) button.disabled = !possible[act];
  }
}

function icon(lines, filled) {
  const svg = svgElement("svg", { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true" });
  const line = { fill: "none", stroke: "currentColor", "stroke-width": 1.6, "stroke-linejoin": "round" };
  svg.append(svgElement("path", { d: lines, "stroke-linecap": "round", ...line }));
  if (filled) svg.append(svgElement("path", { d: filled, ...line, fill: "currentColor" }));
  return svg;
}
