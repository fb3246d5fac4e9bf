// The player: which step and layer are shown, and what moves them.

const PACE = 1300; // milliseconds a step
const REST = 1000; // milliseconds at one place until the page hears of it
const FULL = 65535; // what a weight of 1 travels as
const FAINT = 0.02; // weights below have no line

class Writer {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["said", "play", "scrub", "clock", "layers", "picture", "lines"]) this[name] = find(name);
    for (const name of ["source", "given", "candidates", "status"]) this[name] = find(name);
    this.play.onclick = () => (this.timer ? this.#rest() : this.#start());
    this.scrub.oninput = () => this.#byHand(Number(this.scrub.value), this.layer);
    root.onkeydown = (event) => this.#key(event);
    new ResizeObserver(() => this.message && this.#connect()).observe(this.picture);
    find("svg").onclick = () => saveSvg(writingFigure(this), this.message.name);
    find("png").onclick = () => savePng(writingFigure(this), this.message.name);
  }

  update(data, send) {
    const message = unpack(data);
    const [news, order] = [message.stamp !== this.message?.stamp, this.choice.order];
    this.choice.follow(message, send);
    if (!news && order === this.choice.order) return;
    for (const name of ["cross", "own"]) message[name] = new Uint16Array(message[name].slice().buffer);
    message.chances = new Float32Array(message.chances.slice().buffer);
    this.message = message;
    this.#halt();
    this.#build();
    this.show(...(this.choice.value ?? this.#middle()));
  }

  #middle() {
    return [Math.floor(this.message.target.length / 2), Math.max(this.message.layers - 2, 0)];
  }

  #build() {
    const { source, unknown, inputs, target, layers, language } = this.message;
    this.said.lang = language;
    this.scrub.max = target.length - 1;
    const buttons = Array.from({ length: layers }, (_, layer) => {
      const button = element("button", { type: "button", textContent: layer });
      button.onclick = () => this.#byHand(this.step, layer);
      return button;
    });
    this.layers.replaceChildren(element("span", { textContent: "layer" }), ...buttons);
    this.source.replaceChildren(...source.map((piece, i) => this.#token(piece, i, "source", unknown.includes(i))));
    this.given.replaceChildren(...inputs.map((piece, i) => this.#token(piece, i, "given", false)));
  }

  #token(piece, index, kind, unknown) {
    const token = element("li", { className: unknown ? "unknown" : "" });
    token.append(element("b", { textContent: piece }), element("em"));
    token.onpointerenter = token.onpointerdown = () => this.#tell(kind, index);
    token.onpointerleave = () => this.#tell(null);
    return token;
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const own = event.target.closest("input, button");
    const { step, layer, message } = this;
    const moves = {
      ArrowRight: () => this.#byHand(step + 1, layer),
      ArrowLeft: () => this.#byHand(step - 1, layer),
      ArrowUp: () => this.#byHand(step, layer + 1),
      ArrowDown: () => this.#byHand(step, layer - 1),
      Home: () => this.#byHand(0, layer),
      End: () => this.#byHand(message.target.length - 1, layer),
      " ": () => this.play.click(),
    };
    if (!(event.key in moves) || own?.tagName === "INPUT" || (own && event.key === " ")) return;
    moves[event.key]();
    event.preventDefault();
    event.stopPropagation(); // the page has shortcuts of its own
  }

  #byHand(step, layer) {
    const { target, layers } = this.message;
    this.#halt();
    this.show(clamp(step, 0, target.length - 1), clamp(layer, 0, layers - 1));
    this.#rest();
  }

  #start() {
    clearTimeout(this.resting);
    const last = this.message.target.length - 1;
    if (this.step === last) this.show(0, this.layer);
    this.timer = setInterval(() => {
      if (!this.root.isConnected) return this.#halt();
      this.show(this.step + 1, this.layer);
      if (this.step === last) this.#rest();
    }, PACE);
    this.play.textContent = "Pause";
  }

  #halt() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  // Where the visitor comes to rest goes into the link; what is only passed through does not.
  #rest() {
    this.#halt();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      const place = [this.step, this.layer];
      if (String(place) !== String(this.choice.value ?? this.#middle())) this.choice.make(place);
    }, REST);
  }

  // The weights of the step that is shown, as shares of 1: "cross" or "own".
  row(name) {
    const { target, source } = this.message;
    const count = name === "cross" ? source.length : target.length;
    const start = (this.layer * target.length + this.step) * count;
    return Array.from(this.message[name].subarray(start, start + count), (value) => value / FULL);
  }

  show(step, layer) {
    Object.assign(this, { step, layer });
    const { target, texts } = this.message;
    const [written, whole] = [texts[step], texts.at(-1)];
    const rest = whole.startsWith(written) ? whole.slice(written.length) : "";
    this.said.replaceChildren(written, element("i", { textContent: rest }));
    this.scrub.value = step;
    this.clock.textContent = `step ${step} of ${target.length - 1}`;
    [...this.layers.querySelectorAll("button")].forEach((button, i) => button.setAttribute("aria-pressed", i === layer));
    this.#shade(this.source, this.row("cross"), () => "");
    this.#shade(this.given, this.row("own"), (i) => (i > step ? "hidden" : i === step ? "now" : ""));
    this.#offer();
    this.#connect();
    this.#tell(null);
  }

  #shade(list, weights, kind) {
    [...list.children].forEach((token, i) => {
      token.classList.remove("hidden", "now", "told");
      const name = kind(i);
      if (name) token.classList.add(name);
      token.style.setProperty("--share", weights[i]);
      token.lastChild.textContent = name === "hidden" ? "hidden" : share(weights[i]);
    });
  }

  #offer() {
    const { candidates, chances, picked, target } = this.message;
    const count = candidates[this.step].length;
    const rows = candidates[this.step].map((label, rank) =>
      this.#candidate(label, chances[this.step * count + rank], rank === picked[this.step]));
    if (picked[this.step] < 0) rows.push(this.#candidate(target[this.step], NaN, true));
    this.candidates.replaceChildren(...rows);
  }

  #candidate(label, chance, chosen) {
    const item = element("li", { className: chosen ? "picked" : "", title: label });
    item.style.setProperty("--share", chance || 0);
    const words = Number.isNaN(chance) ? "less" : share(chance);
    item.append(element("span", { textContent: label }), element("em", { textContent: words }));
    return item;
  }

  // Lines from the place that asks to what it looks at, up into the source and back along the pieces.
  #connect() {
    const box = this.picture.getBoundingClientRect();
    const place = (node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return { x: (left + right) / 2 - box.left, top: top - box.top, bottom: bottom - box.top };
    };
    const now = place(this.given.children[this.step]);
    const path = (d, weight, name) =>
      svgElement("path", { d, class: name, "stroke-width": 0.5 + 5 * weight, "stroke-opacity": 0.2 + 0.7 * weight });
    const seen = (list, name) => this.row(name)
      .map((weight, i) => [place(list.children[i]), weight, i])
      .filter(([, weight]) => weight >= FAINT);
    const up = seen(this.source, "cross").map(([to, weight]) => {
      const half = (now.top + to.bottom) / 2;
      return path(`M${now.x} ${now.top}C${now.x} ${half} ${to.x} ${half} ${to.x} ${to.bottom}`, weight, "cross");
    });
    const back = seen(this.given, "own").filter(([, , i]) => i !== this.step).map(([to, weight]) => {
      const low = Math.max(now.bottom, to.bottom) + 16 + Math.min(26, Math.abs(now.x - to.x) / 8);
      return path(`M${now.x} ${now.bottom}C${now.x} ${low} ${to.x} ${low} ${to.x} ${to.bottom}`, weight, "own");
    });
    this.lines.replaceChildren(...up, ...back);
  }

  // One weight in words, or the step as a whole.
  #tell(kind, index) {
    const { step, layer } = this;
    const { source, inputs, target } = this.message;
    for (const list of [this.source, this.given]) {
      [...list.children].forEach((token, i) => token.classList.toggle("told", list === this[kind] && i === index));
    }
    const asks = `${step} ${inputs[step]}`;
    if (kind === "given" && index > step) {
      this.status.textContent = `${asks} may not look at ${index} ${inputs[index]}: it comes later, its weight is exactly 0.`;
    } else if (kind) {
      const [piece, weights] = kind === "source" ? [source[index], this.row("cross")] : [inputs[index], this.row("own")];
      this.status.textContent = `${asks} looks at ${index} ${piece} with ${share(weights[index])}, the mean of layer ${layer}’s heads.`;
    } else {
      const best = indexOfMaximum(this.row("cross"));
      this.status.textContent =
        `Given ${asks}, the model writes “${target[step]}”; layer ${layer} looks most at ${best} ${source[best]}.`;
    }
  }
}

function share(weight) {
  return weight > 0 && weight < 0.001 ? "< 0.1 %" : `${(100 * weight).toFixed(1)} %`;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".writer");
  root.writer ??= new Writer(root);
  root.writer.update(data, setStateValue);
}
