// One layer's heads as lines between the queries, left, and the keys, right.

// All in CSS pixels.
const [LOWEST, HIGHEST] = [16, 26]; // height of a token
const ROOM = 560; // about the height of all tokens
// How many lines are drawn at once, the strongest: more would be one grey surface, and slow.
const MOST_LINES = { layer: 1200, token: 400 };
const FAINTEST = { layer: 0.08, token: 0.3 }; // opacity of the weakest line

class Lines {
  // view: told `hoverToken(token)`, `walkToken(token)` and `keep(token)`; a token is [side, index].
  constructor(root, view) {
    this.view = view;
    for (const name of ["pair", "inner", "queries", "keys", "lines", "columns"]) {
      this[name] = root.querySelector(`.${name}`);
    }
    this.context = this.lines.getContext("2d");
    this.#listen();
    new ResizeObserver(() => this.message && this.arrange()).observe(this.pair);
  }

  update(message) {
    this.message = message;
    this.pair.setAttribute("aria-label",
      `${message.queries.length} queries and ${message.keys.length} keys. ` +
      "Up and down move, left and right change the side, Enter keeps a token, " +
      "Page Up and Page Down change the layer.");
    this.#label(this.queries, message.queries, "queries");
    this.#label(this.keys, message.keys, "keys");
    this.arrange();
  }

