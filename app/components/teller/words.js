// Formulas and sentences of the stages.

const STAGES = ["grid", "average", "state", "score", "softmax", "context", "gate", "word"];

const SCORE = { mlp: "v^T tanh(W h + U a_i)", bilinear: "h^T W a_i", dot: "h · a_i" };
const SCORE_NAMES = { mlp: "MLP", bilinear: "bilinear", dot: "dot product" };

// The cells by their weights, the heaviest first.
function heaviest(walk, step) {
  const weights = walk.row("weights", step);
  return [...weights.keys()].sort((a, b) => weights[b] - weights[a] || a - b);
}

// The variable that a stage computes; how; and the same with this word's numbers, for one cell.
function tellFormulas({ walk, cells, tiles }, step, stage, cell) {
  const { score, hard, apart } = walk;
  const at = `{${cells.name(cell)}}`;
  const vector = (kind, block, index) => someNumbers(tiles[kind], walk[block], index);
  return [
    () => ["a", "a_i = [relu(norm(W x_i + b)) ; p_i]", `a_${at} ≈ ${vector("cells", "annotations", cell)}`],
    () => ["ā", "ā = Σ_i a_i / n", `ā ≈ ${vector("cells", "mean", 0)}, n = ${cells.count}`],
    () => ["h", step ? `h_{${step}} = LSTM([E y_{${step - 1}} ; z_{${step}}], h_{${step - 1}})` : "h_0 = tanh(W ā + b)",
      `h_{${step}} ≈ ${vector("states", "states", step)}`],
    () => ["e", `e_i = ${apart ? SCORE[score].replace("a_i", "b_i") : SCORE[score]}`,
      `e_${at} = ${decimals(walk.row("scores", step)[cell], 3)}`],
    () => ["α", "α_i = exp(e_i) / Σ_j exp(e_j)", softmaxHere(walk, step, cell, at)],
    () => ["c", hard ? "c = a_i where α_i is largest" : "c = Σ_i α_i a_i", contextHere(walk, cells, step)],
    () => ["z", "z = β c,  β = sigmoid(f · h + b)", `β = ${decimals(walk.gates[step], 3)}`],
    () => ["p", "p = softmax(L_o tanh(E y + L_h h + L_z z))",
      `p_{${walk.target[step]}} = ${decimals(walk.probabilities[step], 3)}`],
  ][stage]();
}

// Three numbers of a vector, from its first that is not zero on.
function someNumbers(tiles, block, index) {
  const all = [...Array(tiles.channels).keys()];
  const start = Math.max(all.findIndex((i) => tiles.value(block, index, i)), 0);
  const some = all.slice(start, start + 3).map((i) => tiles.says(block, index, i));
  return `(${start ? "…, " : ""}${some.join(", ")}${start + 3 < all.length ? ", …" : ""})`;
}

// Scores whose exponentials no number holds are taken from the largest, which changes no weight.
function softmaxHere(walk, step, cell, at) {
  const scores = walk.row("scores", step);
  const high = Math.max(...scores);
  const shift = Math.abs(high) > 80 ? high : 0;
  const sum = scores.reduce((total, score) => total + Math.exp(score - shift), 0);
  return `α_${at} = exp(${decimals(scores[cell] - shift, 3)}) / ${digits(sum)} = ${digits(walk.row("weights", step)[cell])}`;
}

function contextHere(walk, cells, step) {
  const weights = walk.row("weights", step);
  const order = heaviest(walk, step);
  if (walk.hard) return `c = a_{${cells.name(order[0])}}`;
  const terms = order.slice(0, 3).map((cell) => `${decimals(weights[cell], 3)} a_{${cells.name(cell)}}`);
  return `c = ${terms.join(" + ")}${order.length > 3 ? " + …" : ""}`;
}

function tellSentence({ walk, cells }, step, stage) {
  const { target, hard, channels } = walk;
  const before = step ? `“${target[step - 1]}”` : "";
  const best = heaviest(walk, step)[0];
  const where = `cell ${cells.name(best)}`;
  return [
    () => `The CNN makes ${cells.count} annotation vectors of the picture, ${channels.cells} numbers each, the last of them its place p; ` +
      `like colours, like vectors.${step ? " They stay the same for every word." : ""}`,
    () => (step
      ? "Their average was needed once, for the first state; since then the picture comes in only where it is looked at."
      : "Their average, the whole picture in one vector, is what the first state is made of."),
    () => (step
      ? `After ${before}, the LSTM’s state holds what was said and seen so far.`
      : "Before the first word, the LSTM’s state knows the picture at large, and nothing of where things are."),
    () => `The state is compared with every cell (${SCORE_NAMES[walk.score]}): ${where} fits best. ` +
      (walk.apart ? "The b are shallower features of the same cells. " : "") + "Only differences of scores count.",
    () => (hard
      ? `Softmax makes weights of the scores. Hard attention looks at the likeliest cell alone: ${where}.`
      : `Softmax makes the scores positive, with sum 1: ${where} gets ${percentage(walk.row("weights", step)[best])} of the attention.`),
    () => (hard
      ? `Hard attention looks at the likeliest cell alone: what is seen is ${where}.`
      : "Each cell counts as much as its weight; their sum c is what is seen."),
    () => `The state decides how much of what is seen is let in: ${percentage(walk.gates[step])}.`,
    () => `${saidSentence(walk, step)} ` +
      (step === target.length - 1 ? "Here the caption ends." : "With it and the new state the next word begins."),
  ][stage]();
}

function saidSentence({ target, probabilities, picked }, step) {
  const chance = percentage(probabilities[step]);
  return picked[step] === 0
    ? `Of all words, “${target[step]}” is the likeliest: ${chance}.`
    : `“${target[step]}” was said, at ${chance}, though it is not the likeliest.`;
}
