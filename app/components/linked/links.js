// What belongs to a cell: [matrix, row or null for all, column or null for all], itself first.
const LINKS = {
  X: (i) => [["X", i, null], ["Q", i, null], ["K", i, null], ["V", i, null]],
  Wq: (r, c) => [["Wq", r, c], ["X", null, r], ["Q", null, c]],
  Wk: (r, c) => [["Wk", r, c], ["X", null, r], ["K", null, c]],
  Wv: (r, c) => [["Wv", r, c], ["X", null, r], ["V", null, c]],
  Q: (i, c) => [["Q", i, c], ["X", i, null], ["Wq", null, c], ["S", i, null]],
  K: (j, c) => [["K", j, c], ["X", j, null], ["Wk", null, c], ["S", null, j]],
  V: (j, c) => [["V", j, c], ["X", j, null], ["Wv", null, c], ["A", null, j], ["O", null, c]],
  S: (i, j) => [["S", i, j], ...pairOf(i, j), ["M", i, j], ["A", i, j]],
  M: (i, j) => [["M", i, j], ...pairOf(i, j), ["S", i, j], ["A", i, j]],
  A: (i, j) => [["A", i, j], ["S", i, null], ["M", i, null], ["Q", i, null], ["K", j, null],
    ["V", j, null], ["O", i, null]],
  O: (i, c) => [["O", i, c], ["A", i, null], ["V", null, c]],
};

function pairOf(i, j) {
  return [["Q", i, null], ["K", j, null], ["V", j, null], ["O", i, null]];
}

// How a cell came about, with its numbers.
function arithmetic(name, i, j, all, scaled) {
  const of = (values) => values.map((value) => `(${fixed(value)})`.replace(/\(([\d.]+)\)/, "$1"));
  const sum = (left, right) => {
    const [a, b] = [of(left), of(right)];
    return a.map((value, k) => `${value}·${b[k]}`).join(" + ");
  };
  const column = (matrix, c) => matrix.map((row) => row[c]);
  const value = fixed(all[name][i][j]);
  const [row, at] = [i + 1, j + 1];
  const projected = { Q: ["Wq", "query"], K: ["Wk", "key"], V: ["Wv", "value"] }[name];
  if (projected) {
    const [matrix, word] = projected;
    return `Number ${at} of ${word} ${row}: ${sum(all.X[i], column(all[matrix], j))} = ${value}`;
  }
  if (name === "S") {
    const dot = sum(all.Q[i], all.K[j]);
    return `Query ${row} with key ${at}: ${scaled ? `(${dot}) / √2` : dot} = ${value}`;
  }
  if (name === "M") {
    return all.M[i][j]
      ? `Token ${row} may look at token ${at}: 0 is added to the score. Click to forbid it.`
      : `Token ${row} may not look at token ${at}: −∞ is added to the score. Click to allow it.`;
  }
  if (name === "A") {
    if (!all.M[i].some(Boolean)) return `Token ${row} may look at nothing: its weights are zero.`;
    if (!all.M[i][j]) return `Token ${row} gives token ${at} no weight: the mask hides it.`;
    return `Token ${row} gives token ${at} the weight ${value} = exp(${fixed(all.S[i][j])}) / sum over its row`;
  }
  if (name === "O") {
    return `Number ${at} of output ${row}: ${sum(all.A[i], column(all.V, j))} = ${value}`;
  }
  return name === "X" ? `Number ${at} of vector ${row}: ${value}` : `${value}`;
}

function fixed(value, digits = 2) {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
