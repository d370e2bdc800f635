/**
 * Finds the end of a head: of an email or of one of its parts (RFC 5322 §2.1). Senders forget the
 * empty line, or write a line of blanks instead. Their text must not disappear among the fields.
 */
import { MBOX_LINE } from '../../core/mail/raw-mail.ts';

const [TAB, LF, CR, SPACE, DASH, COLON] = [0x09, 0x0a, 0x0d, 0x20, 0x2d, 0x3a];

type Head = {
  /** One character for each byte. The rest beyond the limits is left out. */
  text: string;
  bodyStart: number;
  /** The limits cut something off. */
  isCut: boolean;
  /**
   * A body follows without the empty line, there are strays, or a line of blanks in a part: a
   * signature that is relaxed does not tell it from an empty line (RFC 6376 §3.4.4).
   */
  isMalformed: boolean;
  /** Stray lines between fields. */
  strays: { start: number; end: number }[];
};

export type HeadLimits = {
  lines: number;
  bytes: number;
  /** Fields that prove that the lines above them belong to the head. */
  known: RegExp;
  /** Fields of other names are not shown, so they are text if no empty line follows. */
  hidesOthers: boolean;
};

/** A byte order mark and blanks, which are not part of the first field. */
const BEFORE_FIRST_FIELD = /^(\xef\xbb\xbf)?[ \t]*(?=\S)/;

/** Lines that are the beginning of the body, unless a field shows that the head continues. */
type Doubt = {
  at: number;
  bodyStart: number;
  /** The number of lines that are neither fields nor continuations. */
  lines: number;
  /** The body has more than blanks and fields, so that an empty line after that is part of it. */
  hasText: boolean;
  strayAt: number | undefined;
  /** The head up to here. */
  head: { text: string; isCut: boolean };
};

/** Beyond the limits each of these fields is still read once. */
const ESSENTIAL = new RegExp(
  '^(content-type|content-transfer-encoding|content-disposition|mime-version|' +
    'from|to|cc|subject|date|message-id|in-reply-to|reply-to):',
  'i',
);
const ESSENTIAL_MAX_BYTES = 2_000;
/** Beyond this even essential fields are left out, so that the rest costs little. */
const SEARCHED_BYTES = 1024 * 1024;
const USUAL_NAME = /^[a-z][\w-]*$/i;
const NAME_MAX_BYTES = 40; // longer names are not looked at

/**
 * A head ends at the empty line. Without one it ends at the first line that cannot belong to it: a
 * line of blanks, or text. If a known field follows, such lines are part of the head after all: a
 * folded field (RFC 5322 A.6.3) or a stray. After a single line any field proves that.
 * @param isDelimiter whether a delimiter of a multipart around this head begins at that line
 */
export function readHead(
  raw: Buffer,
  start: number,
  limits: HeadLimits,
  isDelimiter: (lineStart: number) => unknown,
): Head {
  let text = '';
  let from = start; // start of the lines that are read but not yet in `text`
  let isCut = false;
  let doubt: Doubt | undefined;
  const strays: Head['strays'] = [];
  let hasBlanks = false;
  const flush = (to: number, next: number) => {
    if (from < to) text += raw.toString('latin1', from, to);
    from = Math.max(from, next);
  };
  const doubtAt = (at: number, bodyStart: number): Doubt => {
    flush(at, at);
    const head = { text, isCut };
    return { at, bodyStart, lines: 0, hasText: false, strayAt: undefined, head };
  };
  const isProof = (name: string) =>
    limits.known.test(name) || (doubt?.lines === 1 && !limits.hidesOthers && USUAL_NAME.test(name));
  const endAt = (next: number, isEnded: boolean): Head => {
    const early = doubt !== undefined && (doubt.hasText || !isEnded) ? doubt : undefined;
    if (early === undefined) flush(next, next);
    const bodyStart = early?.bodyStart ?? next;
    const hasBody = bodyStart < raw.byteLength && !isDelimiter(bodyStart);
    const head = early?.head ?? { text, isCut };
    return {
      text: head.text.replace(BEFORE_FIRST_FIELD, ''),
      bodyStart,
      isCut: head.isCut,
      isMalformed:
        strays.length > 0 ||
        (hasBlanks && limits.hidesOthers) ||
        (hasBody && (early !== undefined || !isEnded)),
      strays,
    };
  };

  const essentials = createEssentials();
  let at = start;
  for (let lines = 1; at < raw.byteLength; lines++) {
    if (isDelimiter(at)) break;
    const lineEnd = raw.indexOf(LF, at) + 1 || raw.byteLength;
    const isFirst = at === start;
    const shape = kindOf(raw, at, lineEnd, isFirst);
    const isDoubtful = shape === 'field' && (doubt !== undefined || limits.hidesOthers);
    const name = isDoubtful ? nameAt(raw, at, isFirst) : '';
    const isOdd = isDoubtful && limits.hidesOthers && !USUAL_NAME.test(name);
    const kind = isOdd ? 'text' : shape;
    if (kind === 'empty') return endAt(lineEnd, true);
    hasBlanks ||= kind === 'blanks';
    if (doubt && at - start > SEARCHED_BYTES) break;
    if (kind === 'dashes') break; // perhaps a delimiter of this part itself
    if (kind === 'field' && isDoubtful) {
      if (isProof(name)) {
        if (doubt?.strayAt !== undefined) strays.push({ start: doubt.strayAt, end: at });
        doubt = undefined;
      } else doubt ??= doubtAt(at, at);
    } else if (kind === 'blanks' && doubt?.hasText !== true) doubt = doubtAt(at, lineEnd);
    else if (kind === 'text') {
      doubt ??= doubtAt(at, at);
      doubt.strayAt ??= at;
    }
    if (doubt) {
      doubt.hasText ||= kind === 'text' || (kind !== 'blanks' && doubt.bodyStart > doubt.at);
      if (kind === 'text' || kind === 'blanks') doubt.lines++;
    }
    const isBeyond = lines > limits.lines || lineEnd - start > limits.bytes;
    if (isBeyond && (at - start > SEARCHED_BYTES || !essentials.include(raw, at, lineEnd))) {
      flush(at, lineEnd);
      isCut = true;
    }
    at = lineEnd;
  }
  return endAt(at, false);
}

