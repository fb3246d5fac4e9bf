// Numbers and formulas as they are read.

function decimals(value, digits) {
  return (Number(value.toFixed(digits)) + 0).toFixed(digits).replace("-", "−");
}

// Four digits; very large and small ones as a power of ten, in a formula's markup.
function digits(value) {
  const [mantissa, power] = value.toExponential(3).split("e").map(Number);
  if (power > -4 && power < 6) return String(Number(value.toPrecision(4)));
  return `${mantissa}·10^{${String(power).replace("-", "−")}}`;
}

function percentage(share) {
  return share > 0 && share < 0.001 ? "< 0.1 %" : `${(100 * share).toFixed(1)} %`;
}

// "e_i = s^T h_{12}" as nodes: single letters are variables, the one that is computed stands out.
function mathNodes(text, computed) {
  const parts = text.match(/[_^](?:\{[^}]*\}|.)|[A-Za-z]{2,}|\p{L}\u0303?|[^\p{L}_^]+/gu) ?? [];
  return parts.map((part) => {
    if (/^[_^]/.test(part)) {
      return element(part[0] === "_" ? "sub" : "sup", { textContent: part.slice(1).replace(/[{}]/g, "") });
    }
    if (/^\p{L}\u0303?$/u.test(part)) {
      return element("i", { textContent: part, className: part === computed ? "accent" : "" });
    }
    return document.createTextNode(part);
  });
}
