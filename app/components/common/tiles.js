// A vector as a tile of coloured cells: one colour below zero, another above, nothing at zero. So it
// lies on light and dark pages alike, and a fainter tile is the vector times a smaller weight.

class Tiles {
  // reach: what the bytes 1 and 255 stand for, both ways from zero; across: numbers a line.
  constructor({ channels, reach, signs, across = 8 }) {
    Object.assign(this, { channels, reach, across, lines: Math.ceil(channels / across) });
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
    const canvas = element("canvas", { width: this.across, height: this.lines });
    const context = canvas.getContext("2d");
    const image = context.createImageData(this.across, this.lines);
    row.forEach((byte, channel) => {
      const distance = byte - 128;
      image.data.set([...this.signs[+(distance > 0)], 2 * Math.abs(distance)], 4 * channel);
    });
    context.putImageData(image, 0, 0);
    return canvas.toDataURL("image/png");
  }

  // The number of a vector under the pointer, which is over the box of its tile; null beside them.
  channelAt(box, { clientX, clientY }) {
    const at = (part, whole, count) => clamp(Math.floor((part / whole) * count), 0, count - 1);
    const line = at(clientY - box.top, box.height, this.lines);
    const channel = line * this.across + at(clientX - box.left, box.width, this.across);
    return channel < this.channels ? channel : null;
  }

  value(block, index, channel) {
    return ((block[index * this.channels + channel] - 128) / 127) * this.reach;
  }

  // The same in words; what was cut off says so.
  says(block, index, channel) {
    const value = this.value(block, index, channel);
    const beyond = Math.abs(value) === this.reach ? (value > 0 ? "≥ " : "≤ ") : "";
    return beyond + decimals(value, 2);
  }

  gradient() {
    const [low, high] = this.signs.map((rgb) => `rgb(${rgb})`);
    return `linear-gradient(to right, ${low}, transparent, ${high})`;
  }
}
