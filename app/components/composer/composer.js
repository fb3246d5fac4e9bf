// One composer: the scene as it is being changed, as it was last dropped, and as it was before.

const SETTLED = 500; // milliseconds without a key until the page hears of it
const REMEMBERED = 100; // steps that can be undone

class Composer {
  constructor(root) {
    this.choice = new Choice();
    Object.assign(this, { past: [], future: [], selected: null, note: "", ids: 0 });
    for (const name of ["status", "lost", "words"]) this[name] = root.querySelector(`.${name}`);
    this.stage = new Stage(root, this);
    this.palette = new Palette(root, this);
    this.tools = new Tools(root.querySelector(".tools"), this);
    this.lost.onclick = () => this.bringBack();
    root.querySelector(".png").onclick = () => this.#save();
    root.onkeydown = (event) => this.#key(event);
    this.sprite = ({ name }) => this.pictures.sprites.get(name);
  }

  // A new run of the page: the same message costs nothing.
  async update(data, send) {
    const message = unpack(data);
    const news = message.stamp !== this.message?.stamp;
    this.choice.follow(message, send);
    if (!news) return;
    if (message.subject !== this.message?.subject) this.loading = loadPictures(message);
    this.message = message;
    const pictures = await this.loading;
    if (this.message !== message) return; // a newer one came meanwhile
    const other = pictures !== this.pictures;
    if (other) this.#furnish(pictures);
    if (this.order !== this.choice.order) this.#take(this.choice);
    if (other) Object.assign(this, { past: [], future: [] });
    this.show();
  }

