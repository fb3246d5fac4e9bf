// The cells of a picture where they really see: each reaches half way to its neighbours, the
// outermost to the picture's edge. In pixels of the picture that the model saw.

class Cells {
  constructor({ rows, cols, height, width, centre, stride }) {
    Object.assign(this, { rows, cols, height, width, centre, stride, count: rows * cols });
    const edges = (cells, size, axis) =>
      Array.from({ length: cells + 1 }, (_, i) =>
        i === 0 ? 0 : i === cells ? size : centre[axis] + (i - 0.5) * stride[axis]);
    [this.down, this.across] = [edges(rows, height, 0), edges(cols, width, 1)];
  }

  place(cell) {
    return [Math.floor(cell / this.cols), cell % this.cols];
  }

  name(cell) {
    return this.place(cell).join(",");
  }

  // Its top, left, bottom and right.
  box(cell) {
    const [row, col] = this.place(cell);
    return [this.down[row], this.across[col], this.down[row + 1], this.across[col + 1]];
  }

  // The cell at a place of the picture, both ways from 0 to 1.
  at(x, y) {
    const near = (share, size, axis, cells) =>
      clamp(Math.round((share * size - this.centre[axis]) / this.stride[axis]), 0, cells - 1);
    return near(y, this.height, 0, this.rows) * this.cols + near(x, this.width, 1, this.cols);
  }

  beside(cell, down, right) {
    const [row, col] = this.place(cell);
    return clamp(row + down, 0, this.rows - 1) * this.cols + clamp(col + right, 0, this.cols - 1);
  }

  // All of them as rectangles; colour(cell) is CSS, inset leaves the picture between them.
  rectangles(colour, opacity, inset = 0) {
    const group = svgElement("g", { class: "cells", opacity, "shape-rendering": "crispEdges" });
    for (let cell = 0; cell < this.count; cell++) {
      const [top, left, bottom, right] = this.box(cell);
      group.append(svgElement("rect", {
        x: left + inset, y: top + inset, width: right - left - 2 * inset, height: bottom - top - 2 * inset, fill: colour(cell),
      }));
    }
    return group;
  }
}
