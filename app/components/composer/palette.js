// What can be put into the scene: a click adds it, a drag puts it where it is dropped.

const PULL = 6; // CSS pixels that a thumbnail is pulled before it comes along

class Palette {
  constructor(root, composer) {
    Object.assign(this, { root, composer });
    for (const name of ["search", "things", "none", "backdrops", "ghost"]) this[name] = root.querySelector(`.${name}`);
    this.search.oninput = () => this.#filter();
    this.search.onkeydown = (event) => event.stopPropagation(); // the page has shortcuts of its own
  }

  fill({ sprites, backdrops }) {
    const { composer } = this;
    this.things.replaceChildren(...Array.from(sprites, ([name, sprite]) => {
      const thumb = this.#thumb(name, sprite);
      thumb.append(element("span", { textContent: sprite.label }));
      this.#listen(thumb, name, sprite);
      return thumb;
    }));
    this.backdrops.replaceChildren(...Array.from(backdrops, ([name, backdrop]) => {
      const thumb = this.#thumb(name, backdrop);
      thumb.setAttribute("aria-label", `Background: ${backdrop.label}`);
      thumb.onclick = () => composer.stand(name);
      return thumb;
    }));
    this.#filter();
  }

  #thumb(name, { label, address }) {
    const thumb = element("button", { type: "button", title: label });
    thumb.dataset.name = name;
    thumb.append(element("img", { src: address, alt: "", draggable: false }));
    return thumb;
  }

  show({ backdrop }) {
    for (const thumb of this.backdrops.children) {
      thumb.setAttribute("aria-pressed", thumb.dataset.name === backdrop);
    }
  }

  #filter() {
    const folded = (text) => text.normalize("NFC").toLowerCase().trim();
    const wanted = folded(this.search.value);
    let found = 0;
    for (const thumb of this.things.children) {
      thumb.hidden = !folded(thumb.title).includes(wanted);
      found += !thumb.hidden;
    }
    this.none.textContent = found ? "" : `No object is called “${this.search.value.trim()}”.`;
  }

  #listen(thumb, name, sprite) {
    const { composer } = this;
    thumb.onpointerdown = (event) => {
      this.held = event.button ? null : { x: event.clientX, y: event.clientY, name, sprite };
    };
    thumb.onpointermove = (event) => this.held && this.#drag(event, thumb);
    thumb.onpointerup = (event) => this.#letGo(event);
    thumb.onpointercancel = () => this.#cancel();
    thumb.onclick = (event) => {
      if (this.pulled) return (this.pulled = false); // the end of a drag
      if (composer.add(name) && event.detail) composer.stage.focus();
    };
  }

  #drag(event, thumb) {
    const { held, composer } = this;
    if (!held.dragging) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < PULL) return;
      if (composer.full()) return (this.held = null);
      held.dragging = true;
      thumb.setPointerCapture(event.pointerId);
      this.ghost.src = held.sprite.address;
    }
    const [x, y] = composer.stage.at(event);
    if (!isOnStage([x, y])) composer.revert();
    else if (composer.draft) composer.place(x, y);
    else composer.hold(held.name, { x, y });
    this.#haunt(event, !isOnStage([x, y]));
  }

  // The ghost stands for what is dragged until it is on the stage.
  #haunt({ clientX, clientY }, shown) {
    this.ghost.hidden = !shown;
    const box = this.root.getBoundingClientRect();
    const [x, y] = [clamp(clientX - box.left, 28, box.width - 28), clientY - box.top];
    this.ghost.style.transform = `translate(${x}px, ${y}px) translate(-50%, -50%)`;
  }

  #letGo(event) {
    const dragged = this.held?.dragging;
    this.held = null;
    if (!dragged) return;
    this.pulled = true;
    setTimeout(() => (this.pulled = false)); // a click follows at once, if at all
    this.ghost.hidden = true;
    if (!isOnStage(this.composer.stage.at(event))) return this.composer.revert();
    this.composer.commit();
    this.composer.stage.focus();
  }

  #cancel() {
    if (this.held?.dragging) this.composer.revert();
    this.held = null;
    this.ghost.hidden = true;
  }
}

function isOnStage(place) {
  return place.every((share) => share >= 0 && share <= 1);
}
