/**
 * Bounds the part of a header block that authentication reads. The sender decides how large it is.
 * Some fields cost the square of their length, some one hash of the whole body. Beyond the bounds,
 * which are far above real email, signatures are left out or nothing is read.
 */
import { lineCount } from './raw-mail.ts';

const HEAD_MAX_BYTES = 256 * 1024;
const HEAD_MAX_LINES = 5_000;
const FIELDS_MAX = 500;
/** Limit of each field that is parsed. Letters beyond ASCII and long gaps cost more. */
const FIELD_MAX_BYTES = 8 * 1024;
const NON_ASCII_MAX_BYTES = 1024;
const LONG_GAP = /[ \t\r\n]{50}/;
const SIGNATURES_MAX = 10;
const ARC_FIELDS_MAX = 3 * 20;
/**
 * Limit of the bytes hashed for signatures that each need their own hash. Other signatures share at
 * most four.
 */
const OWN_HASHES_MAX_BYTES = 64 * 1024 * 1024;

export type SignedHead = {
  head: Buffer;
  /** The fields that name a key (signatures and seals), the topmost first. */
  keyed: Buffer[];
  /** Whether a signature covers the body: without one, no hash of it is needed. */
  signsBody: boolean;
  /** Whether there is any field of DKIM or ARC. */
  isSigned: boolean;
  /** The names of all fields, in lower case. */
  names: ReadonlySet<string>;
  /** The From fields, and the value of each. */
  author: Buffer;
  authors: Buffer[];
};

/**
 * A field begins with a name and a colon, which a fold may separate. Every other line belongs to
 * the field above it. The empty line stays apart.
 */
const FIELD_START = /(?<=\n)(?=[\x21-\x39\x3b-\x7e]+[ \t\r]*(?:\n[ \t\r]*)?:|\r?\n$)/;
const READ_WHOLE = ['from', 'content-type'];

/** undefined when the head is too long to be read. */
export function signedHead(head: Buffer, bodyBytes: number): SignedHead | undefined {
  if (head.byteLength > HEAD_MAX_BYTES || lineCount(head) > HEAD_MAX_LINES) return undefined;
  const texts = head.toString('latin1').split(FIELD_START);
  if (texts.length > FIELDS_MAX || texts.some((text) => nameLength(text) > FIELD_MAX_BYTES))
    return undefined;
  const fields = texts.map((text) => ({ text, name: nameOf(text) }));
  const textOf = (name: string) =>
    fields.map((field) => (field.name === name ? field.text : '')).join('');
  if (READ_WHOLE.some((name) => !isShort(textOf(name)))) return undefined;

  const ownHashesMax = Math.max(1, Math.floor(OWN_HASHES_MAX_BYTES / (bodyBytes + 1)));
  const seen = { [DKIM]: 0, arc: 0, ownHash: 0 };
  const kept = fields.filter(({ name, text }) => {
    if (signsBody(name) && PARTIAL.test(text) && ++seen.ownHash > ownHashesMax) return false;
    if (name === DKIM) return isReadable(text) && ++seen[DKIM] <= SIGNATURES_MAX;
    return !name.startsWith('arc-') || (isReadable(text) && ++seen.arc <= ARC_FIELDS_MAX);
  });
  return {
    head: kept.length === fields.length ? head : bytesOf(kept.map(({ text }) => text).join('')),
    keyed: kept
      .filter(({ name }) => signsBody(name) || name === 'arc-seal')
      .map(({ text }) => bytesOf(text)),
    signsBody: kept.some(({ name }) => signsBody(name)),
    isSigned: kept.some(({ name }) => name === DKIM || name.startsWith('arc-')),
    names: new Set(fields.map(({ name }) => name)),
    author: bytesOf(textOf('from')),
    authors: fields
      .filter(({ name }) => name === 'from')
      .map(({ text }) => bytesOf(text.slice(nameLength(text) + 1))),
  };
}

const DKIM = 'dkim-signature';
/** A signature of the first `l` bytes only (RFC 6376 §3.5). */
const PARTIAL = /[:;]\s*l\s*=/i;
const signsBody = (name: string) => name === DKIM || name === 'arc-message-signature';
const isShort = (text: string) =>
  text.length <= FIELD_MAX_BYTES &&
  (text.match(/[\x80-\xff]/g)?.length ?? 0) <= NON_ASCII_MAX_BYTES;
const isReadable = (text: string) => isShort(text) && !LONG_GAP.test(text);

const nameLength = (text: string) => (text.includes(':') ? text.indexOf(':') : text.length);
const nameOf = (text: string) =>
  text
    .slice(0, nameLength(text))
    .replace(/\r?\n/g, '')
    .replace(/^[ \t\r]+|[ \t\r]+$/g, '') // no other white space can be part of a name (RFC 5322 §2.2)
    .toLowerCase();
const bytesOf = (text: string) => Buffer.from(text, 'latin1');
