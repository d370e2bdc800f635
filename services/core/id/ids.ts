/**
 * Identifiers: a prefix that names the kind, then 26 characters that sort by time (spec section 2).
 */
import { hash } from 'node:crypto';

/** Crockford's base 32, lower case: no i, l, o or u, so an id survives being read aloud. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

export type IdPrefix =
  | 'addr'
  | 'dom'
  | 'evt'
  | 'inv'
  | 'acc'
  | 'token'
  | 'session'
  | 'ntf'
  | 'nevt'
  | 'rcv'
  | 'lst'
  | 'member'
  | 'bkt'
  | 'part'
  | 'rfs';

/** Random bytes that {@link newId} needs. */
export const ID_RANDOM_BYTES = 10;

const STAMP_CHARS = 10;

/** `evt_01jd2x…`: 48 bits of milliseconds since 1970, then 80 random bits. */
export const newId = (prefix: IdPrefix, now: Date, random: Uint8Array): string =>
  firstIdAt(prefix, now) + base32(random.subarray(0, ID_RANDOM_BYTES));

/** Always the same for a time and a key, so that several processes write one record. */
export const idOfKey = (prefix: IdPrefix, at: Date, key: string): string =>
  newId(prefix, at, hash('sha256', key, 'buffer'));

/** The bound between ids before this time and ids from it on: a range of time is a range of ids. */
export function firstIdAt(prefix: IdPrefix, at: Date): string {
  let time = Math.max(0, at.getTime());
  let stamp = '';
  for (let i = 0; i < STAMP_CHARS; i++) {
    stamp = ALPHABET[time % 32] + stamp;
    time = Math.floor(time / 32);
  }
  return `${prefix}_${stamp}`;
}

/** Another id with the time of an id. */
export const sameTimeId = (id: string, random: Uint8Array): string =>
  id.slice(0, id.indexOf('_') + 1 + STAMP_CHARS) + base32(random.subarray(0, ID_RANDOM_BYTES));

/** Prefix of the id of a question to a deciding hook: the email has no id unless it is stored (D311). */
const QUESTION_PREFIX = 'ask_';

/** @param eventId that the email gets if it is stored */
export const questionId = (eventId: string): string =>
  QUESTION_PREFIX + eventId.slice(eventId.indexOf('_') + 1);

/** Five bits per character; 10 bytes give 16 characters. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let buffered = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffered = (buffered << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffered >> bits) & 31];
    }
    buffered &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(buffered << (5 - bits)) & 31] : text;
}
