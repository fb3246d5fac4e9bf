// One attention layer over n vectors in the plane; matrices are arrays of rows.

const DIMENSION = 2;

function product(a, b) {
  return a.map((row) => b[0].map((_, c) => row.reduce((sum, value, k) => sum + value * b[k][c], 0)));
}

function transposed(a) {
  return a[0].map((_, c) => a.map((row) => row[c]));
}

// Softmax over what the mask lets through; a row that may see nothing is zeros.
function maskedSoftmax(row, shown) {
  const top = Math.max(...row.filter((_, j) => shown[j]));
  const powers = row.map((value, j) => (shown[j] ? Math.exp(value - top) : 0));
  const total = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => (total ? value / total : 0));
}

// Every matrix of the layer, by its name in the formula; M as 1 (may look) and 0.
function attention({ X, Wq, Wk, Wv, M, scaled }) {
  const [Q, K, V] = [Wq, Wk, Wv].map((matrix) => product(X, matrix));
  const root = scaled ? Math.sqrt(DIMENSION) : 1;
  const S = product(Q, transposed(K)).map((row) => row.map((value) => value / root));
  const A = S.map((row, i) => maskedSoftmax(row, M[i]));
  return { X, Wq, Wk, Wv, M, Q, K, V, S, A, O: product(A, V) };
}

// The usual masks: (row, column, n, size) → may the row look at the column?
const MASKS = {
  "no mask": () => true,
  causal: (i, j) => j <= i,
  band: (i, j, n, size) => Math.abs(i - j) <= size,
  padding: (i, j, n, size) => j < n - size,
};

function usualMask(kind, n, size) {
  const shown = MASKS[kind];
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => Number(shown(i, j, n, size))));
}

// What a link says: vectors, W_Q, W_K, W_V in hundredths, mask, s where scores are scaled.
function readSetup(text) {
  const [vectors, q, k, v, mask, scaled] = text.split("~");
  const numbers = (part) => part.split("_").map((value) => Number(value) / 100);
  const square = (part) => {
    const [a, b, c, d] = numbers(part);
    return [[a, b], [c, d]];
  };
  return {
    X: vectors.split(".").map(numbers),
    Wq: square(q),
    Wk: square(k),
    Wv: square(v),
    M: mask.split(".").map((row) => [...row].map(Number)),
    scaled: scaled === "s",
  };
}

function writeSetup({ X, Wq, Wk, Wv, M, scaled }) {
  const numbers = (row) => row.map((value) => Math.round(100 * value)).join("_");
  const matrices = [Wq, Wk, Wv].map((matrix) => numbers(matrix.flat()));
  const mask = M.map((row) => row.join("")).join(".");
  return [X.map(numbers).join("."), ...matrices, mask, scaled ? "s" : "u"].join("~");
}
