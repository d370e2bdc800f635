/**
 * Decodes transfer encodings (RFC 2045 §6), line ends and flowed text (RFC 3676), in time linear in
 * the size, whatever the bytes.
 */
import { decodeBase64, type Decoded } from './base64.ts';
import { decodeUuencode } from './uuencode.ts';

const [TAB, LF, CR, SPACE, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d];

const FLOWED_MAX_CHARS = 4 * 1024 * 1024; // longer text is not joined

export type Encoding = {
  kind: 'base64' | 'quoted-printable' | 'uuencode' | 'identity';
  /** It is not written as RFC 2045 §6.1 says, or means nothing. */
  isOdd: boolean;
};

const KINDS: readonly [names: RegExp, kind: Encoding['kind']][] = [
  [/^(?:x|mime)?base64$/, 'base64'],
  [/^(?:x)?quotedprintable$/, 'quoted-printable'],
  [/^(?:x)?uu(?:e|encode)?$/, 'uuencode'],
  [/^(?:[78](?:bits?)?|binary|none|)$/, 'identity'],
];
const PLAIN_NAME = /^[a-z0-9-]*$/;

/** The letters and digits decide: `base64;` and `"quoted-printable"` can only mean one thing. */
export function encodingOf(field: string): Encoding {
  const name = field
    .replace(/\([^()]*\)/g, ' ')
    .trim()
    .toLowerCase();
  const found = KINDS.find(([names]) => names.test(name.replace(/[^a-z0-9]/g, '')));
  const kind = found?.[1] ?? 'identity';
  return { kind, isOdd: found === undefined || (kind !== 'identity' && !PLAIN_NAME.test(name)) };
}

/** With no encoding the content is the bytes themselves, not a copy. */
export function decodeTransfer(bytes: Buffer, { kind, isOdd }: Encoding): Decoded {
  const decoded =
    kind === 'base64'
      ? decodeBase64(bytes)
      : kind === 'uuencode'
        ? decodeUuencode(bytes)
        : { content: kind === 'identity' ? bytes : decodeQuotedPrintable(bytes) };
  return isOdd && bytes.byteLength > 0 ? { ...decoded, isDamaged: true } : decoded;
}

function decodeQuotedPrintable(bytes: Buffer): Buffer {
  const end = bytes.byteLength;
  const decoded = Buffer.allocUnsafe(end);
  let length = 0;
  let encodedTo = 0; // in `decoded`: blanks before this are part of the text
  for (let at = 0; at < end; at++) {
    // Most bytes stand for themselves. With a loop of their own, all takes a third of the time.
    while (at < end && isPlain(bytes[at] as number)) decoded[length++] = bytes[at++] as number;
    if (at === end) break;
    const byte = bytes[at] as number;
    if (byte === EQUALS) {
      const escaped = at + 2 < end ? hexByte(bytes[at + 1] as number, bytes[at + 2] as number) : -1;
      const next = escaped >= 0 ? at + 3 : softBreakEnd(bytes, at + 1);
      if (next !== undefined) {
        if (escaped >= 0) decoded[length++] = escaped;
        encodedTo = length;
        at = next - 1;
        continue;
      }
    } else if (byte === LF || byte === CR) length = withoutBlanks(decoded, encodedTo, length);
    decoded[length++] = byte;
  }
  return decoded.subarray(0, withoutBlanks(decoded, encodedTo, length));
}

/** Transports may add blanks at the end of a line (RFC 2045 §6.7, rule 3). */
function withoutBlanks(line: Buffer, from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(line[end - 1] as number)) end--;
  return end;
}

const isBlank = (byte: number): boolean => byte === SPACE || byte === TAB;
const isPlain = (byte: number): boolean => byte > CR && byte !== EQUALS;

/** The value of each hexadecimal digit by its character; -1 for every other byte. */
const HEX = new Int8Array(256).fill(-1);
for (const [value, digit] of Buffer.from('0123456789abcdef').entries()) HEX[digit] = value;
for (const [value, digit] of Buffer.from('0123456789ABCDEF').entries()) HEX[digit] = value;

/** Negative when one of them is not a digit. */
const hexByte = (high: number, low: number): number =>
  ((HEX[high] as number) << 4) | (HEX[low] as number);

/** The beginning of the next line, if only blanks follow the `=` on its line. */
function softBreakEnd(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while (at < from + 80 && isBlank(bytes[at] as number)) at++;
  if (at >= bytes.byteLength) return at;
  if (bytes[at] === CR && bytes[at + 1] === LF) return at + 2;
  return bytes[at] === LF ? at + 1 : undefined;
}

/** CRLF becomes LF; a lone CR remains. Only for charsets in which these are single bytes. */
export function withoutCarriageReturns(bytes: Buffer): Buffer {
  if (!bytes.includes('\r\n')) return bytes;
  const end = bytes.byteLength;
  const plain = Buffer.allocUnsafe(end);
  let length = 0;
  for (let at = 0; at < end; at++) {
    // All other bytes have a loop of their own: it takes half the time.
    while (at < end && bytes[at] !== CR) plain[length++] = bytes[at++] as number;
    if (at < end && bytes[at + 1] !== LF) plain[length++] = CR;
  }
  return plain.subarray(0, length);
}

/**
 * Joins flowed lines (RFC 3676 §4.2 to §4.5) of the same quote depth, but never across a signature
 * separator.
 */
export function unflow(text: string, deletesSpaces: boolean): string {
  if (text.length > FLOWED_MAX_CHARS) return text;
  const lines: string[] = [];
  let open: { quotes: number; pieces: string[] } | undefined;
  const close = () => {
    if (open)
      lines.push(
        `${'>'.repeat(open.quotes)}${open.quotes > 0 && open.pieces[0] !== '' ? ' ' : ''}${open.pieces.join('')}`,
      );
    open = undefined;
  };
  for (const line of text.split('\n')) {
    const quotes = quoteDepth(line);
    const content = line[quotes] === ' ' ? line.slice(quotes + 1) : line.slice(quotes); // stuffed with a space (§4.4)
    const isSignature = content === '-- ';
    const isFlowed = content.endsWith(' ') && !isSignature;
    if (open && (open.quotes !== quotes || isSignature)) close();
    open ??= { quotes, pieces: [] };
    open.pieces.push(isFlowed && deletesSpaces ? content.slice(0, -1) : content);
    if (!isFlowed) close();
  }
  close();
  return lines.join('\n');
}

function quoteDepth(line: string): number {
  let depth = 0;
  while (line[depth] === '>') depth++;
  return depth;
}
