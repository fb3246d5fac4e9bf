// Scenes as numbers: lengths are shares of the scene's side, objects lie from back to front.

const OPAQUE = 128; // the least alpha that a pointer hits
const ADDED = 0.3; // the size of what is added

// How wide and high an object is.
function extent({ size }, { width, height }) {
  const scale = size / Math.max(width, height);
  return [width * scale, height * scale];
}

function boxOf(object, sprite) {
  const [wide, high] = extent(object, sprite);
  const { x, y } = object;
  return { left: x - wide / 2, top: y - high / 2, right: x + wide / 2, bottom: y + high / 2 };
}

function overlap(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function inSight(box) {
  return overlap(box, { left: 0, top: 0, right: 1, bottom: 1 });
}

// Whether an object has an opaque pixel at a place; what is transparent is not there.
function opaqueAt(object, sprite, [x, y]) {
  const [wide, high] = extent(object, sprite);
  const across = (x - object.x) / wide + 0.5;
  const column = Math.floor((object.flip ? 1 - across : across) * sprite.width);
  const row = Math.floor(((y - object.y) / high + 0.5) * sprite.height);
  const inside = row >= 0 && row < sprite.height && column >= 0 && column < sprite.width;
  return inside && sprite.alpha[row * sprite.width + column] >= OPAQUE;
}

// Where something new stands freest, not far from the middle.
function freePlace(objects) {
  const steps = [0.2, 0.35, 0.5, 0.65, 0.8];
  const places = steps.flatMap((y) => steps.map((x) => ({ x, y })));
  const worth = (place) => {
    const gaps = objects.map((one) => Math.hypot(one.x - place.x, one.y - place.y) - one.size / 2);
    return Math.min(0.5, ...gaps) - 0.1 * Math.hypot(place.x - 0.5, place.y - 0.5);
  };
  return places.reduce((best, place) => (worth(place) > worth(best) ? place : best));
}

// The scene as it is reported: rounded, and without what only the browser knows.
function plainScene({ backdrop, objects }) {
  const round = (value) => Math.round(1000 * value) / 1000;
  return {
    backdrop,
    objects: objects.map(({ name, x, y, size, flip }) =>
      ({ name, x: round(x), y: round(y), size: round(size), flip })),
  };
}

// Draws the scene on a canvas of side × side pixels.
function drawScene(context, side, { backdrop, objects }, { sprites, backdrops }) {
  context.imageSmoothingQuality = "medium"; // a finer one takes twice as long
  context.drawImage(cover(backdrops.get(backdrop), side), 0, 0);
  for (const object of objects) {
    const sprite = sprites.get(object.name);
    const [wide, high] = extent(object, sprite).map((length) => length * side);
    context.save();
    context.translate(object.x * side, object.y * side);
    if (object.flip) context.scale(-1, 1);
    context.drawImage(sprite.image, -wide / 2, -high / 2, wide, high);
    context.restore();
  }
}

// The middle square of a backdrop at the size of the stage, made once for all frames.
function cover(backdrop, side) {
  if (backdrop.cover?.width !== side) {
    const { image, width, height } = backdrop;
    const edge = Math.min(width, height);
    backdrop.cover = element("canvas", { width: side, height: side });
    const context = backdrop.cover.getContext("2d");
    context.imageSmoothingQuality = "high";
    context.drawImage(image, (width - edge) / 2, (height - edge) / 2, edge, edge, 0, 0, side, side);
  }
  return backdrop.cover;
}

// The pictures of a message, by name: {label, address, image, width, height, alpha}.
async function loadPictures({ sprites, backdrops, pictures }) {
  let start = 0;
  const cut = async ([name, label, kind, length]) => {
    const blob = new Blob([pictures.subarray(start, (start += length))], { type: kind });
    const address = URL.createObjectURL(blob);
    const image = element("img", { src: address });
    await image.decode();
    return [name, { label, address, ...pixelsOf(image) }];
  };
  const parts = [...sprites, ...backdrops].map(cut);
  const loaded = await Promise.all(parts);
  return {
    sprites: new Map(loaded.slice(0, sprites.length)),
    backdrops: new Map(loaded.slice(sprites.length)),
  };
}

function pixelsOf(picture) {
  const [width, height] = [picture.naturalWidth, picture.naturalHeight];
  const image = element("canvas", { width, height });
  const context = image.getContext("2d");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  return { image, width, height, alpha: Uint8Array.from({ length: width * height }, (_, i) => data[4 * i + 3]) };
}

function forgetPictures({ sprites, backdrops }) {
  for (const { address } of [...sprites.values(), ...backdrops.values()]) URL.revokeObjectURL(address);
}
