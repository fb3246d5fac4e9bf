// Measures text as the page will draw it.
class Pen {
  constructor(font) {
    this.font = font;
    this.context = element("canvas").getContext("2d");
  }

  width(text, size) {
    this.context.font = `${size}px ${this.font}`;
    return this.context.measureText(text).width;
  }

  // The text, shortened with an ellipsis if there is no room for it.
  clipped(text, size, room) {
    if (this.width(text, size) <= room) return text;
    const letters = [...text];
    while (letters.length > 1 && this.width(`${letters.join("")}…`, size) > room) letters.pop();
    return `${letters.join("")}…`;
  }
}
