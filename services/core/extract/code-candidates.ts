/** Groups of digits, and of letters and digits, that look like a code. Their context decides. */

export type Candidate = {
  /** Without the spaces and hyphens that group digits. */
  value: string;
  kind: 'digits' | 'alphanumeric';
  /** Where it is in its line. */
  start: number;
  end: number;
};

/** Runs of letters of alphabets with spaces, digits, and signs within numbers. */
const PIECE = /[\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{Nd}_#@$€£¥₹₽₩%+*.,:/\\=&~'’‐‑–—-]+/gu;
const PIECE_MAX_CHARS = 60;
const EDGES = /^[.,:'’*‐‑–—-]+|[.,:'’*‐‑–—-]+$/g;
const LABEL = /^[\p{L}-]{2,20}[:=](?=.)/u;
const SUFFIX = /['’]\p{L}{1,6}$/u;
const HYPHENS = /[‐‑–—]/g;

const DIGITS = /^\d{4,8}$/;
const GROUPED_DIGITS = /^(\d{3}-\d{3}|\d{4}-\d{4}|\d{2}-\d{2}-\d{2})$/;
/** As Google writes them: G-123456. */
const PREFIXED_DIGITS = /^[A-Z]-(\d{5,8})$/;
const MIXED = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9]{5,12}$/;
/** More groups are those of product keys. */
const GROUPED_MIXED = /^(?=.*\d)(?=.*[A-Z])[A-Z0-9]{3,6}(-[A-Z0-9]{3,6}){1,2}$/;
const LETTERS = /^[A-Z]{5,10}$/;
/** No short word has these: five consonants in a row, Q without U, or two letters that never meet. */
const UNPRONOUNCEABLE = /[B-DF-HJ-NP-TV-XZ]{5}|Q(?!U)|[JVZ][BCDFGHJKMPQTWX]|[BCFGHJKMPQVWXZ][JQXZ]/;
const GROUPED_LETTERS = /^[A-Z]{3,4}-[A-Z]{3,4}$/;
const VOWELS = /[AEIOUY]/g;
/** `4D`, `1st`, `10px`, `H264`, `A4`: a unit or a name rather than a code. */
const UNIT = /^\d+[A-Za-z]{1,3}$|^[A-Z][a-z]+\d+$|^[a-z]+\d{1,3}$|^0x/;

const CURRENCY = /[$€£¥₹₽₩]\s?$/;
const CURRENCY_NAME =
  /(?<!\p{L})(?:rs|inr|usd|eur|gbp|chf|jpy|cny|aud|cad|sgd|hkd|aed|sar|brl|mxn|pln|sek|nok|dkk|try|zar)\.?\s?$/iu;
const CURRENCY_AFTER = /^\s?[$€£¥₹₽₩%°]/;
/** Before the last digits of a card: `**** 1234`, `xx 1234`. */
const MASK = /(?:\*{3,}\s?|•{2,}\s?|(?<!\p{L})x{2,}[\s-]?)$/iu;
const MASKED = /^x{2,}\d+$/i;
const BEFORE_PHONE = /[+(]\s?\d*\s?$|\d\)\s?-?$/;

/** Endings of English words with few vowels. */
const ENDING = /(?:GHT|NTH|RLD|NGTH|RST|NCH|TCH|LTH|RTH|MPT|CKS|LLS|NG|ED)S?$/;

type Piece = { text: string; start: number; end: number };

/** @param line normalized (NFKC), with ASCII digits, without URLs */
export function candidatesOf(line: string): Candidate[] {
  const pieces = piecesOf(line);
  const found: Candidate[] = [];
  for (let at = 0; at < pieces.length; at++) {
    const run = digitRun(pieces, at, line);
    const [first] = run;
    const last = run.at(-1);
    if (first && last && run.length > 1) {
      const value = run.map(({ text }) => text).join('');
      if (isGrouping(run))
        found.push({
          value,
          kind: 'digits',
          start: first.start,
          end: last.end,
        });
      at += run.length - 1;
      continue;
    }
    const piece = pieces[at] as Piece;
    const read = readPiece(piece.text);
    if (read) found.push({ ...read, start: piece.start, end: piece.end });
  }
  return found.filter((one) => !isAmount(line, one) && !isMasked(line, one));
}

function piecesOf(line: string): Piece[] {
  const pieces: Piece[] = [];
  for (const { 0: raw, index } of line.matchAll(PIECE)) {
    if (raw.length > PIECE_MAX_CHARS || line[index - 1] === '?') continue; // of a URL
    const label = LABEL.exec(raw)?.[0].length ?? 0;
    const trimmed = raw.slice(label).replace(SUFFIX, '').replaceAll(EDGES, '');
    if (trimmed === '') continue;
    const start = index + label + raw.slice(label).indexOf(trimmed);
    pieces.push({
      text: trimmed.replaceAll(HYPHENS, '-'),
      start,
      end: start + trimmed.length,
    });
  }
  return pieces;
}

/** Pieces of digits with one space between them. */
function digitRun(pieces: readonly Piece[], from: number, line: string): Piece[] {
  const run: Piece[] = [];
  for (let at = from; at < pieces.length; at++) {
    const piece = pieces[at] as Piece;
    const before = run.at(-1);
    if (!/^[\d-]+$/.test(piece.text)) break;
    if (before && !isGap(line.slice(before.end, piece.start), before)) break;
    run.push(piece);
  }
  return run;
}

/** Blanks, or a hyphen between blanks: `482 - 913`, but not `2019 - 2026`. */
const isGap = (between: string, { text }: Piece): boolean =>
  between.trim() === '' || (text.length === 3 && /^\s?[-–]\s?$/.test(between));

/** `123 456`, `1234 5678`, `12 34 56`, `1 2 3 4 5 6`. Other groups are those of phone numbers. */
function isGrouping(run: readonly Piece[]): boolean {
  const size = run[0]?.text.length ?? 0;
  if (run.some(({ text }) => text.length !== size || text.includes('-'))) return false;
  if (size === 1) return run.length >= 4 && run.length <= 8;
  return (size === 2 && run.length === 3) || ((size === 3 || size === 4) && run.length === 2);
}

function readPiece(text: string): Pick<Candidate, 'value' | 'kind'> | undefined {
  if (DIGITS.test(text) || GROUPED_DIGITS.test(text))
    return isDate(text) ? undefined : { value: text.replaceAll('-', ''), kind: 'digits' };
  const prefixed = PREFIXED_DIGITS.exec(text)?.[1];
  if (prefixed !== undefined) return { value: prefixed, kind: 'digits' };
  return isMixed(text) ? { value: text, kind: 'alphanumeric' } : undefined;
}

const isMixed = (text: string): boolean =>
  (MIXED.test(text) && !UNIT.test(text)) ||
  GROUPED_MIXED.test(text) ||
  GROUPED_LETTERS.test(text) ||
  (LETTERS.test(text) && new Set(text).size > 2 && isRandom(text));

/** Not a word in capitals. */
const isRandom = (letters: string): boolean =>
  (letters.length > 5 &&
    (letters.match(VOWELS)?.length ?? 0) * 4 <= letters.length &&
    !ENDING.test(letters)) ||
  (letters.length <= 6 && UNPRONOUNCEABLE.test(letters));

const isDay = (day: number) => day >= 1 && day <= 31;

const isMonth = (month: number) => month >= 1 && month <= 12;

/** `12-05-26`: a day, a month and a year, in any order. */
function isDate(text: string): boolean {
  const [first = 0, second = 0, third] = text.split('-').map(Number);
  if (third === undefined) return false;
  return (
    (isDay(first) && isMonth(second)) ||
    (isMonth(first) && isDay(second)) ||
    (isMonth(second) && isDay(third))
  );
}

/** A star is emphasis if another one follows. */
function isMasked(line: string, { value, start, end }: Candidate): boolean {
  const before = line.slice(Math.max(0, start - 12), start);
  return (
    MASKED.test(value) || MASK.test(before) || (before.endsWith('*') && !line.includes('*', end))
  );
}

function isAmount(line: string, { start, end }: Candidate): boolean {
  const before = line.slice(Math.max(0, start - 12), start);
  const after = line.slice(end, end + 4);
  return (
    CURRENCY.test(before) ||
    CURRENCY_NAME.test(before) ||
    CURRENCY_AFTER.test(after) ||
    BEFORE_PHONE.test(before) ||
    /[#@/\\]$/.test(before) ||
    /^[@/\\]/.test(after)
  );
}
