/**
 * Charsets of seven-bit bytes that switch between states. Each is read in one pass, because a sender
 * chooses how often it switches.
 */
const [LF, SHIFT_OUT, SHIFT_IN, ESCAPE, PLUS, DASH, TILDE] = [
  0x0a, 0x0e, 0x0f, 0x1b, 0x2b, 0x2d, 0x7e,
];
const isGraphic = (byte: number | undefined): boolean =>
  byte !== undefined && byte > 0x20 && byte < 0x7f;

/** Korean between SO and SI (RFC 1557), as EUC-KR. A line ends the state. */
export function eucOfIso2022Kr(bytes: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(bytes.byteLength);
  let to = 0;
  let isKorean = false;
  for (let at = 0; at < bytes.byteLength; at++) {
    const byte = bytes[at] as number;
    if (byte === SHIFT_OUT || byte === SHIFT_IN) isKorean = byte === SHIFT_OUT;
    else if (byte === ESCAPE && isDesignator(bytes, at)) at += 3;
    else {
      if (byte === LF) isKorean = false;
      out[to++] = isKorean && isGraphic(byte) ? byte | 0x80 : byte;
    }
  }
  return out.subarray(0, to);
}

/** `ESC $ ) C`. */
const isDesignator = (bytes: Uint8Array, at: number): boolean =>
  bytes[at + 1] === 0x24 && bytes[at + 2] === 0x29 && bytes[at + 3] === 0x43;

/** Chinese between `~{` and `~}` (RFC 1843), as GB 2312. `~~` is a tilde. */
export function gbOfHz(bytes: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(bytes.byteLength);
  let to = 0;
  let isChinese = false;
  for (let at = 0; at < bytes.byteLength; at++) {
    const [byte, next] = [bytes[at] as number, bytes[at + 1]];
    if (byte === TILDE && isChinese) {
      isChinese = false;
      if (next === 0x7d) at++;
    } else if (isChinese && isGraphic(byte) && isGraphic(next)) {
      out[to++] = byte | 0x80;
      out[to++] = (next as number) | 0x80;
      at++;
    } else if (byte === TILDE && (next === 0x7b || next === LF)) {
      isChinese = next === 0x7b;
      at++;
    } else {
      isChinese = false;
      out[to++] = byte;
      if (byte === TILDE && next === TILDE) at++;
    }
  }
  return out.subarray(0, to);
}

/** By the byte: six bits of Base64, -1 for another one. */
const BITS = new Int8Array(256).fill(-1);
const BASE64 = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
for (const [bits, byte] of BASE64.entries()) BITS[byte] = bits;

/** UTF-16 in Base64 between `+` and `-` (RFC 2152). */
export function textOfUtf7(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.byteLength);
  let to = 0;
  for (let at = 0; at < bytes.byteLength; at++) {
    const byte = bytes[at] as number;
    if (byte !== PLUS || (BITS[bytes[at + 1] ?? 0] === -1 && bytes[at + 1] !== DASH)) {
      units[to++] = byte < 0x80 ? byte : 0xfffd;
      continue;
    }
    const start = ++at;
    let [value, bits] = [0, 0];
    for (; at < bytes.byteLength && BITS[bytes[at] as number] !== -1; at++) {
      value = ((value << 6) | (BITS[bytes[at] as number] as number)) & 0x3fffff;
      bits += 6;
      if (bits < 16) continue;
      bits -= 16;
      units[to++] = (value >> bits) & 0xffff;
    }
    if (at === start) units[to++] = PLUS;
    if (bytes[at] !== DASH) at--;
  }
  return Buffer.from(units.buffer, 0, to * 2)
    .toString('utf16le')
    .toWellFormed();
}