  #label(parent, texts, side) {
    const before = side === "queries";
    parent.replaceChildren(...texts.map((text, index) => {
      const token = element("div", { className: "token", title: `${index} ${text}` });
      Object.assign(token.dataset, { side, index });
      const share = element("b");
      const words = [element("small", { textContent: index }), element("span", { textContent: text })];
      token.append(element("i"), ...(before ? [share, ...words] : [...words, share]));
      return token;
    }));
  }

  // Sizes from the room there is, then everything drawn anew.
  arrange() {
    const { queries, keys } = this.message;
    const room = this.inner.clientWidth;
    if (room < 1) return;
    const most = Math.max(queries.length, keys.length);
    const row = Math.floor(clamp(ROOM / most, LOWEST, HIGHEST));
    const height = row * most;
    this.inner.style.height = `${height}px`;
    this.pair.style.maxHeight = `${ROOM + 24}px`;
    const pen = new Pen(getComputedStyle(this.pair).fontFamily);
    const size = row < 20 ? 12 : 14;
    const wide = (texts) => Math.ceil(clamp(
      Math.max(...texts.map((text, i) => pen.width(text, size) + pen.width(String(i), 11))) + 66,
      90, room * 0.38));
    const [left, right] = [wide(queries), wide(keys)];
    for (const [side, width] of [[this.queries, left], [this.keys, right]]) {
      side.style.cssText = `width:${width}px;font-size:${size}px`;
      for (const token of side.children) token.style.height = `${row}px`;
    }
    const between = Math.max(20, room - left - right);
    const sharp = window.devicePixelRatio || 1;
    const seen = Math.min(height, this.pair.clientHeight); // the canvas stays in view
    Object.assign(this.lines, { width: between * sharp, height: seen * sharp });
    this.lines.style.cssText = `margin-left:${left}px;width:${between}px;height:${seen}px`;
    const [first, last] = this.columns.children;
    first.style.width = `${left}px`;
    last.style.width = `${right + this.pair.offsetWidth - room}px`;
    this.layout = { row, height, seen, left, right, between, sharp, room, size };
    this.show();
  }

  #listen() {
    const { pair, view } = this;
    const under = ({ target }) => {
      const token = target.closest?.(".token");
      return token ? [token.dataset.side, Number(token.dataset.index)] : null;
    };
    pair.onpointermove = pair.onpointerdown = (event) => view.hoverToken(under(event));
    pair.onpointerleave = pair.onpointercancel = () => view.hoverToken(null);
    pair.onclick = (event) => view.keep(under(event));
    pair.onscroll = () => this.layout && this.#paint();
    pair.onblur = () => view.walkToken(null);
    pair.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) this.#walk(...ARROWS[event.key]);
      else if (event.key === "Enter" || event.key === " ") view.keep(view.currentToken);
      else if (event.key === "Escape") view.keep(null);
      else if (!view.turnPage(event.key)) return;
      event.preventDefault();
      event.stopPropagation(); // the page has shortcuts of its own
    };
  }

  #walk(down, right) {
    const [side, index] = this.view.currentToken ?? ["queries", -1];
    const now = right ? (right > 0 ? "keys" : "queries") : side;
    const last = this.message[now].length - 1;
    const place = clamp(index + down, 0, last);
    this[now].children[place].scrollIntoView({ block: "nearest" });
    this.view.walkToken([now, place]);
  }

  // Draws the lines of the whole layer, or those of one token with its shares.
  show() {
    if (!this.layout) return;
    const token = this.view.currentToken;
    const kind = token ? "token" : "layer";
    const edges = token ? this.#tokenEdges(token) : this.#layerEdges();
    const found = edges.length;
    edges.sort((a, b) => a[2] - b[2]); // strong lines last, over the weak ones
    this.drawn = { edges: edges.slice(-MOST_LINES[kind]), found, faintest: FAINTEST[kind] };
    this.shares = token ? this.view.shares(token) : null;
    this.#paint();
  }

  #tokenEdges([side, index]) {
    const columns = this.message.keys.length;
    const edges = [];
    for (const { map, colour, least } of this.view.series()) {
      const add = (row, column) => {
        const value = map[row * columns + column];
        if (value >= least[row]) edges.push([row, column, value, colour]);
      };
      if (side === "queries") for (let column = 0; column < columns; column++) add(index, column);
      else for (let row = 0; row < least.length; row++) add(row, index);
    }
    return edges;
  }

  #layerEdges() {
    const columns = this.message.keys.length;
    const edges = [];
    for (const { map, colour, least } of this.view.series()) {
      for (let row = 0, i = 0; row < least.length; row++) {
        for (let column = 0; column < columns; column++, i++) {
          if (map[i] >= least[row]) edges.push([row, column, map[i], colour]);
        }
      }
    }
    return edges;
  }

  // Draws what is in view.
  #paint() {
    const { height, seen } = this.layout;
    const top = clamp(this.pair.scrollTop, 0, height - seen);
    this.#stroke(top, top + seen);
    this.#shade(top, top + seen);
  }

  #stroke(top, bottom) {
    const { context, layout } = this;
    const { vmax } = this.message;
    const { edges, faintest } = this.drawn;
    context.setTransform(layout.sharp, 0, 0, layout.sharp, 0, 0);
    context.clearRect(0, 0, layout.between, layout.seen);
    context.translate(0, -top);
    for (const [row, column, value, colour] of edges) {
      const [from, to] = this.ends(row, column);
      if (Math.max(from, to) < top || Math.min(from, to) > bottom) continue;
      context.beginPath();
      context.moveTo(0, from);
      context.bezierCurveTo(layout.between / 2, from, layout.between / 2, to, layout.between, to);
      context.strokeStyle = colour;
      context.lineWidth = lineWidth(value / vmax);
      context.globalAlpha = lineOpacity(value / vmax, faintest);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  ends(row, column) {
    return [(row + 0.5) * this.layout.row, (column + 0.5) * this.layout.row];
  }

  // What is written beside a token: its share, while one on the other side is looked at.
  share(side, index) {
    const token = this.view.currentToken;
    return token && token[0] !== side ? this.shares[index] : null;
  }

  // The token's shares beside the other side's tokens, exact, whatever the lines leave out.
  #shade(top, bottom) {
    const { currentToken: token, kept } = this.view;
    const { row } = this.layout;
    for (const side of ["queries", "keys"]) {
      const nodes = [...this[side].children].slice(Math.floor(top / row), Math.ceil(bottom / row));
      nodes.forEach((node) => {
        const index = Number(node.dataset.index);
        const share = this.share(side, index);
        const words = share === null ? "" : percent(share);
        const label = node.querySelector("b");
        if (label.textContent !== words) {
          label.textContent = words;
          node.querySelector("i").style.opacity = (0.55 * Math.min(1, share ?? 0)).toFixed(3);
        }
        node.classList.toggle("current", String([side, index]) === String(token));
        node.classList.toggle("kept", String([side, index]) === String(kept));
      });
    }
  }
}

// From a weight as a share of the scale's end, which is the same for every head.
function lineWidth(strength) {
  return 0.6 + 4.4 * Math.min(1, strength);
}

function lineOpacity(strength, faintest) {
  return clamp(0.9 * Math.sqrt(strength), faintest, 0.9);
}

function percent(share) {
  const points = 100 * share;
  if (points > 0 && points < 0.05) return "<0.1\u00a0%";
  return `${points.toFixed(points < 99.95 ? 1 : 0)}\u00a0%`;
}
