/**
 * What authentication reads of a header block. A sender chooses how much there is, and some of it costs the square of its length, or one hash of the
 * whole body each: beyond these bounds, which no real mail comes near, signatures are left out, or all of it is left unread.
 */
import { lineCount } from './raw-mail.ts';

const HEAD_MAX_BYTES = 256 * 1024;
const HEAD_MAX_LINES = 5_000;
const FIELDS_MAX = 500;
/** Of what is taken apart: names in the letters of the world cost more, and so do gaps. */
const FIELD_MAX_BYTES = 8 * 1024;
const NON_ASCII_MAX_BYTES = 1024;
const LONG_GAP = /[ \t\r\n]{50}/;
const SIGNATURES_MAX = 10;
const ARC_FIELDS_MAX = 3 * 20;

export type SignedHead = {
  head: Buffer;
  /** The fields that name a key, signatures and seals, the topmost first. */
  keyed: Buffer[];
  /** Whether a signature is about the body: without one nothing asks for its hash. */
  signsBody: boolean;
};

/** A field begins where a name and a colon do, between which there may be a fold; all other lines belong to the one above. The empty line stays apart. */
const FIELD_START = /(?<=\n)(?=[\x21-\x39\x3b-\x7e]+[ \t\r]*(?:\n[ \t\r]*)?:|\r?\n$)/;
const READ_WHOLE = ['from', 'content-type'];

/** undefined when it is too long to be read. */
export function signedHead(head: Buffer): SignedHead | undefined {
  if (head.byteLength > HEAD_MAX_BYTES || lineCount(head) > HEAD_MAX_LINES) return undefined;
  const texts = head.toString('latin1').split(FIELD_START);
  if (texts.length > FIELDS_MAX || texts.some((text) => nameLength(text) > FIELD_MAX_BYTES))
    return undefined;
  const fields = texts.map((text) => ({ text, name: nameOf(text) }));
  const textOf = (name: string) =>
    fields.map((field) => (field.name === name ? field.text : '')).join('');
  if (READ_WHOLE.some((name) => !isShort(textOf(name)))) return undefined;

  const seen = { [DKIM]: 0, arc: 0 };
  const kept = fields.filter(({ name, text }) => {
    if (name === DKIM) return isReadable(text) && ++seen[DKIM] <= SIGNATURES_MAX;
    return !name.startsWith('arc-') || (isReadable(text) && ++seen.arc <= ARC_FIELDS_MAX);
  });
  return {
    head: kept.length === fields.length ? head : bytesOf(kept.map(({ text }) => text).join('')),
    keyed: kept
      .filter(({ name }) => signsBody(name) || name === 'arc-seal')
      .map(({ text }) => bytesOf(text)),
    signsBody: kept.some(({ name }) => signsBody(name)),
  };
}

const DKIM = 'dkim-signature';
const signsBody = (name: string) => name === DKIM || name === 'arc-message-signature';
const isShort = (text: string) =>
  text.length <= FIELD_MAX_BYTES &&
  (text.match(/[\x80-\xff]/g)?.length ?? 0) <= NON_ASCII_MAX_BYTES;
const isReadable = (text: string) => isShort(text) && !LONG_GAP.test(text);

const nameLength = (text: string) => (text.includes(':') ? text.indexOf(':') : text.length);
const nameOf = (text: string) =>
  text.slice(0, nameLength(text)).replace(/\r?\n/g, '').trim().toLowerCase();
const bytesOf = (text: string) => Buffer.from(text, 'latin1');
