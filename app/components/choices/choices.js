// What a decoder might have said at each step; a click on a piece goes on from there.

const PACE = 600; // milliseconds a piece

class Choices {
  constructor(root) {
    this.choice = new Choice();
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["said", "play", "scrub", "clock", "scroll", "steps"]) this[name] = find(name);
    this.play.onclick = () => (this.timer ? this.#pause() : this.#start());
    this.scrub.oninput = () => this.#stand(Number(this.scrub.value));
    find("svg").onclick = () => saveSvg(choicesFigure(this.message), this.message.name);
    find("png").onclick = () => savePng(choicesFigure(this.message), this.message.name);
  }

  update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (!news) return;
    for (const name of ["chances", "probabilities"]) {
      message[name] = new Float32Array(message[name].slice().buffer);
    }
    this.message = message;
    this.said.lang = message.language;
    this.scrub.max = message.said.length;
    this.steps.replaceChildren(...message.said.map((_, step) => this.#step(step)));
    this.#stand(message.said.length);
  }

  #step(step) {
    const { candidates, chances, said, picked, given, probabilities } = this.message;
    const item = element("li", { className: step < given ? "given" : "" });
    const head = element("h5", { title: step < given ? "given" : "chosen by the model" });
    head.append(element("span", { textContent: step }), element("b", { textContent: said[step] }));
    item.append(head);
    candidates[step].forEach((label, rank) => {
      const chance = chances[step * candidates[step].length + rank];
      const button = this.#bar(label, chance, rank === picked[step]);
      button.onclick = () => this.#pick(step, rank);
      item.append(button);
    });
    if (picked[step] < 0) { // drawn from far below
      const button = this.#bar(said[step], probabilities[step], true);
      button.disabled = true;
      item.append(button);
    }
    return item;
  }

  #bar(label, chance, chosen) {
    const button = element("button", { type: "button", className: chosen ? "picked" : "", title: label });
    button.style.setProperty("--share", chance);
    button.append(element("span", { textContent: label }), element("em", { textContent: percent(chance) }));
    return button;
  }

  #pick(step, rank) {
    this.#pause();
    this.choice.make([step, rank]);
  }

  #start() {
    const { length } = this.message.said;
    this.#stand(this.at >= length ? 0 : this.at);
    this.timer = setInterval(() => {
      this.at < length ? this.#show(this.at + 1) : this.#pause();
    }, PACE);
    this.play.textContent = "Pause";
  }

  #pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  #stand(at) {
    this.#pause();
    this.#show(at);
  }

  #show(at) {
    this.at = at;
    const { said, texts } = this.message;
    const [written, whole] = [at ? texts[at - 1] : "", texts.at(-1) ?? ""];
    const rest = whole.startsWith(written) ? whole.slice(written.length) : "";
    this.said.replaceChildren(written, element("i", { textContent: rest }));
    this.scrub.value = at;
    this.clock.textContent = `${at} of ${said.length} pieces`;
    [...this.steps.children].forEach((item, step) => item.classList.toggle("later", step >= at));
    const current = this.steps.children[at - 1];
    if (this.timer && current) this.scroll.scrollLeft = current.offsetLeft - this.scroll.clientWidth / 2;
  }
}

function percent(share) {
  return share > 0 && share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;
}

// The steps as a figure for print.
function choicesFigure({ candidates, chances, said, picked, texts }) {
  const [wide, line] = [128, 20];
  const count = candidates[0]?.length ?? 0;
  const page = svgPage(Math.max(420, 16 + said.length * wide), 72 + count * line);
  const words = (text, x, y, attributes = {}) => {
    const node = svgElement("text", { x, y, "font-size": 12, fill: "#222", ...attributes });
    node.textContent = text;
    page.append(node);
  };
  words(texts.at(-1) ?? "", 12, 24, { "font-size": 18 });
  said.forEach((piece, step) => {
    const x = 12 + step * wide;
    words(`${step}  ${piece}`, x, 52, { "font-weight": 700 });
    candidates[step].forEach((label, rank) => {
      const y = 62 + rank * line;
      const share = chances[step * count + rank];
      page.append(svgElement("rect", { x, y, width: (wide - 16) * share, height: line - 4, fill: "#b04212", opacity: 0.28 }));
      const weight = rank === picked[step] ? { "font-weight": 700 } : {};
      words(label.length > 9 ? `${label.slice(0, 8)}…` : label, x + 3, y + 12, weight);
      words(percent(share), x + wide - 18, y + 12, { "text-anchor": "end", fill: "#555" });
    });
  });
  return page;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".choices");
  root.choices ??= new Choices(root);
  root.choices.update(data, setStateValue);
}
