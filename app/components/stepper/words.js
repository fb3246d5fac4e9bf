// Formulas and sentences of the stages.

const STAGES = ["scores", "softmax", "context", "concatenation", "prediction"];
const SHORT = ["scores", "softmax", "context", "concat", "predict"]; // for a phone

const SCORE = { dot: "s^T h_i", bilinear: "s^T W h_i", mlp: "v^T tanh(W s + U h_i + b)" };
const SCORE_NAMES = { dot: "dot product", bilinear: "bilinear", mlp: "MLP" };

// What a stage computes, and the same with this step's numbers for source piece i.
function stageFormulas(walk, step, stage, i) {
  const { kind, channels, target } = walk;
  const scores = walk.row("scores", step);
  const weights = walk.row("weights", step);
  if (stage === 0) return ["e", `e_i = ${SCORE[kind]}`, `e_{${i}} = ${decimals(scores[i], 3)}`];
  if (stage === 1) {
    const grown = Array.from(scores, Math.exp);
    const sum = grown.reduce((total, value) => total + value, 0);
    return ["α", "α_i = exp(e_i) / Σ_j exp(e_j)",
      `α_{${i}} = ${digits(grown[i])} / ${digits(sum)} = ${decimals(weights[i], 3)}`];
  }
  if (stage === 2) {
    const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
    const terms = order.slice(0, 3).map((j) => `${decimals(weights[j], 3)} h_{${j}}`);
    const more = order.length > 3 ? " + …" : "";
    return ["c", "c = Σ_i α_i h_i", `c = ${terms.join(" + ")}${more}`];
  }
  if (stage === 3) {
    return ["s̃", "s̃ = tanh(W_c [c ; s])", `${channels} + ${channels} numbers → ${channels}`];
  }
  return ["p", "p = softmax(E s̃ + b)",
    `p_{${target[step]}} = ${decimals(walk.probabilities[step], 3)}`];
}

function stageSentence(walk, step, stage) {
  const { source, target, kind } = walk;
  const before = step ? `After “${target[step - 1]}”` : "To begin with";
  const scores = walk.row("scores", step);
  const weights = walk.row("weights", step);
  const best = indexOfMaximum(weights);
  if (stage === 0) {
    return `${before}, the decoder’s state s is compared with every encoder state h ` +
      `(${SCORE_NAMES[kind]}): “${source[indexOfMaximum(scores)]}” fits best.`;
  }
  if (stage === 1) {
    return `Softmax makes the scores positive, with sum 1: “${source[best]}” gets ` +
      `${percentage(weights[best])} of the attention.`;
  }
  if (stage === 2) return "Each encoder state counts as much as its weight; their sum is the context c.";
  if (stage === 3) return "Context and decoder state, side by side, are projected back to the size of one state.";
  return `${pickedSentence(walk, step)} ` +
    (step === target.length - 1 ? "Here the translation ends." : "It is written, and read at the next step.");
}

function pickedSentence({ target, probabilities, picked }, step) {
  const chance = percentage(probabilities[step]);
  return picked[step] === 0
    ? `Of all pieces, “${target[step]}” is the likeliest: ${chance}.`
    : `“${target[step]}” was chosen, at ${chance}, though it is not the likeliest.`;
}
