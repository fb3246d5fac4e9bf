// The wall as a figure for print.
function wallFigure({ message, grid }) {
  const [left, top] = [32, 20];
  const { width, height } = grid.size;
  const page = svgPage(Math.max(left + width, 420), top + height + 40);
  page.append(grid.figure(left, top), svgColourBar(message, left, top + height + 10));
  return page;
}
