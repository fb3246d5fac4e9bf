// What drawings of single steps have in common: text, symbols, vectors, arrows and candidates.

class Sheet {
  constructor(font) {
    this.pen = new Pen(font);
  }

  text(text, x, y, { anchor = "middle", size = 14, title, room, ...rest } = {}) {
    const node = svgElement("text", { x, y, "text-anchor": anchor, "font-size": size, fill: "currentColor", ...rest });
    node.textContent = room ? this.pen.clipped(text, size, room) : text;
    if (title) node.append(Object.assign(svgElement("title"), { textContent: title }));
    return node;
  }

  // A variable with its index.
  symbol(letter, index, x, y, { size = 15, anchor = "middle", ...rest } = {}) {
    const node = svgElement("text", { x, y, "text-anchor": anchor, "font-size": size, fill: "currentColor", ...rest });
    const name = svgElement("tspan", { "font-style": "italic", "font-family": "serif" });
    name.textContent = letter;
    const small = svgElement("tspan", { dy: 4, "font-size": 0.72 * size });
    small.textContent = index;
    node.append(name, small);
    return node;
  }

  // A vector's tile with its frame. facts: what the pointer is told of it (data-…).
  tile(href, { x, y, width, height }, facts, rest = {}) {
    const box = { x, y, width, height };
    const data = Object.entries(facts).map(([name, value]) => [`data-${name}`, value]);
    const group = svgElement("g", Object.fromEntries(data));
    const image = svgElement("image", {
      ...box, href, preserveAspectRatio: "none", style: "image-rendering: pixelated", ...rest,
    });
    const frame = svgElement("rect", { ...box, fill: "none", stroke: "currentColor", "stroke-opacity": 0.3 });
    group.append(image, frame);
    return group;
  }

  arrow(from, to, y, rest = {}) {
    const d = `M${from} ${y}H${to}m-6-4 6 4-6 4`;
    return svgElement("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 1.25, ...rest });
  }

  // The likeliest pieces as bars, the written one marked. plan: `left` and `top`, room for the
  // `label`, length of the longest `bar`; then: what is said of the written one, if there is room.
  candidates(walk, step, { left, top, label, bar, most, then }) {
    return likeliest(walk, step, most).flatMap(([piece, chance, chosen], place) => {
      const y = top + 24 * place;
      const tone = chosen ? { class: "accent", "font-weight": 600 } : {};
      const x = left + label + 8;
      return [
        this.text(piece, left + label, y + 14, { anchor: "end", size: 15, room: label, title: piece, ...tone }),
        svgElement("rect", {
          class: chosen ? "bar stretch accent" : "bar stretch", x, y: y + 4, height: 12,
          width: Math.max(bar * chance, 0.5), fill: "currentColor", "fill-opacity": chosen ? 1 : 0.55,
        }),
        this.text(percentage(chance), x + bar + 62, y + 14, { anchor: "end", size: 13, title: chance.toPrecision(7) }),
        chosen && then && this.arrow(x + bar + 70, x + bar + 88, y + 10, { class: "accent later" }),
        chosen && then && this.text(then, x + bar + 93, y + 14, { anchor: "start", size: 13, class: "accent later" }),
      ];
    });
  }
}

// The likeliest pieces as [piece, probability, whether it was written]; the written one is there.
function likeliest(walk, step, most) {
  const { candidates, picked, target, probabilities } = walk;
  const chances = walk.row("chances", step);
  const rows = candidates[step].map((piece, i) => [piece, chances[i], i === picked[step]]);
  const shown = rows.slice(0, most);
  if (!shown.some(([, , chosen]) => chosen)) shown[most - 1] = [target[step], probabilities[step], true];
  return shown;
}
