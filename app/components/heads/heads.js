// The head view: which layer, heads and token are looked at, and what is said about them.

const SIDES = {
  encoder: ["source word looks …", "… at source words"],
  decoder: ["target word looks …", "… at words so far"],
  cross: ["target word looks …", "… at source words"],
};
const NAMED = 3; // tokens that the sentence names

class HeadView {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hoveredHead = this.walkedHead = null; // [layer, head]
    this.hoveredToken = this.walkedToken = this.kept = null; // [side, index]
    this.layer = null;
    this.on = new Set(); // heads whose lines are drawn
    this.mean = false;
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["chips", "mass", "columns", "status", "caption"]) {
      this[name] = find(name);
    }
    this.wall = new Maps(root, this);
    this.lines = new Lines(root, this);
    this.near = new Near(root, this);
    this.slider = this.mass.querySelector("input");
    this.slider.oninput = () => {
      this.#setShare(Number(this.slider.value));
      this.show();
    };
    find("svg").onclick = () => saveSvg(headsFigure(this), this.message.name);
    find("png").onclick = () => savePng(headsFigure(this), this.message.name);
  }

  async update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.stamp;
    this.stamp = message.stamp;
    this.choice.follow(message, send);
    if (!news) return;
    const decoded = await decodeWeights(message);
    if (message.stamp !== this.stamp) return; // a newer one came in the meantime
    const before = this.message;
    this.message = message;
    this.decoded = decoded;
    this.#series = new Map();
    if (!same(before, message, ["queries", "keys", "kind"])) {
      this.hoveredToken = this.walkedToken = this.kept = null;
    }
    if (!same(before, message, ["layers", "heads", "kind"])) this.#start();
    if (this.followed !== this.choice.order) this.#followPick();
    this.followed = this.choice.order;
    if (before?.mass !== message.mass) this.#setShare(message.mass);
    this.near.forget();
    this.#describe();
    this.#makeChips();
    this.wall.update(message, (layer, head) => this.map(layer, head));
    this.lines.update(message);
    this.show();
  }

  // Another stack: the last layer, all heads.
  #start() {
    this.hoveredHead = this.walkedHead = null;
    this.layer = this.message.layers - 1;
    this.mean = false;
    this.#allOn();
  }

  // The picked head alone; without one, all of the layer.
  #followPick() {
    if (!this.picked) return this.#allOn();
    this.layer = this.picked[0];
    this.on = new Set([this.picked[1]]);
  }

  #allOn() {
    const { heads, silenced } = this.message;
    const off = new Set(silenced.filter(([layer]) => layer === this.layer).map(([, head]) => head));
    this.on = new Set(Array.from({ length: heads }, (_, head) => head).filter((head) => !off.has(head)));
  }

  #describe() {
    const { message, root } = this;
    labelScale(root, { ...message, scale: "square-root scale, the same for every head" });
    [...this.columns.children].forEach((node, i) => (node.textContent = SIDES[message.kind][i]));
    const rounded = message.error > 5e-5
      ? ` · weights rounded to ${message.levels} steps, at most ${number(100 * message.error)} points off`
      : "";
    const masked = message.mask.includes(0) ? " · masked cells are left blank" : "";
    this.caption.textContent = `layers down, heads across${masked}${rounded}`;
  }

  #makeChips() {
    const { heads, palette } = this.message;
    const chips = Array.from({ length: heads }, (_, head) => {
      const chip = this.#chip(`${head}`, `head ${head}; double-click for this one alone`);
      chip.style.setProperty("--head", palette[head]);
      chip.onclick = (event) => (event.shiftKey ? this.solo(head) : this.toggle(head));
      chip.ondblclick = () => this.solo(head);
      return chip;
    });
    const mean = this.#chip("mean", "one line for the mean of the heads that are on");
    mean.onclick = () => this.setMean(!this.mean);
    const all = element("button", { type: "button", className: "chip text all", textContent: "all" });
    all.title = "all heads on";
    all.onclick = () => this.turnAllOn();
    this.headChips = chips;
    this.meanChip = mean;
    this.chips.replaceChildren(...chips, mean, all);
  }

  #chip(text, title) {
    const chip = element("button", { type: "button", className: "chip", title });
    chip.append(element("i"), text);
    return chip;
  }

  // One head's weights, (q, k).
  map(layer, head) {
    const { heads, mask } = this.message;
    const start = (layer * heads + head) * mask.length;
    return this.decoded.subarray(start, start + mask.length);
  }

  get picked() {
    return this.choice.value;
  }

  get currentHead() {
    return this.hoveredHead ?? this.walkedHead ?? this.picked;
  }

  get currentToken() {
    return this.hoveredToken ?? this.walkedToken ?? this.kept;
  }

  // The layer and heads whose lines are drawn: a head that is hovered or walked to comes first.
  get shown() {
    const preview = this.hoveredHead ?? this.walkedHead;
    if (preview) return { layer: preview[0], heads: [preview[1]], mean: false };
    const heads = [...this.on].sort((a, b) => a - b);
    return { layer: this.layer, heads, mean: this.mean && heads.length > 1 };
  }

  #series = new Map();

  // What is drawn: maps with their colours, and the least weight of each row that gets a line.
  series() {
    const { layer, heads, mean } = this.shown;
    const { palette, keys } = this.message;
    const remembered = (name, map, colour) => {
      if (!this.#series.has(name)) {
        const weights = map();
        const least = thresholds(weights, keys.length, this.share);
        this.#series.set(name, { map: weights, colour, least });
      }
      return this.#series.get(name);
    };
    if (!mean) {
      return heads.map((head) =>
        remembered(`${layer} ${head}`, () => this.map(layer, head), palette[head]));
    }
    const maps = () => meanMap(heads.map((head) => this.map(layer, head)));
    const accent = getComputedStyle(this.root).getPropertyValue("--st-primary-color").trim();
    return [remembered(`${layer} mean ${heads}`, maps, accent)];
  }

  // A token's weights on the other side's tokens, the mean of the heads that are shown.
  shares([side, index]) {
    const { queries, keys } = this.message;
    const { layer, heads } = this.shown;
    const count = side === "queries" ? keys.length : queries.length;
    const shares = new Float32Array(count);
    for (const head of heads) {
      const map = this.map(layer, head);
      for (let i = 0; i < count; i++) {
        const [row, column] = side === "queries" ? [index, i] : [i, index];
        shares[i] += map[row * keys.length + column] / heads.length;
      }
    }
    return shares;
  }

  hoverHead(place) {
    if (String(place) === String(this.hoveredHead)) return;
    this.hoveredHead = place;
    this.show();
  }

  walkHead(place) {
    this.hoveredHead = null;
    this.walkedHead = place;
    this.show();
  }

  pick(place) {
    if (!place) return;
    this.choice.make(String(place) === String(this.picked) ? null : place);
    this.#followPick();
    this.hoveredHead = this.walkedHead = null;
    this.show();
  }

  setLayer(layer) {
    this.layer = layer;
    this.hoveredHead = this.walkedHead = null;
    this.show();
  }

  // Page Up and Page Down go to the layer before and after; whether the key was one of them.
  turnPage(key) {
    const step = { PageUp: -1, PageDown: 1 }[key];
    if (step) this.setLayer(clamp(this.shown.layer + step, 0, this.message.layers - 1));
    return Boolean(step);
  }

  toggle(head) {
    if (!this.on.delete(head)) this.on.add(head);
    this.show();
  }

  solo(head) {
    this.on = new Set([head]);
    this.show();
  }

  setMean(mean) {
    this.mean = mean;
    this.show();
  }

  turnAllOn() {
    this.#allOn();
    this.show();
  }

  #setShare(share) {
    this.share = share;
    this.slider.value = share;
    this.mass.firstChild.textContent = `lines for ${Math.round(100 * share)} % of the weight`;
    this.#series = new Map();
  }

  hoverToken(token) {
    if (String(token) === String(this.hoveredToken)) return;
    this.hoveredToken = token;
    this.show();
  }

  walkToken(token) {
    this.hoveredToken = null;
    this.walkedToken = token;
    this.show();
  }

  keep(token) {
    this.kept = String(token) === String(this.kept) ? null : token;
    if (!token) this.hoveredToken = this.walkedToken = null;
    this.show();
  }

  show() {
    if (!this.headChips) return;
    const { layer, heads, mean } = this.shown;
    this.headChips.forEach((chip, head) => {
      chip.setAttribute("aria-pressed", heads.includes(head));
      chip.classList.toggle("silenced", this.wall.grid.isSilenced([layer, head]));
    });
    this.meanChip.setAttribute("aria-pressed", mean);
    this.wall.show();
    this.lines.show();
    this.near.show(this.currentToken);
    if (this.lines.drawn) this.status.textContent = this.#sentence();
  }

  // What is shown, in words.
  title() {
    const { layer, heads } = this.shown;
    if (!heads.length) return `Layer ${layer}, no head on`;
    const off = heads.length === 1 && this.wall.grid.isSilenced([layer, heads[0]]) ? ", silenced" : "";
    const what = heads.length === 1 ? `head ${heads[0]}${off}` : `mean of ${heads.length} heads`;
    return `Layer ${layer}, ${what}`;
  }

  #sentence() {
    const token = this.currentToken;
    const share = Math.round(100 * this.share);
    const { edges, found } = this.lines.drawn;
    const most = edges.length < found
      ? ` Of ${found.toLocaleString("en")} such lines the strongest ${edges.length.toLocaleString("en")} are drawn.`
      : "";
    const hidden = share === 100 ? "Every weight has its line."
      : `Lines drawn hold at least ${share} % of each row’s weight; the weaker rest is hidden.`;
    return `${token ? this.#about(token) : this.#invitation()} ${hidden}${most}`;
  }

  #invitation() {
    return `${hovering() ? "Hover" : "Tap"} a word to see its lines alone, with their shares.`;
  }

  #about([side, index]) {
    const { queries, keys, probabilities } = this.message;
    const [own, others] = side === "queries" ? [queries, keys] : [keys, queries];
    const shares = this.shares([side, index]);
    const order = [...shares.keys()].sort((a, b) => shares[b] - shares[a] || a - b);
    const named = order.slice(0, NAMED).filter((i) => shares[i] > 0)
      .map((i) => `${i} “${others[i]}” (${percent(shares[i])})`).join(", ");
    const chance = side === "queries" && probabilities.length
      ? ` (p = ${percent(probabilities[index])})` : "";
    const verb = side === "queries" ? "looks most at" : "is looked at most by";
    return `${this.title()}: ${index} “${own[index]}”${chance} ${verb} ${named || "nothing"}.`;
  }
}

function same(before, message, names) {
  return names.every((name) => JSON.stringify(before?.[name]) === JSON.stringify(message[name]));
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".headview");
  root.view ??= new HeadView(root);
  root.view.update(data, setStateValue);
}
