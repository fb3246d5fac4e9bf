// A state as a tile of coloured cells: one colour below zero, another above, nothing at zero. So it
// lies on light and dark pages alike, and a fainter tile is the state times a smaller weight.

const ACROSS = 8; // channels a line

class Tiles {
  constructor({ channels, signs }) {
    this.channels = channels;
    this.lines = Math.ceil(channels / ACROSS);
    this.signs = signs.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
    this.known = new Map();
  }

  // The address of row `index` of a block, drawn once.
  address(block, index) {
    const row = block.subarray(index * this.channels, (index + 1) * this.channels);
    if (!this.known.has(row.byteOffset)) this.known.set(row.byteOffset, this.#draw(row));
    return this.known.get(row.byteOffset);
  }

  #draw(row) {
    const canvas = element("canvas", { width: ACROSS, height: this.lines });
    const context = canvas.getContext("2d");
    const image = context.createImageData(ACROSS, this.lines);
    row.forEach((byte, channel) => {
      const distance = byte - 128;
      image.data.set([...this.signs[+(distance > 0)], 2 * Math.abs(distance)], 4 * channel);
    });
    context.putImageData(image, 0, 0);
    return canvas.toDataURL("image/png");
  }

  gradient() {
    const [low, high] = this.signs.map((rgb) => `rgb(${rgb})`);
    return `linear-gradient(to right, ${low}, transparent, ${high})`;
  }
}
