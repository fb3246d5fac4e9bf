// Where the stages lie, in CSS pixels. Each has its top left corner (x, y), a width and a height;
// its name takes the first TITLE pixels.

const ACROSS = 16; // numbers a line of a vector's tile
const TITLE = 26;
const LEGEND = 34; // under a map
const SHOWN = 5; // candidates
const GATED = 146; // where what was let in stands, from where the gate does
const TERMS_TOP = TITLE + 20; // above the vectors that are summed stand their weights

// room: width there is; `whole` for print. lines: of the tiles of cells and states.
function tellPlan(room, { lines, aspect, hard }, whole = false) {
  const small = room < 600 && !whole;
  const one = small ? 64 : 80;
  const tile = (count) => ({ width: one, height: (one / ACROSS) * count });
  const [cell, state] = [tile(lines.cells), tile(lines.states)];
  const gap = small ? 26 : 38; // at least
  const side = small ? 84 : 100;
  const column = {
    average: TITLE + cell.height + 34,
    state: TITLE + state.height + 42,
  };
  const terms = hard ? 1 : small || room < 1060 ? 2 : 3;
  const common = { room, small, cell, state, gap, side, terms, term: one + 22 };
  const sizes = {
    context: { width: terms * common.term + (hard ? 14 : 34) + one, height: TERMS_TOP + cell.height + 26 },
    gate: { width: GATED + one, height: TERMS_TOP + cell.height + 26 },
    word: { height: Math.max(TERMS_TOP + state.height + 26, TITLE + 24 * SHOWN + 6) },
  };
  return small ? tellPhone(common, sizes, column, aspect) : tellWide(common, sizes, column, aspect);
}

function tellWide(common, sizes, column, aspect) {
  const { room, side } = common;
  const map = Math.floor(Math.min(clamp((room - side - 3 * common.gap) / 3, 100, 320), 320 / aspect));
  const gap = Math.min((room - side - 3 * map) / 3, 80);
  const size = { width: map, height: TITLE + map * aspect + LEGEND };
  const second = map + gap;
  const third = second + side + gap;
  const lower = Math.max(size.height, column.average + column.state) + 30;
  const gate = sizes.context.width + gap;
  const word = gate + sizes.gate.width + gap;
  const wraps = room - word < 280;
  const last = wraps ? lower + sizes.context.height + 24 : lower;
  const stages = {
    grid: { x: 0, y: 0, ...size },
    average: { x: second, y: 0, width: side, height: column.average },
    state: { x: second, y: column.average, width: side, height: column.state },
    score: { x: third, y: 0, ...size },
    softmax: { x: third + map + gap, y: 0, ...size },
    context: { x: 0, y: lower, ...sizes.context },
    gate: { x: gate, y: lower, ...sizes.gate },
    word: { x: wraps ? 0 : word, y: last, width: wraps ? room : room - word, ...sizes.word },
  };
  return { ...common, stages, height: last + Math.max(sizes.word.height, wraps ? 0 : sizes.context.height) };
}

function tellPhone(common, sizes, column, aspect) {
  const { room, gap, side } = common;
  const [large, half] = [room - gap - side, (room - gap) / 2].map(Math.floor);
  const map = (width) => ({ width, height: TITLE + width * aspect + LEGEND });
  const rows = [0];
  rows.push(Math.max(TITLE + large * aspect, column.average + column.state) + 22);
  for (const height of [map(half).height, sizes.context.height, sizes.gate.height]) rows.push(rows.at(-1) + height + 22);
  const stages = {
    grid: { x: 0, y: 0, ...map(large) },
    average: { x: large + gap, y: 0, width: side, height: column.average },
    state: { x: large + gap, y: column.average, width: side, height: column.state },
    score: { x: 0, y: rows[1], ...map(half) },
    softmax: { x: half + gap, y: rows[1], ...map(half) },
    context: { x: 0, y: rows[2], ...sizes.context },
    gate: { x: 0, y: rows[3], ...sizes.gate },
    word: { x: 0, y: rows[4], width: room, ...sizes.word },
  };
  return { ...common, stages, height: rows[4] + sizes.word.height };
}
