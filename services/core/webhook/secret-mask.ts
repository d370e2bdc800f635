/**
 * Masks the credentials of a receiver in what it responds, in every encoding in which it may repeat
 * them: percent-encoded, escaped for JSON or HTML, Base64, hexadecimal, in another case, and cut at the
 * end of the text.
 */

export type HeaderValues = Readonly<Record<string, string | readonly string[] | undefined>>;

export const MASK = '***';

/** A shorter credential would mask parts of other words. */
const SECRET_MIN_CHARS = 4;
/** The same for its Base64 and for its parts. */
const DERIVED_MIN_CHARS = 6;
/** Nobody can use a text that was encoded more often. */
const LEVELS_MAX = 4;

/** @param credentials headers of a request that prove who Inlet is */
export function createSecretMask(credentials: HeaderValues): (text: string) => string {
  let needles: string[] | undefined; // most responses have no text
  return function maskSecrets(text) {
    needles ??= needlesOf(credentials);
    if (needles.length === 0) return text;
    const bytes = Buffer.from(text, 'utf8');
    const ranges: Range[] = [];
    let level: Level | undefined = plain(bytes.toString('latin1'));
    for (let depth = 0; level !== undefined && depth < LEVELS_MAX; depth++) {
      ranges.push(...rangesIn(level, needles));
      level = decoded(level);
    }
    return ranges.length === 0 ? text : masked(bytes, ranges);
  };
}

type Range = [start: number, end: number];

/** UTF-8 as Latin-1, so that a character is a byte; and where each came from in the text. */
type Level = { text: string; starts: number[]; ends: number[] };

const plain = (text: string): Level => {
  const starts = Array.from(text, (_, index) => index);
  return { text, starts, ends: starts.map((index) => index + 1) };
};

const ESCAPE = new RegExp(
  [
    '%([0-9a-f]{2})', // RFC 3986 §2.1
    String.raw`\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|\\(["'\\/])`, // RFC 8259 §7
    '&#x([0-9a-f]{1,6});|&#([0-9]{1,7});|&(amp|lt|gt|quot|apos);', // HTML
  ].join('|'),
  'gi',
);
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** Undefined when nothing is encoded. */
function decoded({ text, starts, ends }: Level): Level | undefined {
  const next: Level = { text: '', starts: [], ends: [] };
  const append = (piece: string, startOf: (i: number) => number, endOf: (i: number) => number) => {
    for (let i = 0; i < piece.length; i++) {
      next.starts.push(startOf(i));
      next.ends.push(endOf(i));
    }
    next.text += piece;
  };
  let from = 0;
  const copyTo = (to: number) => {
    const at = from;
    append(
      text.slice(at, to),
      (i) => starts[at + i] ?? 0,
      (i) => ends[at + i] ?? 0,
    );
  };
  for (const match of text.matchAll(ESCAPE)) {
    copyTo(match.index);
    from = match.index + match[0].length;
    const [start, end] = [starts[match.index] ?? 0, ends[from - 1] ?? 0];
    append(
      characterOf(match),
      () => start,
      () => end,
    );
  }
  if (from === 0) return undefined;
  copyTo(text.length);
  return next;
}

function characterOf(match: RegExpMatchArray): string {
  const [, percent, unicode, hex, quoted, hexReference, reference, name] = match;
  const octet = percent ?? hex;
  if (octet !== undefined) return String.fromCharCode(Number.parseInt(octet, 16));
  if (quoted !== undefined) return quoted;
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? '';
  const code = reference ? Number(reference) : Number.parseInt(unicode ?? hexReference ?? '', 16);
  return code > 0x10_ff_ff ? '' : octetsOf(String.fromCodePoint(code));
}

const octetsOf = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/**
 * The same text whether it is in upper or lower case, in the alphabet of Base64 or that for URLs (RFC
 * 4648 §5), and with a space as `+`. No character moves.
 */
const folded = (octets: string): string =>
  octets.toLowerCase().replaceAll(/[ -]/g, '+').replaceAll('_', '/');

function needlesOf(credentials: HeaderValues): string[] {
  const secrets = Object.values(credentials)
    .flatMap((values) => values ?? [])
    .flatMap(secretsIn);
  const needles = secrets.flatMap((secret) => [secret, ...derivedFrom(secret)].map(folded));
  return [...new Set(needles)];
}

/** A header's value, its credential without the scheme, and what both contain. */
function secretsIn(value: string): string[] {
  const credential = value.slice(value.indexOf(' ') + 1);
  const basic = /^basic /i.test(value) ? Buffer.from(credential, 'base64').toString('utf8') : '';
  const password = basic.slice(basic.indexOf(':') + 1);
  const parts = value.split(/[\s;,"=:]+/).filter((part) => part.length >= DERIVED_MIN_CHARS);
  const whole = [value, credential, basic, password, decodedForm(password)];
  return [...whole, ...(/[=:]/.test(value) ? parts : [])]
    .filter((secret) => secret.length >= SECRET_MIN_CHARS)
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())])
    .map(octetsOf);
}

/** The secret of an OAuth client is percent-encoded within Basic (RFC 6749 §2.3.1). */
function decodedForm(text: string): string {
  return new URLSearchParams(`x=${text}`).get('x') ?? '';
}

/** Base64 at each of the three offsets that it can have within other Base64; hexadecimal. */
function derivedFrom(octets: string): string[] {
  const bytes = Buffer.from(octets, 'latin1');
  const encoded = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const isCut = (offset + bytes.length) % 3 !== 0; // its last character has bits of what follows
    return text.slice(offset === 0 ? 0 : offset + 1, isCut ? -1 : undefined);
  });
  return [...encoded, bytes.toString('hex')].filter((text) => text.length >= DERIVED_MIN_CHARS);
}

/** What is left of an escape or a character when a text is cut. */
const CUT_ESCAPE = /(?:%[0-9a-f]?|\\[ux]?[0-9a-f]{0,3}|&[#a-z0-9]{0,7}|\xef\xbf\xbd)$/i;

function rangesIn({ text, starts, ends }: Level, needles: readonly string[]): Range[] {
  const haystack = folded(text);
  const lastEnd = ends.at(-1) ?? 0;
  const beforeCut = haystack.replace(CUT_ESCAPE, '');
  const found: Range[] = [];
  for (const needle of needles) {
    for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1))
      found.push([starts[at] ?? 0, ends[at + needle.length - 1] ?? lastEnd]);
    for (
      let length = Math.min(needle.length - 1, beforeCut.length);
      length >= SECRET_MIN_CHARS;
      length--
    )
      if (beforeCut.endsWith(needle.slice(0, length))) {
        found.push([starts[beforeCut.length - length] ?? 0, lastEnd]);
        break;
      }
  }
  return found;
}

function masked(bytes: Buffer, ranges: Range[]): string {
  let [text, from] = ['', 0];
  for (const [start, end] of ranges.toSorted(([one], [other]) => one - other)) {
    if (start >= from) text += `${bytes.toString('utf8', from, start)}${MASK}`;
    from = Math.max(from, end);
  }
  return text + bytes.toString('utf8', from);
}
