// A table of 256 RGB bytes as 32-bit pixels for ImageData (little endian: alpha, blue, green, red).
function pixelTable(rgb, alpha = 255) {
  return Uint32Array.from({ length: 256 }, (_, i) => {
    const [red, green, blue] = rgb.subarray(3 * i, 3 * i + 3);
    return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

function cssColour(rgb, value) {
  return `rgb(${rgb[3 * value]}, ${rgb[3 * value + 1]}, ${rgb[3 * value + 2]})`;
}

// The table as a CSS or SVG gradient's stops: [offset from 0 to 1, colour].
function gradientStops(rgb, count = 17) {
  return Array.from({ length: count }, (_, i) => {
    const share = i / (count - 1);
    return [share, cssColour(rgb, Math.round(share * 255))];
  });
}

function cssGradient(rgb) {
  const stops = gradientStops(rgb).map(([share, colour]) => `${colour} ${100 * share}%`);
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

// The colour bar under a view: its ends, and what they hold for.
function labelScale(root, { colours, vmax, scale }, before = "") {
  root.querySelector(".ramp").style.background = cssGradient(colours);
  root.querySelector(".top").textContent = number(vmax);
  root.querySelector(".words").textContent = before + scale;
}

// Two significant digits, as the figures of the page.
function number(value) {
  return String(Number(value.toPrecision(2)));
}

// A byte as the value it stands for; the last step may have been cut off.
function weight(byte, vmax) {
  return `${byte === 255 ? "≥" : "≈"} ${number((byte / 255) * vmax)}`;
}

function indexOfMaximum(values, start = 0) {
  let best = start;
  for (let i = start + 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
