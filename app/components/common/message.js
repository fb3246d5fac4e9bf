// What Python's `pack` sent: the header's fields and the named blocks of bytes, in one object.
function unpack(data) {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array(data);
  const size = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const message = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  let start = 4 + size;
  for (const [name, length] of message.blocks) {
    message[name] = bytes.subarray(start, start + length);
    start += length;
  }
  return message;
}

// What is chosen here. The visitor changes it, and the page hears of it; the page changes it by an
// order with a new number, and nothing is reported back.
class Choice {
  value = null;

  follow({ order, chosen }, send) {
    this.send = send;
    if (order === this.order) return;
    this.order = order;
    this.value = chosen;
  }

  make(value) {
    this.value = value;
    this.send("choice", { order: this.order, value });
  }
}