  #furnish(pictures) {
    if (this.pictures) forgetPictures(this.pictures);
    this.pictures = pictures;
    this.palette.fill(pictures);
  }

  // The scene that the page ordered; what was there can be had back.
  #take({ order, value }) {
    this.stage.drop();
    clearTimeout(this.timer);
    const objects = value.objects.map((object) => this.#named(object));
    if (this.settled) this.past.push(this.settled);
    this.settled = this.scene = { backdrop: value.backdrop, objects };
    Object.assign(this, { order, selected: null, draft: false, note: "" });
  }

  #named(object) {
    return { ...object, id: ++this.ids };
  }

  get object() {
    return this.scene?.objects.find(({ id }) => id === this.selected);
  }

  // The scene as it looks while something is on its way; `commit` makes it so.
  #edit(change) {
    this.scene = { ...this.scene, ...change };
    this.note = "";
    this.show();
  }

  #editObject(change) {
    const objects = this.scene.objects.map((one) => (one.id === this.selected ? { ...one, ...change } : one));
    this.#edit({ objects });
  }

  #do(change, selected = this.selected) {
    this.commit();
    this.selected = selected;
    this.#edit(change);
    this.commit();
  }

  // Something was dropped: the page hears of it, and it can be undone.
  commit() {
    clearTimeout(this.timer);
    this.draft = false;
    const reported = plainScene(this.scene);
    if (JSON.stringify(reported) === JSON.stringify(plainScene(this.settled))) return;
    this.past = [...this.past, this.settled].slice(-REMEMBERED);
    this.future = [];
    const objects = this.scene.objects.map((one, i) => ({ ...one, ...reported.objects[i] }));
    this.#settle({ ...this.scene, objects });
  }

  #settle(scene) {
    this.settled = this.scene = scene;
    this.choice.make(plainScene(scene));
    this.show();
  }

  // What is on its way is put back.
  revert() {
    this.draft = false;
    this.scene = this.settled;
    this.show();
  }

  // A key changes something; the page hears of it when the keys rest.
  soon(change) {
    change();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.commit(), SETTLED);
  }

  select(id) {
    if (id === this.selected) return;
    this.commit();
    Object.assign(this, { selected: id, note: "" });
    this.show();
  }

  place(x, y) {
    const { places } = this.message;
    this.#editObject({ x: clamp(x, ...places), y: clamp(y, ...places) });
  }

  resize(size) {
    this.#editObject({ size: clamp(size, ...this.message.sizes) });
  }

  // Whether nothing more can be added; then it is said.
  full() {
    const { most } = this.message;
    if (this.scene.objects.length < most) return false;
    this.note = `A scene holds at most ${most} objects: remove one to add another.`;
    this.show();
    return true;
  }

  add(name) {
    if (!this.pictures || this.full()) return false;
    const object = this.#named({ name, ...freePlace(this.scene.objects), size: ADDED, flip: false });
    this.#do({ objects: [...this.scene.objects, object] }, object.id);
    return true;
  }

  // Something from the palette, while it is dragged over the stage.
  hold(name, { x, y }) {
    this.commit();
    const object = this.#named({ name, x, y, size: ADDED, flip: false });
    Object.assign(this, { draft: true, selected: object.id });
    this.#edit({ objects: [...this.scene.objects, object] });
  }

  stand(backdrop) {
    this.#do({ backdrop });
  }

  forward() {
    this.#layer(1);
  }

  backward() {
    this.#layer(-1);
  }

  // Past the next object that it overlaps, so that something changes; else by one.
  #layer(way) {
    const { objects } = this.scene;
    const from = objects.indexOf(this.object);
    const box = (object) => boxOf(object, this.sprite(object));
    let to = from + way;
    if (!objects[to]) return;
    for (let i = to; objects[i]; i += way) {
      if (!overlap(box(objects[i]), box(this.object))) continue;
      to = i;
      break;
    }
    const order = objects.toSpliced(from, 1);
    this.#do({ objects: order.toSpliced(to, 0, this.object) });
  }

  flip() {
    const { object } = this;
    this.#do({ objects: this.scene.objects.map((one) => (one === object ? { ...one, flip: !one.flip } : one)) });
  }

  duplicate() {
    if (this.full()) return;
    const { object, scene: { objects }, message: { places } } = this;
    const [x, y] = [object.x, object.y].map((at) => clamp(at > 0.8 ? at - 0.06 : at + 0.06, ...places));
    const copy = this.#named({ ...object, x, y });
    this.#do({ objects: objects.toSpliced(objects.indexOf(object) + 1, 0, copy) }, copy.id);
  }

  remove() {
    const { object } = this;
    this.#do({ objects: this.scene.objects.filter((one) => one !== object) }, null);
  }

  empty() {
    this.#do({ objects: [] }, null);
  }

  #lost() {
    return this.scene.objects.filter((object) => !inSight(boxOf(object, this.sprite(object))));
  }

  bringBack() {
    const lost = this.#lost();
    this.#do({
      objects: this.scene.objects.map((object) => {
        if (!lost.includes(object)) return object;
        const [wide, high] = extent(object, this.sprite(object));
        const inward = (at, length) => (length > 1 ? 0.5 : clamp(at, length / 2, 1 - length / 2));
        return { ...object, x: inward(object.x, wide), y: inward(object.y, high) };
      }),
    });
  }

  undo() {
    this.commit();
    this.#step(this.past, this.future);
  }

  redo() {
    this.#step(this.future, this.past);
  }

  #step(from, to) {
    if (!from.length || this.stage.gesture) return;
    to.push(this.settled);
    this.note = "";
    this.#settle(from.pop());
    if (!this.object) this.selected = null;
  }

  #key(event) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("input")) return;
    const key = event.key.toLowerCase();
    if (key === "z") event.shiftKey ? this.redo() : this.undo();
    else if (key === "y") this.redo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Draws everything anew with the next frame, however often it is asked.
  show() {
    this.coming ??= requestAnimationFrame(() => {
      this.coming = null;
      if (this.scene) this.#paint();
    });
  }

  #paint() {
    const { scene: { objects }, object } = this;
    this.stage.paint();
    this.palette.show(this.scene);
    const at = objects.indexOf(object);
    const some = Boolean(object);
    this.tools.show({
      undo: this.past.length, redo: this.future.length, empty: objects.length,
      forward: some && at < objects.length - 1, backward: at > 0, flip: some, duplicate: some, remove: some,
    });
    const lost = this.#lost().length;
    this.lost.hidden = !lost;
    say(this.lost, `${lost} ${lost === 1 ? "object" : "objects"} off the edge — bring back`);
    say(this.status, this.note || this.#hint(object));
    say(this.words, `${objects.length} of at most ${this.message.most} objects`);
  }

  #hint(object) {
    if (object) return `${this.sprite(object).label}: drag to move it, drag a corner to resize it.`;
    if (this.scene.objects.length) return "Click an object to change it.";
    return "The scene is empty: click an object to add it, or drag it here.";
  }

  #save() {
    const side = 1024;
    const canvas = element("canvas", { width: side, height: side });
    drawScene(canvas.getContext("2d"), side, this.scene, this.pictures);
    canvas.toBlob((blob) => save(blob, fileName(this.message.name, "png")), "image/png");
  }
}

// Only what changes is read out.
function say(node, words) {
  if (node.textContent !== words) node.textContent = words;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".composer");
  root.composer ??= new Composer(root);
  root.composer.update(data, setStateValue);
}
