// One attention layer as linked matrices: everything is computed here, while a vector is dragged.

const TITLES = {
  X: "X, vectors", Wq: "W<sub>Q</sub>", Wk: "W<sub>K</sub>", Wv: "W<sub>V</sub>", Q: "Q, queries",
  K: "K, keys", V: "V, values", S: "scores", M: "M, mask", A: "weights", O: "O, outputs",
};
const PROJECTIONS = [["Wq", "Q"], ["Wk", "K"], ["Wv", "V"]];
const PAIRS = ["S", "M", "A", "O"];

class Linked {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.draft = null; // a setup that is being changed, before the page hears of it
    this.hovered = null; // [matrix, row, column]
    this.token = null; // the one whose looks are drawn in the plane
    for (const name of ["status", "masks", "projections", "pairs", "matrices", "caption"]) {
      this[name] = root.querySelector(`.${name}`);
    }
    this.scaled = root.querySelector(".scaled input");
    this.plane = new Plane(root.querySelector(".plane"), {
      move: (i, point) => this.change((setup) => (setup.X[i] = point)),
      dropped: () => this.report(),
      look: (i) => this.look(i),
    });
    this.#listen();
    new ResizeObserver(() => this.all && this.#measure()).observe(this.matrices);
  }

  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (news) {
      this.message = message;
      this.draft = null;
      this.#build();
    }
    this.show();
  }

  get setup() {
    return this.draft ?? readSetup(this.choice.value ?? this.message.start);
  }

  change(edit) {
    this.draft = this.setup;
    edit(this.draft);
    this.show();
  }

  report() {
    if (!this.draft) return;
    this.choice.make(writeSetup(this.draft));
    this.draft = null;
    this.show();
  }

  #build() {
    const { labels, view, caption } = this.message;
    this.root.dataset.view = view;
    this.caption.textContent = caption;
    this.cells = {};
    this.lists = {};
    const n = labels.length;
    const groups = PROJECTIONS.map(([matrix, result]) => {
      const group = element("div", { className: "group" });
      group.append(this.#weights(matrix), this.#matrix(result, n, DIMENSION));
      return group;
    });
    this.projections.replaceChildren(this.#matrix("X", n, DIMENSION, labels), ...groups);
    const order = view === "mask" ? ["M", "S", "A", "O"] : PAIRS;
    this.pairs.replaceChildren(...order.map((name) =>
      this.#matrix(name, n, name === "O" ? DIMENSION : n, name === order[0] ? labels : null)));
    this.plane.build(labels);
    this.masks.replaceChildren(...Object.keys(MASKS).map((kind) => this.#maskButton(kind)));
    this.#measure();
  }

  #matrix(name, rows, columns, labels = null) {
    const figure = element("figure", { className: "matrix" });
    figure.dataset.name = name;
    const grid = element("div", { className: "grid" });
    grid.style.gridTemplateColumns = `auto repeat(${columns}, var(--cell))`;
    if (PAIRS.includes(name)) {
      grid.append(element("b"), ...Array.from({ length: columns }, (_, j) =>
        element("b", { className: "top", textContent: name === "O" ? "\u00a0" : j + 1 })));
    }
    this.cells[name] = Array.from({ length: rows }, (_, i) => {
      const text = labels ? labels[i] : String(i + 1);
      grid.append(element("b", { textContent: text, title: text }));
      return Array.from({ length: columns }, (_, j) => grid.appendChild(this.#cell(name, i, j)));
    });
    const caption = element("figcaption");
    caption.append(element("span", { innerHTML: TITLES[name] }));
    figure.append(caption, grid);
    return figure;
  }

  #cell(name, row, column) {
    const cell = element(name === "M" ? "button" : "span", { className: "cell" });
    Object.assign(cell, { place: [name, row, column] });
    if (name === "M") {
      cell.type = "button";
      cell.tabIndex = row + column ? -1 : 0;
      cell.onclick = () => {
        this.change(({ M }) => (M[row][column] = 1 - M[row][column]));
        this.report();
      };
      cell.onkeydown = (event) => this.#step(event, row, column);
    }
    return cell;
  }

  #step(event, row, column) {
    if (!(event.key in ARROWS)) return;
    const [down, right] = ARROWS[event.key];
    this.cells.M[row + down]?.[column + right]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  // A 2 × 2 matrix of number fields under a list of usual ones.
  #weights(name) {
    const figure = this.#matrix(name, 0, DIMENSION);
    const grid = figure.querySelector(".grid");
    grid.style.gridTemplateColumns = "repeat(2, 3.1rem)";
    this.cells[name] = [0, 1].map((row) => [0, 1].map((column) => {
      const field = element("input", { type: "number", step: 0.1, min: -9.99, max: 9.99, className: "cell" });
      field.place = [name, row, column];
      field.setAttribute("aria-label", `${name} row ${row + 1} column ${column + 1}`);
      field.oninput = () => {
        const value = Number(field.value);
        if (field.value !== "" && Number.isFinite(value)) {
          this.change((setup) => (setup[name][row][column] = Math.round(100 * clamp(value, -9.99, 9.99)) / 100));
        }
      };
      field.onchange = () => this.report();
      grid.append(field);
      return field;
    }));
    const list = element("select");
    list.setAttribute("aria-label", `${name}: a usual matrix`);
    list.append(element("option", { value: "", textContent: "own" }));
    for (const preset of Object.keys(this.message.presets)) {
      list.append(element("option", { value: preset, textContent: preset }));
    }
    list.onchange = () => {
      const matrix = this.message.presets[list.value]?.[name];
      if (!matrix) return;
      this.change((setup) => (setup[name] = matrix.map((row) => [...row])));
      this.report();
    };
    figure.querySelector("figcaption").append(list);
    this.lists[name] = list;
    return figure;
  }

  #maskButton(kind) {
    const button = element("button", { type: "button" });
    button.dataset.kind = kind;
    button.onclick = () => {
      const n = this.message.labels.length;
      // Pressed again, a band widens and padding grows, and both begin anew.
      const size = this.mask?.kind === kind ? (this.mask.size % (n - 1)) + 1 : 1;
      this.change((setup) => (setup.M = usualMask(kind, n, size)));
      this.report();
    };
    return button;
  }

  // The usual mask that is set, with its size, if it is one.
  #recognised(M) {
    const n = M.length;
    for (const kind of Object.keys(MASKS)) {
      for (let size = 1; size < n; size++) {
        if (String(usualMask(kind, n, size)) === String(M)) return { kind, size };
      }
    }
    return null;
  }

  #listen() {
    const { root } = this;
    root.onpointerover = (event) => this.hover(event.target.closest?.(".cell")?.place ?? null);
    root.onpointerleave = () => this.hover(null);
    root.addEventListener("focusin", (event) => event.target.place && this.hover(event.target.place));
    for (const symbol of root.querySelectorAll("[data-symbol]")) {
      symbol.onpointerover = (event) => {
        event.stopPropagation();
        this.hover([symbol.dataset.symbol, null, null]);
      };
    }
    this.scaled.onchange = () => {
      this.change((setup) => (setup.scaled = this.scaled.checked));
      this.report();
    };
    root.querySelector(".reset").onclick = () => {
      this.draft = readSetup(this.message.start);
      this.report();
    };
    root.querySelector(".svg").onclick = () => saveSvg(linkedFigure(this), this.message.name);
    root.querySelector(".png").onclick = () => savePng(linkedFigure(this), this.message.name);
  }

  hover(place) {
    if (String(place) === String(this.hovered)) return;
    this.hovered = place;
    const queries = ["X", "Q", "S", "M", "A", "O"];
    this.token = place && queries.includes(place[0]) ? place[1] : null;
    this.#light();
    this.plane.draw(this.all, this.token);
  }

  look(token) {
    this.hovered = token === null ? null : ["X", token, 0];
    this.token = token;
    this.#light();
    this.plane.draw(this.all, token);
  }

  #measure() {
    const n = this.message.labels.length;
    const room = this.matrices.clientWidth;
    const fits = room > 440 ? (room - 160) / (3 * n + 2) : (room - 90) / n;
    this.root.style.setProperty("--cell", `${Math.floor(clamp(fits, 21, 46))}px`);
    this.root.style.setProperty("--large", `${Math.floor(clamp((room - 40) / n, 22, 51))}px`);
    this.short = fits < 30;
    this.show();
  }

  show() {
    const { setup } = this;
    this.all = attention(setup);
    this.mask = this.#recognised(setup.M);
    this.scaled.checked = setup.scaled;
    this.root.querySelector(".root").hidden = !setup.scaled;
    for (const button of this.masks.children) {
      const { kind } = button.dataset;
      const on = kind === this.mask?.kind;
      const size = { band: " ±", padding: " " }[kind];
      button.textContent = on && size ? `${kind}${size}${this.mask.size}` : kind;
      button.setAttribute("aria-pressed", on);
    }
    for (const [name, list] of Object.entries(this.lists)) {
      const [usual] = Object.entries(this.message.presets).find(([, each]) =>
        String(each[name]) === String(setup[name])) ?? [""];
      list.value = usual;
    }
    const reach = (names) => Math.max(1e-9, ...names.flatMap((name) => this.all[name].flat().map(Math.abs)));
    const reaches = { S: reach(["S"]), A: 1, M: 1 };
    const vectors = reach(["X", "Q", "K", "V", "O"]);
    for (const [name, cells] of Object.entries(this.cells)) {
      cells.forEach((row, i) => row.forEach((cell, j) =>
        this.#fill(cell, name, this.all[name][i][j], reaches[name] ?? vectors)));
    }
    this.#light();
    this.plane.draw(this.all, this.token);
  }

  #fill(cell, name, value, reach) {
    if (cell.tagName === "INPUT") {
      if (!cell.matches(":focus") || Number(cell.value) !== value) cell.value = value;
      return;
    }
    cell.number = value;
    const hidden = name === "M" && !value;
    cell.classList.toggle("hidden", hidden);
    if (name === "M") {
      cell.textContent = value ? "0" : "−∞";
      cell.setAttribute("aria-pressed", hidden);
      return;
    }
    cell.textContent = fixed(value, this.short && name !== "O" && Math.abs(value) >= 0.95 ? 1 : 2);
    cell.style.setProperty("--share", `${Math.round(72 * Math.min(1, Math.abs(value) / reach))}%`);
    cell.classList.toggle("below", value < 0);
  }

  // Lights what belongs to the hovered cell, and its symbol in the formula.
  #light() {
    const { hovered, root } = this;
    for (const node of root.querySelectorAll(".lit, .here")) node.classList.remove("lit", "here");
    this.status.textContent = hovered && hovered[1] !== null
      ? arithmetic(...hovered, this.all, this.setup.scaled)
      : this.message.hint;
    if (!hovered) return;
    const [name, row, column] = hovered;
    for (const symbol of root.querySelectorAll(`[data-symbol="${name}"]`)) symbol.classList.add("lit");
    const links = row === null ? [[name, null, null]] : LINKS[name](row, column);
    for (const [matrix, i, j] of links) {
      this.cells[matrix].forEach((cells, at) => cells.forEach((cell, place) => {
        if ((i === null || i === at) && (j === null || j === place)) cell.classList.add("lit");
      }));
    }
    if (row !== null) this.cells[name][row][column]?.classList.add("here");
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".linked");
  root.linked ??= new Linked(root);
  root.linked.update(data, setStateValue);
}
