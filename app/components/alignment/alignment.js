// A matrix of weights between two sentences; whatever is under the pointer says what it looks at.

const MOST = 3; // pieces that the sentence under the matrix names

class Alignment {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = null; // [row, column]; either is null over a label
    this.walked = null;
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["scroll", "board", "rows", "cells", "status"]) this[name] = find(name);
    this.groups = {};
    for (const name of ["corner", "rows", "columns", "rects", "band", "numbers", "bars"]) {
      this.groups[name] = svgElement("g", { class: name });
    }
    for (const kind of ["pin", "hover"]) this.groups[kind] = outline(kind);
    this.#listen();
    new ResizeObserver(() => this.message && this.#arrange()).observe(this.scroll);
    find("svg").onclick = () => saveSvg(alignmentFigure(this), this.message.name);
    find("png").onclick = () => savePng(alignmentFigure(this), this.message.name);
  }

  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (!news) return;
    for (const name of ["weights", "probabilities"]) {
      message[name] = new Float32Array(message[name].slice().buffer);
    }
    this.message = message;
    this.walked = null;
    labelScale(this.root, message);
    this.board.setAttribute("aria-label",
      `Weights of ${message.target.length} target pieces over ${message.source.length} source ` +
      "pieces. Arrow keys move, Enter keeps a cell.");
    this.room = null;
    this.#arrange();
  }

  // Draws everything anew if there is another amount of room.
  #arrange() {
    const room = this.scroll.clientWidth - 6;
    if (room === this.room || room < 1) return;
    this.room = room;
    const { message, groups } = this;
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = `${TEXT}px ${getComputedStyle(this.root).fontFamily}`;
    const width = (text) => pen.measureText(text).width;
    const layout = (this.layout = alignmentLayout(message, room, width));
    groups.rows.replaceChildren(...rowLabels(message, layout, width));
    groups.columns.replaceChildren(...columnLabels(message, layout, width));
    groups.rects.replaceChildren(...cellRects(message, layout));
    groups.bars.replaceChildren(...probabilityBars(message, layout));
    if (message.probabilities.length) groups.bars.append(caption("p", layout.size.width + 8));
    const edge = 4 - layout.left;
    const [across, down] = message.axes;
    groups.corner.replaceChildren(caption(`${across} →`, edge, -20), caption(`${down} ↓`, edge));
    this.#frame();
    this.show();
  }

  // The labels of the rows stay in view while the cells are scrolled.
  #frame() {
    const { left, top, total } = this.layout;
    const { corner, rows, ...others } = this.groups;
    this.rows.replaceChildren(corner, rows);
    this.cells.replaceChildren(...Object.values(others));
    for (const [svg, x, width] of [[this.rows, -left, left], [this.cells, 0, total.width - left]]) {
      for (const [name, value] of Object.entries({ width, height: total.height })) {
        svg.setAttribute(name, value);
      }
      svg.setAttribute("viewBox", `${x} ${-top} ${width} ${total.height}`);
    }
  }

  #listen() {
    const { board } = this;
    board.onpointermove = board.onpointerdown = (event) => this.hover(this.placeAt(event));
    board.onpointerleave = board.onpointercancel = () => this.hover(null);
    board.onclick = (event) => this.pin(this.placeAt(event));
    board.onblur = () => this.walk(null);
    board.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) this.walk(this.#neighbour(...ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") this.pin(this.current);
      else if (event.key === "Escape") this.walk(null);
      else return;
      event.preventDefault();
      event.stopPropagation(); // the page has shortcuts of its own
    };
  }

  // The cell under the pointer; over a label its whole row or column.
  placeAt(event) {
    const label = event.target.closest?.("[data-index]");
    if (label?.classList.contains("column")) return [null, Number(label.dataset.index)];
    const { left, top, cell } = this.layout;
    const { source, target } = this.message;
    const box = this.cells.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - top) / cell.height);
    const column = Math.floor((event.clientX - box.left) / cell.width);
    const beside = event.clientX < this.rows.getBoundingClientRect().left + left;
    if (row < 0 || row >= target.length) return null;
    return [row, beside || column >= source.length ? null : Math.max(0, column)];
  }

  #neighbour(down, right) {
    const { source, target } = this.message;
    if (!this.current) return [0, 0];
    const [row, column] = this.current;
    return [
      clamp((row ?? 0) + down, 0, target.length - 1),
      clamp((column ?? 0) + right, 0, source.length - 1),
    ];
  }

  get current() {
    return this.hovered ?? this.walked ?? this.choice.value;
  }

  hover(place) {
    if (String(place) === String(this.hovered)) return;
    this.hovered = place;
    this.show();
  }

  walk(place) {
    this.hovered = null;
    this.walked = place;
    this.show();
  }

  pin(place) {
    if (!place || place.includes(null)) return;
    this.choice.make(String(place) === String(this.choice.value) ? null : place);
    this.show();
  }

  weight(row, column) {
    return this.message.weights[row * this.message.source.length + column];
  }

  show() {
    if (!this.layout) return;
    const [row, column] = this.current ?? [null, null];
    this.#outline(row, column);
    this.#shade(row, column);
    this.#number(row, column);
    const verb = hovering() ? "Move over" : "Tap";
    this.status.textContent = this.current ? this.#sentence(row, column)
      : `${verb} the matrix or its labels to see who looks at what.`;
  }

  #outline(row, column) {
    const { cell, size } = this.layout;
    const box = (r, c) => [
      (r ?? 0) * cell.height - 0.5,
      (c ?? 0) * cell.width - 0.5,
      r === null ? size.height - 0.5 : (r + 1) * cell.height - 0.5,
      c === null ? size.width - 0.5 : (c + 1) * cell.width - 0.5,
    ];
    const chosen = this.choice.value;
    drawOutline(this.groups.pin, chosen ? boxPath(box(...chosen)) : "");
    const on = this.current && String(this.current) !== String(chosen);
    drawOutline(this.groups.hover, on ? boxPath(box(row, column)) : "");
    const bands = [[row, null], [null, column]].filter(([r, c]) => (r ?? c) !== null);
    this.groups.band.replaceChildren(...(this.current ? bands : []).map((place) =>
      svgElement("path", { d: boxPath(box(...place)), fill: "none", stroke: "currentColor",
        "stroke-opacity": 0.75 })));
  }

  // Labels get as dark as they are looked at, or look at, what is under the pointer.
  #shade(row, column) {
    const paint = (labels, index, share) => {
      [...labels.children].forEach((label, i) => {
        const strength = share ? clamp(share(i), 0, 1) : 0;
        label.querySelector(".shade").setAttribute("opacity", (0.6 * strength).toFixed(3));
        label.querySelector("text").setAttribute("font-weight", i === index ? 700 : 400);
      });
    };
    const { rows, columns } = this.groups;
    paint(columns, column, row === null ? null : (i) => this.weight(row, i));
    paint(rows, row, row !== null || column === null ? null : (i) => this.weight(i, column));
  }

  // The percent of a whole row or column, where there is room to write them.
  #number(row, column) {
    const { cell } = this.layout;
    const { source, target, vmax } = this.message;
    const line = row !== null ? source.map((_, i) => [row, i]) : target.map((_, i) => [i, column]);
    const shown = this.current && cell.width >= 34 ? line : [];
    this.groups.numbers.replaceChildren(...shown.map(([r, c]) => {
      const value = this.weight(r, c);
      return written([(100 * value).toFixed(value < 0.0995 ? 1 : 0)], {
        x: (c + 0.5) * cell.width,
        y: (r + 0.5) * cell.height + 4,
        "text-anchor": "middle",
        "font-size": 11.5,
        fill: shade(value, vmax) > 150 ? "#000" : "#fff",
      });
    }));
  }

  #sentence(row, column) {
    const { source, target, probabilities, unknown, forced } = this.message;
    const name = (labels, i) => `${i} “${labels[i]}”`;
    if (row === null) {
      const least = this.#most(target, (i) => this.weight(i, column));
      const strange = unknown.includes(column) ? ", which is not in the vocabulary," : "";
      return `Source ${name(source, column)}${strange} is looked at most by ${least}.`;
    }
    const chance = probabilities.length ? `p = ${percent(probabilities[row])}` : "";
    const about = [chance, forced.includes(row) ? "forced" : ""].filter(Boolean).join(", ");
    const who = `Target ${name(target, row)}${about && ` (${about})`}`;
    const most = this.#most(source, (i) => this.weight(row, i));
    if (column === null) return `${who} looks at ${most}.`;
    const pinned = String([row, column]) === String(this.choice.value) ? " Pinned." : "";
    return `${who} gives ${name(source, column)} ${percent(this.weight(row, column))} of its ` +
      `weight.${pinned}\nMost: ${most}.`;
  }

  #most(labels, share) {
    const order = labels.map((_, i) => i).sort((a, b) => share(b) - share(a)).slice(0, MOST);
    return order.map((i) => `${i} “${labels[i]}” ${percent(share(i))}`).join(", ");
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".alignment");
  root.alignment ??= new Alignment(root);
  root.alignment.update(data, setStateValue);
}
