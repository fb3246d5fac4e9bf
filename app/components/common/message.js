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

// The last report of each component: the page may take its element out and put a new one in.
const REPORTS = new Map();

// What is chosen here. The visitor changes it, and the page hears of it; the page changes it by an
// order with a new number, and nothing is reported back.
class Choice {
  value = null;

  follow({ key, order, chosen }, send) {
    this.send = send;
    if (order === this.order) return;
    Object.assign(this, { key, order });
    const report = REPORTS.get(key);
    this.value = report?.order === order ? report.value : chosen;
  }

  make(value) {
    this.value = value;
    const report = { order: this.order, value };
    REPORTS.set(this.key, report);
    this.send("choice", report);
  }
}
