// The weights that Python's `encode` made small.

const TINY = 1e-12;

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Every weight as a float, layer by layer, head by head, row by row; 0 where the mask forbids.
async function decodeWeights({ weights, mask, levels, top_weight: top, layers, heads }) {
  const bytes = await inflate(weights);
  const wide = levels > 255;
  const count = wide ? bytes.length / 2 : bytes.length;
  const table = Float32Array.from({ length: 256 }, (_, step) => (step / levels) ** 2 * top);
  const at = (i) => (wide ? ((256 * bytes[i] + bytes[count + i]) / levels) ** 2 * top : table[bytes[i]]);
  const places = Array.from(mask.keys()).filter((i) => mask[i]);
  const decoded = new Float32Array(layers * heads * mask.length);
  let next = 0;
  for (let start = 0; start < decoded.length; start += mask.length) {
    for (const place of places) decoded[start + place] = at(next++);
  }
  return decoded;
}

// The least weight of each row that is drawn, so that those at or above hold the share of the row.
function thresholds(map, columns, share) {
  const found = new Float32Array(map.length / columns);
  for (let row = 0; row < found.length; row++) {
    const sorted = map.slice(row * columns, (row + 1) * columns).sort(); // smallest first
    const wanted = share * sorted.reduce((sum, value) => sum + value, 0) * (1 - 1e-6);
    let held = 0;
    let place = columns;
    while (place > 0 && held < wanted) held += sorted[--place];
    found[row] = Math.max(sorted[place] ?? 0, TINY); // what is 0 has no line
  }
  return found;
}

function meanMap(maps) {
  const mean = new Float32Array(maps[0].length);
  for (const map of maps) for (let i = 0; i < mean.length; i++) mean[i] += map[i] / maps.length;
  return mean;
}
