// The words of a caption, and what is said of them.

// What the chips of a caption are made of: another caption gets new ones.
function chipsOf({ words, probabilities, gates, forced, guided }) {
  return JSON.stringify([words, probabilities, gates, forced, guided]);
}

// What the visitor gave of a word, in words.
function given({ forced, guided }, step) {
  const parts = [forced.includes(step) && "the word is given", guided.includes(step) && "where it looks is given"];
  return parts.filter(Boolean).map((part) => `; ${part}`).join("");
}

function wordFacts(message, step) {
  const { probabilities, gates } = message;
  return `probability ${percentage(probabilities[step])}, gate β ${decimals(gates[step], 2)}${given(message, step)}`;
}

// A word over a bar for its probability, and its gate.
function captionChip(message, step) {
  const { words, probabilities, gates, forced } = message;
  const chip = element("button", {
    type: "button",
    className: forced.includes(step) ? "forced" : "",
    title: `${step} ${words[step]}: ${wordFacts(message, step)}`,
  });
  chip.style.setProperty("--chance", probabilities[step]);
  const gate = element("small", { textContent: `β ${decimals(gates[step], 2)}` });
  chip.append(element("span", { textContent: words[step] }), element("i"), gate);
  return chip;
}

// A small map over its word; keys have the words above.
function captionFrame({ words, guided }, step) {
  const frame = element("button", {
    type: "button",
    className: guided.includes(step) ? "guided" : "",
    title: `${step} ${words[step]}`,
    tabIndex: -1,
  });
  frame.append(element("canvas", { width: 152, height: 152 }), element("span", { textContent: words[step] }));
  return frame;
}

// The maps of all words added up: bytes on a scale of its own, where that ends, and the mean over
// the cells of what equation 14 of the paper keeps small.
function coverageOf(maps, vmax) {
  const sums = Array.from(maps[0], (_, cell) => maps.reduce((sum, map) => sum + (map[cell] / 255) * vmax, 0));
  const most = Math.max(...sums) || 1;
  const penalty = sums.reduce((sum, value) => sum + (1 - value) ** 2, 0) / sums.length;
  return { sums, most, penalty, bytes: Uint8Array.from(sums, (value) => Math.round((255 * value) / most)) };
}

// A share for reading in passing: two digits.
function roughly(share) {
  return `${number(100 * share)} %`;
}

function captionSentence(view) {
  const { message, cell, together, stroke, picked, step } = view;
  const { mark, words } = message;
  const ask = mark && !picked ? " Choose a word first, then paint where it should look." : "";
  if (stroke) return paintedSentence(view, stroke);
  if (cell !== null) return lookedSentence(view) + ask;
  if (together) return coverageSentence(view) + ask;
  if (mark && picked?.step === step) return paintedSentence(view, picked);
  const own = wordSentence(view);
  const idle = view.hovered === null && view.walked === null && !picked;
  if (!idle || ask) return own + ask;
  const verb = hovering() ? "Hover" : "Tap";
  return `${own} ${verb} a word to see where it looked, a cell to see which words looked there.`;
}

function paintedSentence({ message: { words, rows, cols } }, { step, cells }) {
  const count = cells.size ?? cells.length;
  const how = count
    ? `${count} of ${rows * cols} cells marked; a drag from a marked cell erases.`
    : "drag over the cells where it should look.";
  return `“${words[step]}”: ${how}`;
}

function cellName(view, cell) {
  const [row, col] = view.place(cell);
  return `row ${row}, column ${col}`;
}

function wordSentence(view) {
  const { message, step, maps, picked } = view;
  const map = maps[step];
  const best = indexOfMaximum(map);
  const kept = picked?.step === step ? ", picked," : "";
  const where = `${cellName(view, best)} (${roughly((map[best] / 255) * message.vmax)})`;
  return `“${message.words[step]}”${kept} looks most at ${where}; ${wordFacts(message, step)}.`;
}

// Who looked at a cell, the most first; what is less than half a percent is left out.
function lookedSentence(view) {
  const { message: { words, vmax }, cell, maps, coverage, together } = view;
  const looked = maps.map((map, step) => [words[step], (map[cell] / 255) * vmax])
    .filter(([, share]) => share >= 0.005)
    .sort((a, b) => b[1] - a[1]);
  const named = looked.slice(0, 4).map(([word, share]) => `${word} ${roughly(share)}`).join(" · ");
  const rest = looked.length > 4 ? ` · ${looked.length - 4} more` : "";
  const sum = together ? `; together ${number(coverage.sums[cell])}` : "";
  const name = cellName(view, cell);
  return `${name[0].toUpperCase()}${name.slice(1)}: ${named || "no word looked here"}${rest}${sum}.`;
}

function coverageSentence(view) {
  const { coverage: { bytes, most, penalty }, maps } = view;
  const best = indexOfMaximum(bytes);
  return `Coverage Σα of ${maps.length} words: ${number(most)} at ${cellName(view, best)}. ` +
    `The mean of (1 − Σα)² over ${bytes.length} cells is ${decimals(penalty, 3)}.`;
}
