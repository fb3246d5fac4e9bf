// The stage: draws the scene, and turns pointers and keys into changes of it.

const SLACK = 3; // CSS pixels that a pointer may tremble before it drags
const MARGIN = 6; // CSS pixels between an object and its frame
const STEP = 0.01; // of an arrow key; with Shift five times that
const GROWTH = 1.1; // of the plus key

class Stage {
  constructor(root, composer) {
    this.composer = composer;
    for (const name of ["stage", "view", "items", "frame"]) this[name] = root.querySelector(`.${name}`);
    this.buttons = new Map(); // of the objects, by id
    this.gesture = null;
    this.#listen();
    new ResizeObserver(() => composer.show()).observe(this.stage);
  }

  // A pointer's place on the stage.
  at({ clientX, clientY }) {
    const box = this.view.getBoundingClientRect();
    return [(clientX - box.left) / box.width, (clientY - box.top) / box.height];
  }

  // The foremost object that is opaque there.
  #hit(place) {
    const { scene, sprite } = this.composer;
    return scene?.objects.findLast((object) => opaqueAt(object, sprite(object), place));
  }

  #listen() {
    const { stage, frame, composer } = this;
    stage.onpointerdown = (event) => this.#down(event);
    stage.onpointermove = (event) => this.#move(event);
    stage.onpointerup = (event) => this.#up(event);
    stage.onpointercancel = (event) => this.#up(event, () => composer.revert());
    frame.onpointerdown = (event) => {
      if (event.button || this.gesture) return;
      event.stopPropagation();
      this.#begin("size", event, composer.object);
    };
    // A finger on an object drags it, on the backdrop it scrolls the page.
    stage.addEventListener("touchstart", (event) => this.gesture && event.preventDefault(), { passive: false });
    stage.onclick = () => this.missed && composer.select(null);
    stage.onkeydown = (event) => this.#key(event);
  }

  #down(event) {
    if (event.button) return;
    if (this.gesture) return this.#pinch(event);
    const object = this.#hit(this.at(event));
    this.missed = !object;
    if (!object) return;
    this.composer.select(object.id);
    this.focus();
    this.#begin("move", event, this.composer.object);
  }

  #begin(kind, event, from) {
    event.preventDefault(); // the object has the focus, not the stage
    this.missed = false;
    this.stage.setPointerCapture(event.pointerId);
    const start = this.at(event);
    const far = Math.max(0.01, Math.hypot(start[0] - from.x, start[1] - from.y));
    this.gesture = { kind, from, start, far, pointers: new Map([[event.pointerId, start]]) };
    this.#cursor();
  }

  // A second finger on the stage: the object grows as the two move apart.
  #pinch(event) {
    const { gesture } = this;
    if (gesture.kind !== "move") return;
    this.stage.setPointerCapture(event.pointerId);
    gesture.pointers.set(event.pointerId, this.at(event));
    Object.assign(gesture, { kind: "pinch", from: this.composer.object, far: spread(gesture.pointers) });
  }

  #move(event) {
    const { gesture, composer } = this;
    if (!gesture) return this.#cursor(this.#hit(this.at(event)));
    if (!gesture.pointers.has(event.pointerId)) return;
    const [x, y] = this.at(event);
    gesture.pointers.set(event.pointerId, [x, y]);
    const { kind, from, start, far } = gesture;
    if (kind === "pinch") return composer.resize((from.size * spread(gesture.pointers)) / far);
    if (kind === "size") return composer.resize((from.size * Math.hypot(x - from.x, y - from.y)) / far);
    const gone = Math.hypot(x - start[0], y - start[1]) * this.view.clientWidth;
    gesture.dragging ||= gone > SLACK;
    if (gesture.dragging) composer.place(from.x + x - start[0], from.y + y - start[1]);
  }

  #up({ pointerId }, then = () => this.composer.commit()) {
    if (this.gesture?.pointers.has(pointerId)) this.drop(then);
  }

  // Ends what a pointer is doing.
  drop(then = () => {}) {
    if (!this.gesture) return;
    this.gesture = null;
    this.#cursor();
    then();
  }

  #cursor(over) {
    this.stage.style.cursor = this.gesture ? "grabbing" : over ? "grab" : "";
  }

  #key(event) {
    const { composer } = this;
    if (event.ctrlKey || event.metaKey || event.altKey || this.gesture || !composer.object) return;
    const { key, shiftKey } = event;
    const { x, y, size } = composer.object;
    if (key in ARROWS) {
      const [down, right] = ARROWS[key].map((way) => way * STEP * (shiftKey ? 5 : 1));
      composer.soon(() => composer.place(x + right, y + down));
    } else if (key === "+" || key === "=") composer.soon(() => composer.resize(size * GROWTH));
    else if (key === "-" || key === "_") composer.soon(() => composer.resize(size / GROWTH));
    else if (key === "PageUp") composer.forward();
    else if (key === "PageDown") composer.backward();
    else if (key === "Delete" || key === "Backspace") composer.remove();
    else if (key === "Escape") {
      composer.select(null);
      this.stage.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
    event.stopPropagation(); // the page has shortcuts of its own
  }

  // Keys go to the selected object from now on.
  focus() {
    this.#arrange();
    const target = this.buttons.get(this.composer.selected) ?? this.stage;
    target.focus({ preventScroll: true });
  }

  paint() {
    const { composer, view } = this;
    const side = Math.round(view.clientWidth * (window.devicePixelRatio || 1));
    if (!side) return;
    if (view.width !== side) view.width = view.height = side;
    drawScene(view.getContext("2d"), side, composer.scene, composer.pictures);
    this.#arrange();
    this.#outline();
  }

  // One button an object, back to front, so that Tab goes through them.
  #arrange() {
    const { composer, items } = this;
    const { objects } = composer.scene;
    for (const { id } of objects) if (!this.buttons.has(id)) this.buttons.set(id, this.#button(id));
    const order = objects.map(({ id }) => this.buttons.get(id));
    if (String(objects.map(({ id }) => id)) !== this.order) {
      this.order = String(objects.map(({ id }) => id));
      const focused = items.querySelector(":focus");
      this.arranging = true; // what comes and goes here is no visitor's focus
      items.replaceChildren(...order);
      if (focused) (focused.isConnected ? focused : this.stage).focus({ preventScroll: true });
      this.arranging = false;
    }
    objects.forEach((object, i) => {
      const { label } = composer.sprite(object);
      order[i].style.cssText = placedAt(boxOf(object, composer.sprite(object)), 100, "%");
      order[i].setAttribute("aria-label", `${label}, ${i + 1} of ${objects.length} from the back`);
      order[i].setAttribute("aria-pressed", object.id === composer.selected);
    });
  }

  #button(id) {
    const { composer } = this;
    const button = element("button", { type: "button" });
    button.onfocus = button.onclick = () => this.arranging || composer.select(id);
    button.onblur = () => this.arranging || this.gesture || composer.draft || composer.commit();
    return button;
  }

  // The frame of what is selected, as far as it lies on the stage.
  #outline() {
    const { composer, frame } = this;
    const { object } = composer;
    const box = object && boxOf(object, composer.sprite(object));
    frame.hidden = !box || !inSight(box);
    if (frame.hidden) return;
    const side = this.view.clientWidth;
    const [left, top] = [box.left, box.top].map((edge) => Math.max(0, edge * side - MARGIN));
    const [right, bottom] = [box.right, box.bottom].map((edge) => Math.min(side, edge * side + MARGIN));
    frame.style.cssText = placedAt({ left, top, right, bottom }, 1, "px");
  }
}

function placedAt({ left, top, right, bottom }, scale, unit) {
  const [x, y, wide, high] = [left, top, right - left, bottom - top].map((length) => `${scale * length}${unit}`);
  return `left:${x};top:${y};width:${wide};height:${high}`;
}

// How far two fingers are apart.
function spread(pointers) {
  const [one, other] = pointers.values();
  return Math.max(0.02, Math.hypot(one[0] - other[0], one[1] - other[1]));
}
