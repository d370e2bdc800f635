/** Decodes uuencode, which is older than MIME: `begin 644 name`, lines of data, `end` (POSIX). */
import type { Decoded } from './base64.ts';

const [LF, CR] = [0x0a, 0x0d];
const BEGIN = /^begin [0-7]{3,4} ([^\r\n]{0,500})/m;
const BEGIN_SEARCHED_BYTES = 64 * 1024;

/** Text around the data is `extra`. Without the line `begin`, the bytes are returned as they are. */
export function decodeUuencode(bytes: Buffer): Decoded {
  const begin = BEGIN.exec(bytes.toString('latin1', 0, BEGIN_SEARCHED_BYTES));
  if (begin === null) return { content: bytes, isDamaged: bytes.byteLength > 0 };
  const content = Buffer.allocUnsafe(bytes.byteLength);
  let length = 0;
  let at = afterLine(bytes, begin.index);
  while (at < bytes.byteLength) {
    const next = afterLine(bytes, at);
    const written = decodeLine(bytes, at, next, content, length);
    if (written === undefined) break;
    length += written;
    at = next;
    if (written === 0) break; // a line without bytes is the last one
  }
  const isEnded = /^end[ \t]*(\r?\n|$)/.test(bytes.toString('latin1', at, at + 80));
  const after = bytes.subarray(isEnded ? afterLine(bytes, at) : at);
  const extra = Buffer.concat([bytes.subarray(0, begin.index), after]);
  const hasExtra = extra.toString('latin1').trim() !== '';
  const filename = Buffer.from((begin[1] ?? '').trim(), 'latin1').toString();
  return {
    content: content.subarray(0, length),
    ...(hasExtra && { extra }),
    isDamaged: hasExtra || !isEnded,
    filename,
  };
}

const afterLine = (bytes: Buffer, at: number): number =>
  bytes.indexOf(LF, at) + 1 || bytes.byteLength;

/**
 * The first character gives the number of bytes, then four characters stand for three bytes. Blanks
 * at the end of a line may be lost. Returns the number of bytes, or undefined for a line that is
 * not data.
 */
function decodeLine(
  bytes: Buffer,
  start: number,
  next: number,
  content: Buffer,
  from: number,
): number | undefined {
  let end = next;
  while (end > start && (bytes[end - 1] === LF || bytes[end - 1] === CR)) end--;
  const count = valueOf(bytes[start]);
  if (count === undefined || end === start) return undefined;
  const groups = Math.ceil(count / 3);
  const isLonger = end - start - 1 > groups * 4 + 1; // than its data and a checksum
  if (isLonger || from + groups * 3 > content.byteLength) return undefined;
  for (let group = 0; group < groups; group++) {
    let value = 0;
    for (let place = 0; place < 4; place++) {
      const at = start + 1 + group * 4 + place;
      const digit = at < end ? valueOf(bytes[at]) : 0;
      if (digit === undefined) return undefined;
      value = value * 64 + digit;
    }
    for (let place = 0; place < 3; place++)
      content[from + group * 3 + place] = (value >> (16 - place * 8)) & 0xff;
  }
  return count;
}

/** Blank and backtick are 0. */
const valueOf = (byte: number | undefined): number | undefined =>
  byte === undefined || byte < 0x20 || byte > 0x60 ? undefined : (byte - 0x20) & 0x3f;
