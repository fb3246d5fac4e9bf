// One lens: what is hovered, walked to and pinned, and how that looks.
class Lens {
  constructor(root) {
    this.root = root;
    this.choice = new Choice();
    this.hovered = null; // tokens; null for none
    this.walked = null;
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["chips", "stage", "picture", "map", "marks", "status"]) {
      this[name] = find(name);
    }
    this.removed = svgElement("g", { class: "removed", fill: "none" });
    this.outlines = {};
    for (const kind of ["target", "pin", "hover"]) this.outlines[kind] = outline(kind);
    this.marks.append(this.removed, ...Object.values(this.outlines));
    this.#listen();
    find("svg").onclick = async () => saveSvg(await lensFigure(this), this.fileName());
    find("png").onclick = async () => savePng(await lensFigure(this), this.fileName());
  }

  // A new run of the page: the same message costs nothing.
  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (!news) return;
    if (message.subject !== this.message?.subject) this.#newPicture(message);
    this.message = message;
    this.tokens = message.rest.length;
    this.weights = new WeightMap(this.map, message);
    this.map.style.opacity = message.opacity;
    labelScale(this.root, message);
    drawHatching(this.removed, message.removed.map((token) => this.box(token)));
    this.show();
  }

  #newPicture({ picture, kind, width, height, prefix, rows, cols }) {
    this.hovered = this.walked = null;
    const address = URL.createObjectURL(new Blob([picture], { type: kind }));
    this.picture.onload = () => URL.revokeObjectURL(address);
    this.picture.src = address;
    this.stage.style.aspectRatio = `${width} / ${height}`;
    this.stage.style.width = `min(100%, ${Math.round(640 * Math.min(1, width / height))}px)`;
    this.stage.setAttribute("aria-label",
      `Picture of ${rows} rows and ${cols} columns of patches. ` +
      "Arrow keys move, Enter pins a patch, Escape lets go.");
    this.marks.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.chips.replaceChildren(...prefix.map((name, token) => this.#chip(name, token)));
  }

  #chip(name, token) {
    const chip = element("button", { type: "button", className: "chip" });
    chip.append(element("i"), name);
    chip.onpointerenter = () => this.hover(token);
    chip.onpointerleave = () => this.hover(null);
    chip.onfocus = () => chip.matches(":focus-visible") && this.walk(token);
    chip.onblur = () => this.walk(null);
    chip.onclick = () => this.pin(token);
    return chip;
  }

  #listen() {
    const { stage } = this;
    const under = (event) => this.hover(this.tokenAt(event));
    stage.onpointermove = stage.onpointerdown = under;
    stage.onpointerleave = stage.onpointercancel = () => this.hover(null);
    stage.onclick = (event) => this.pin(this.tokenAt(event));
    stage.onblur = () => this.walk(null);
    stage.onkeydown = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key in ARROWS) this.walk(this.#neighbour(...ARROWS[event.key]));
      else if (event.key === "Enter" || event.key === " ") this.pin(this.current);
      else if (event.key === "Escape") this.release();
      else return;
      event.preventDefault();
      event.stopPropagation(); // the page has shortcuts of its own
    };
  }

  // The patch under the pointer that has a row of its own.
  tokenAt({ clientX, clientY }) {
    const { rows, cols, height, width, centre, stride } = this.message;
    const box = this.stage.getBoundingClientRect();
    const row = (((clientY - box.top) / box.height) * height - centre[0]) / stride[0];
    const col = (((clientX - box.left) / box.width) * width - centre[1]) / stride[1];
    return this.token(this.#snap(row, rows), this.#snap(col, cols));
  }

  #snap(place, cells) {
    const { step } = this.message;
    return step * clamp(Math.round(place / step), 0, Math.ceil(cells / step) - 1);
  }

  #neighbour(down, right) {
    const { rows, cols, step } = this.message;
    const place = this.current === null ? null : this.position(this.current);
    if (!place) return this.token(0, 0);
    return this.token(this.#snap(place[0] + down * step, rows), this.#snap(place[1] + right * step, cols));
  }

  token(row, col) {
    return this.message.prefix.length + row * this.message.cols + col;
  }

  // The (row, col) of a patch; null for a token of the prefix.
  position(token) {
    const { prefix, cols } = this.message;
    const patch = token - prefix.length;
    return patch < 0 ? null : [Math.floor(patch / cols), patch % cols];
  }

  box(token) {
    return cellBox(this.message, ...this.position(token));
  }

  title(token) {
    const place = this.position(token);
    return place ? `patch ${place.join(",")}` : `${this.message.prefix[token]} token`;
  }

  // The bytes of a token's row, or of the nearest token that has one.
  row(token) {
    const { prefix, rows, cols, step, matrix } = this.message;
    const place = this.position(token);
    const query = place
      ? prefix.length +
        (this.#snap(place[0], rows) / step) * Math.ceil(cols / step) +
        this.#snap(place[1], cols) / step
      : token;
    return matrix.subarray(query * this.tokens, (query + 1) * this.tokens);
  }

  get current() {
    return this.hovered ?? this.walked ?? this.choice.value;
  }

  hover(token) {
    if (token === this.hovered) return;
    this.hovered = token;
    this.show();
  }

  walk(token) {
    this.hovered = null;
    this.walked = token;
    this.show();
  }

  pin(token) {
    if (token === null) return;
    this.choice.make(token === this.choice.value ? null : token);
    this.show();
  }

  release() {
    this.hovered = this.walked = null;
    if (this.choice.value !== null) this.choice.make(null);
    this.show();
  }

  show() {
    const { prefix, rest, mass } = this.message;
    const token = this.current;
    const values = token === null ? rest : this.row(token);
    this.values = values;
    this.kept = mass === null ? null : massSet(values.subarray(prefix.length), mass);
    this.weights.paint(values, this.kept?.kept);
    const best = indexOfMaximum(values, prefix.length);
    const target = token !== null && values[best] > 0 && best !== token ? best : null;
    this.#mark("hover", token === this.choice.value ? null : token);
    this.#mark("pin", this.choice.value);
    this.#mark("target", target);
    this.#showChips(token);
    this.status.textContent = this.#sentence(token, best);
  }

  #mark(kind, token) {
    const patch = token !== null && this.position(token) !== null;
    drawOutline(this.outlines[kind], patch ? boxPath(this.box(token)) : "");
  }

  #showChips(token) {
    [...this.chips.children].forEach((chip, index) => {
      chip.classList.toggle("current", index === token);
      chip.setAttribute("aria-pressed", index === this.choice.value);
      chip.firstChild.style.background = cssColour(this.message.colours, this.values[index]);
    });
  }

  #sentence(token, best) {
    const { vmax, prefix, click } = this.message;
    const held = this.kept ? ` ${this.#share()}.` : "";
    if (token === null) {
      const invitation = hovering()
        ? `Hover a patch to see where it looks; click to ${click}.`
        : "Tap a patch to see where it looks.";
      return invitation + held;
    }
    const looks = (target) => `${this.title(target)} (${weight(this.values[target], vmax)})`;
    const subject = this.title(token);
    const start = subject[0].toUpperCase() + subject.slice(1);
    const pinned = token === this.choice.value ? ", pinned," : "";
    const most = indexOfMaximum(this.values);
    const then = most < prefix.length ? `, then at ${looks(best)}` : "";
    return `${start}${pinned} looks most at ${looks(most)}${then}.${held}`;
  }

  #share() {
    const { mass, rows, cols } = this.message;
    const percent = number(100 * mass);
    return `${this.kept.count} of ${rows * cols} patches hold ${percent} % of what patches get`;
  }

  fileName() {
    const { name } = this.message;
    return this.current === null ? name : `${name}-${this.title(this.current).replace(",", "-")}`;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".lens");
  root.lens ??= new Lens(root);
  root.lens.update(data, setStateValue);
}
