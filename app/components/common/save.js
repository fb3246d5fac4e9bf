// Files made in the browser.
function save(blob, name) {
  const link = element("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function fileName(name, extension) {
  const plain = name.normalize("NFKD").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|-+$/g, "");
  return `${plain || "figure"}.${extension}`;
}

function saveSvg(svg, name) {
  save(new Blob([svgText(svg)], { type: "image/svg+xml" }), fileName(name, "svg"));
}

async function savePng(svg, name, scale = 2) {
  const image = element("img", {
    src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svgText(svg)),
  });
  await image.decode();
  const canvas = element("canvas", {
    width: scale * svg.getAttribute("width"),
    height: scale * svg.getAttribute("height"),
  });
  const context = canvas.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => save(blob, fileName(name, "png")), "image/png");
}

function svgText(svg) {
  return new XMLSerializer().serializeToString(svg);
}

async function dataAddress(bytes, type) {
  const reader = new FileReader();
  const read = new Promise((resolve) => (reader.onload = () => resolve(reader.result)));
  reader.readAsDataURL(new Blob([bytes], { type }));
  return read;
}

// The colour bar with its ends named; its top left corner at (x, y).
function svgColourBar({ colours, vmax, scale, low = 0 }, x, y) {
  const width = 160;
  const group = svgElement("g", { transform: `translate(${x} ${y})`, "font-size": 12 });
  const gradient = svgElement("linearGradient", { id: "scale" });
  for (const [offset, colour] of gradientStops(colours)) {
    gradient.append(svgElement("stop", { offset, "stop-color": colour }));
  }
  group.append(gradient, svgElement("rect", { width, height: 8, fill: "url(#scale)" }));
  const words = [[0, "start", number(low)], [width, "end", number(vmax)], [width + 14, "start", scale]];
  for (const [at, anchor, text] of words) {
    const label = svgElement("text", { x: at, y: 22, "text-anchor": anchor, fill: "#444" });
    label.textContent = text;
    group.append(label);
  }
  return group;
}

function svgPage(width, height) {
  return svgElement("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-family": "sans-serif",
  });
}
