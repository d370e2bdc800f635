/**
 * Decodes transfer encodings (RFC 2045 §6), line ends and flowed text (RFC 3676), in time linear in
 * the size, whatever the bytes.
 */
import { decodeBase64 } from './base64.ts';
import type { Decoded } from './decoded.ts';
import { decodeUuencode } from './uuencode.ts';

const [TAB, LF, CR, SPACE, EQUALS] = [0x09, 0x0a, 0x0d, 0x20, 0x3d];

const FLOWED_MAX_CHARS = 4 * 1024 * 1024; // longer text is not joined

/** With an unknown encoding the content is the bytes themselves, not a copy. */
export function decodeTransfer(bytes: Buffer, encoding: string): Decoded {
  if (encoding === 'base64') return decodeBase64(bytes);
  if (encoding === 'quoted-printable') return { content: decodeQuotedPrintable(bytes) };
  return UUENCODE.has(encoding) ? decodeUuencode(bytes) : { content: bytes };
}

const UUENCODE: ReadonlySet<string> = new Set(['x-uuencode', 'x-uue', 'uuencode', 'uue']);

function decodeQuotedPrintable(bytes: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(bytes.byteLength);
  let length = 0;
  let blanksFrom = -1; // transports may add blanks at the end of a line (RFC 2045 §6.7, rule 3)
  for (let at = 0; at < bytes.byteLength; at++) {
    const byte = bytes[at] as number;
    if (byte === EQUALS) {
      const escaped = hexByte(bytes[at + 1], bytes[at + 2]);
      if (escaped !== undefined) {
        decoded[length++] = escaped;
        at += 2;
        blanksFrom = -1;
        continue;
      }
      const next = softBreakEnd(bytes, at + 1);
      if (next !== undefined) {
        at = next - 1;
        blanksFrom = -1;
        continue;
      }
    }
    if (byte === SPACE || byte === TAB) {
      if (blanksFrom === -1) blanksFrom = length;
    } else {
      if ((byte === LF || byte === CR) && blanksFrom !== -1) length = blanksFrom;
      blanksFrom = -1;
    }
    decoded[length++] = byte;
  }
  return decoded.subarray(0, blanksFrom === -1 ? length : blanksFrom);
}

function hexByte(high: number | undefined, low: number | undefined): number | undefined {
  const [one, other] = [hexDigit(high), hexDigit(low)];
  return one === undefined || other === undefined ? undefined : one * 16 + other;
}

function hexDigit(byte: number | undefined): number | undefined {
  if (byte === undefined) return undefined;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

/** The beginning of the next line, if only blanks follow the `=` on its line. */
function softBreakEnd(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while (at < from + 80 && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  if (at >= bytes.byteLength) return at;
  if (bytes[at] === CR && bytes[at + 1] === LF) return at + 2;
  return bytes[at] === LF ? at + 1 : undefined;
}

/** CRLF becomes LF; a lone CR remains. Only for charsets in which these are single bytes. */
export function withoutCarriageReturns(bytes: Buffer): Buffer {
  if (!bytes.includes('\r\n')) return bytes;
  const plain = Buffer.allocUnsafe(bytes.byteLength);
  let length = 0;
  for (let at = 0; at < bytes.byteLength; at++) {
    const byte = bytes[at] as number;
    if (byte !== CR || bytes[at + 1] !== LF) plain[length++] = byte;
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