type LineKind = 'empty' | 'blanks' | 'continuation' | 'field' | 'dashes' | 'text';

function kindOf(raw: Buffer, start: number, end: number, isFirst: boolean): LineKind {
  if (isLineEnd(raw, start)) return 'empty';
  if (raw[start] === DASH && raw[start + 1] === DASH) return 'dashes';
  const nameStart = nameStartAt(raw, start, isFirst);
  if (nameStart >= end || isLineEnd(raw, nameStart)) return 'blanks';
  if (nameStart > start && !isFirst) return 'continuation';
  let at = nameStart;
  while (at < end && isOfName(raw[at] as number)) at++;
  const hasName = at > nameStart;
  while (raw[at] === SPACE || raw[at] === TAB) at++;
  if (hasName && at < end && raw[at] === COLON) return 'field';
  const isMbox =
    isFirst && MBOX_LINE.test(raw.toString('latin1', start, Math.min(end, start + 300)));
  return isMbox ? 'field' : 'text';
}

const isLineEnd = (raw: Buffer, at: number): boolean =>
  raw[at] === LF || (raw[at] === CR && raw[at + 1] === LF);

/** After blanks, and after a byte order mark on the first line. */
function nameStartAt(raw: Buffer, start: number, isFirst: boolean): number {
  let at = isFirst && raw[start] === 0xef && raw[start + 1] === 0xbb ? start + 3 : start;
  while (raw[at] === SPACE || raw[at] === TAB) at++;
  return at;
}

/** The name of a field; the beginning of a long one. */
function nameAt(raw: Buffer, start: number, isFirst: boolean): string {
  const from = nameStartAt(raw, start, isFirst);
  let to = from;
  while (to < from + NAME_MAX_BYTES && isOfName(raw[to] ?? COLON)) to++;
  return raw.toString('latin1', from, to);
}

/** Names of fields are in ASCII (RFC 5322 §2.2), but some senders use other letters. */
const isOfName = (byte: number): boolean => byte > SPACE && byte !== COLON && byte !== 0x7f;

function createEssentials() {
  const included = new Set<string>();
  let room = ESSENTIAL_MAX_BYTES; // bytes left for the field that the line belongs to
  return {
    include: (raw: Buffer, lineStart: number, lineEnd: number): boolean => {
      if (raw[lineStart] !== SPACE && raw[lineStart] !== TAB) {
        const beginning = raw.toString('latin1', lineStart, Math.min(lineEnd, lineStart + 40));
        const name = ESSENTIAL.exec(beginning)?.[1]?.toLowerCase();
        room = name !== undefined && !included.has(name) ? ESSENTIAL_MAX_BYTES : 0;
        included.add(name ?? '');
      }
      room -= lineEnd - lineStart;
      return room >= 0;
    },
  };
}
