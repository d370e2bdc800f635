/** The bytes of a raw email, without parsing it (RFC 5322 §2.1). */

const LF = 0x0a;
const CR = 0x0d;

/** The header block, including the empty line that ends it, and the rest. */
export function splitMail(raw: Buffer): { head: Buffer; body: Buffer } {
  const end = endOfHead(raw);
  return { head: raw.subarray(0, end), body: raw.subarray(end) };
}

function endOfHead(raw: Buffer): number {
  for (let lineStart = 0; lineStart < raw.byteLength;) {
    if (raw[lineStart] === LF) return lineStart + 1;
    if (raw[lineStart] === CR && raw[lineStart + 1] === LF) return lineStart + 2;
    const lineEnd = raw.indexOf(LF, lineStart);
    if (lineEnd === -1) break;
    lineStart = lineEnd + 1;
  }
  return raw.byteLength;
}

/** Such as `From ann@x.example Sat Jan  3 01:05:34 2026`, from an mbox file (D41). */
export const MBOX_LINE = /^>?From (?![ \t]*:)[^\r\n]*\d:\d\d/;
const MBOX_LINE_MAX_BYTES = 300;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A byte order mark and the line of an mbox file are before the head of an email. */
function bytesBeforeHead(raw: Buffer): number {
  const start = raw.subarray(0, MARK.byteLength).equals(MARK) ? MARK.byteLength : 0;
  const line = raw.toString('latin1', start, start + MBOX_LINE_MAX_BYTES);
  return MBOX_LINE.test(line) ? raw.indexOf(LF, start) + 1 || start : start;
}

/**
 * An email below headers of ours, without what a program wrote before its head: the headers move.
 *
 * @param ownBytes of our headers
 */
export function withoutPrelude(email: Buffer, ownBytes: number): Buffer {
  const skipped = bytesBeforeHead(email.subarray(ownBytes));
  if (skipped > 0) email.copyWithin(skipped, 0, ownBytes);
  return email.subarray(skipped);
}

const MESSAGE_ID = /^message-id[ \t]*:(?:[ \t]|\r?\n[ \t])*(<[^<>\r\n]{1,300}>|[^\s<>]{1,300})/gim;

const MESSAGE_ID_WITHIN_BYTES = 64 * 1024;

/** The Message-ID in the beginning of an email, as it is written; undefined without one. */
export function messageIdIn(email: Buffer): string | undefined {
  const { head } = splitMail(email.subarray(0, MESSAGE_ID_WITHIN_BYTES));
  return [...head.toString('latin1').matchAll(MESSAGE_ID)].at(-1)?.[1]; // the payload shows the last, too
}

/** The lines of a header block. Each line of a folded header counts. */
export function lineCount(head: Buffer): number {
  let lines = 0;
  for (let at = head.indexOf(LF); at !== -1; at = head.indexOf(LF, at + 1)) lines++;
  return lines;
}

/** The end of a piece that begins at `start`, within limits of bytes and lines. */
export function endOfLines(
  bytes: Buffer,
  start: number,
  maxBytes: number,
  maxLines: number,
): number {
  const end = Math.min(start + maxBytes, bytes.byteLength);
  let at = start;
  for (let lines = 0; lines < maxLines; lines++) {
    at = bytes.indexOf(LF, at) + 1;
    if (at === 0 || at >= end) return end;
  }
  return at;
}

/**
 * The piece with CRLF for every lone LF; the piece itself when there is none.
 * @param before the byte before the piece, 0 for none
 */
export function withWholeLineEnds(piece: Buffer, before: number): Buffer {
  const first = firstLoneLf(piece, before);
  if (first === -1) return piece;
  const whole = Buffer.allocUnsafe(first + 2 * (piece.byteLength - first));
  let length = piece.copy(whole, 0, 0, first);
  for (let i = first; i < piece.byteLength; i++) {
    const byte = piece[i] ?? 0;
    if (byte === LF && (i === 0 ? before : piece[i - 1]) !== CR) whole[length++] = CR;
    whole[length++] = byte;
  }
  return whole.subarray(0, length);
}

function firstLoneLf(piece: Buffer, before: number): number {
  for (let i = piece.indexOf(LF); i !== -1; i = piece.indexOf(LF, i + 1)) {
    if ((i === 0 ? before : piece[i - 1]) !== CR) return i;
  }
  return -1;
}

/**
 * Whether a CR or LF is not part of a CRLF. Such an email is accepted unchanged: Inlet forwards
 * nothing that another server could read differently, real senders do this, and a repair would
 * break the DKIM signature.
 */
export function hasBareLineEnds(raw: Buffer): boolean {
  for (let from = 0, to = 0; from < raw.byteLength; from = to) {
    to = Math.min(from + SCANNED_TOGETHER_BYTES, raw.byteLength);
    if (raw[to - 1] === CR) to++; // its LF belongs to it
    if (BARE_LINE_END.test(raw.toString('latin1', from, to))) return true;
  }
  return false;
}

/** It searches text: that takes a quarter of the time of a loop over bytes. */
const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;
const SCANNED_TOGETHER_BYTES = 64 * 1024;
