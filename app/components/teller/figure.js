// A stage as a figure for print.
async function tellFigure(player) {
  const { walk, step, stage } = player;
  const drawing = new TellPicture(walk, "sans-serif", await dataAddress(walk.picture, walk.kind));
  const [margin, top, room] = [16, 84, 1100];
  const plan = drawing.arrange(room, true);
  const page = svgPage(room + 2 * margin, top + plan.height + margin);
  page.setAttribute("color", "#23211e");
  const style = svgElement("style");
  style.textContent = ".accent { color: #b04212; } .quiet { color: #66625c; } " +
    ".frame { fill: none; stroke: currentColor; stroke-opacity: 0.3; }";
  const group = svgElement("g", { transform: `translate(${margin} ${top})` });
  group.append(...drawing.draw(step, stage));
  drawing.outline(stage > ONCE ? heaviest(walk, step)[0] : null, []);
  const line = (words, y, size) => drawing.text(words, margin, y, { anchor: "start", size });
  page.append(
    style,
    line(walk.target.slice(0, step + 1).join(" "), 24, 18),
    line(`${player.stepName(step)} · ${stage + 1} ${STAGES[stage]}`, 46, 14),
    line(tellSentence(drawing, step, stage), 66, 13),
    group,
  );
  return page;
}
