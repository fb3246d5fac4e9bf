// The view as a figure for print: the plane as it stands, every matrix where it stands on the page.
function linkedFigure({ root, message }) {
  const frame = root.getBoundingClientRect();
  const bottom = root.querySelector(".status").getBoundingClientRect().top - frame.top;
  const page = svgPage(Math.ceil(frame.width) + 32, Math.ceil(bottom) + 32);
  const place = (node) => {
    const box = node.getBoundingClientRect();
    return { x: box.left - frame.left + 16, y: box.top - frame.top + 16, width: box.width, height: box.height };
  };
  const write = (text, box, size, anchor = "middle") => {
    const x = anchor === "middle" ? box.x + box.width / 2 : box.x;
    const options = { x, y: box.y + box.height / 2 + size / 3, "font-size": size, "text-anchor": anchor, fill: "#23211e" };
    const node = svgElement("text", options);
    node.textContent = text;
    page.append(node);
  };
  const style = svgElement("style");
  style.textContent = ".axes, .unit { fill: none; stroke: #bbb; stroke-width: 0.02; } .grip { fill: none; } "
    + ".point { fill: #b04212; } .output { fill: none; stroke: #2f7fc1; stroke-width: 0.04; } .looks line { stroke: #b04212; }";
  page.append(style);
  write(root.querySelector(".formula .term").textContent, place(root.querySelector(".formula .term")), 20, "start");
  const plane = root.querySelector(".plane");
  if (plane.clientWidth) {
    const copy = plane.cloneNode(true);
    setAll(copy, place(plane));
    page.append(copy);
  }
  for (const figure of root.querySelectorAll(".matrix")) {
    if (!figure.offsetWidth) continue;
    const caption = figure.querySelector("figcaption span");
    write(caption.textContent, place(caption), 12, "start");
    for (const head of figure.querySelectorAll("b")) write(head.textContent, place(head), 10);
    for (const cell of figure.querySelectorAll(".cell")) {
      const box = place(cell);
      const share = (parseFloat(cell.style.getPropertyValue("--share")) || 0) / 100;
      const hue = cell.classList.contains("hidden") ? "#7b8088" : cell.classList.contains("below") ? "#2f7fc1" : "#c44b16";
      const opacity = cell.classList.contains("hidden") ? 0.45 : share;
      page.append(svgElement("rect", { ...box, fill: hue, "fill-opacity": opacity, stroke: "#ddd" }));
      write(cell.value || cell.textContent, box, 11);
    }
  }
  return page;
}
