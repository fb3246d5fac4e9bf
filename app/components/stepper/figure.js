// A stage as a figure for print.
function stepFigure(player) {
  const { walk, step, stage } = player;
  const picture = new StepPicture(walk, "sans-serif");
  const plan = picture.arrange(1000, true);
  const parts = picture.draw(step, stage);
  const [margin, top] = [16, 62];
  const width = Math.max(plan.rail + plan.width, 900) + 2 * margin;
  const page = svgPage(width, top + plan.height + plan.after + margin);
  page.setAttribute("color", "#23211e");
  const style = svgElement("style");
  style.textContent = ".accent { color: #b04212; } .quiet { color: #66625c; } .flow { display: none; }";
  const line = (text, y, size) => {
    const node = svgElement("text", { x: margin, y, "font-size": size, fill: "currentColor" });
    node.textContent = text;
    return node;
  };
  const at = (nodes, x, y) => {
    const group = svgElement("g", { transform: `translate(${x} ${y})` });
    group.append(...nodes);
    return group;
  };
  page.append(
    style,
    line(`${player.where.textContent} · ${stage + 1} ${STAGES[stage]}`, 22, 15),
    line(stageSentence(walk, step, stage), 44, 13),
    at(parts.rail, margin, top),
    at(parts.columns, margin + plan.rail, top),
    at(parts.after, margin, top + plan.height),
  );
  return page;
}
