/**
 * Signed reply addresses (D57, docs/reply-addresses.md): `box+r<reference>.<expiry>.<mac>@domain`,
 * or `box+r<reference>.<expiry>.<sender>.<mac>@domain` for one sender only.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The characters of a reference. A dot is not among them, because it separates the parts. */
export const REFERENCE = /^[a-z0-9_-]{1,60}$/;
export const LOCAL_PART_MAX_CHARS = 64; // RFC 5321 §4.5.3.1.1, all of it ASCII

const MAC_BYTES = 10; // 16 characters
const SENDER_BYTES = 5; // 8 characters
const ALPHABET = '0123456789abcdefghijklmnopqrstuv'; // RFC 4648 §7, lower case
const TAG = /^r([a-z0-9_-]{1,60})\.([0-9a-f]{8})(?:\.([0-9a-v]{8}))?\.([0-9a-v]{16})$/;
/** What was meant to be one, perhaps cut or changed on its way. */
const LOOKS_SIGNED = /^r[^.]+\.[^.]*\./;
/** Also the beginning of one, in a text that was cut. */
const IN_TEXT =
  /(?<![a-z0-9_.-])(r[a-z0-9_-]{1,60})\.[0-9a-f]{8}(?:\.[0-9a-v]{1,16}){0,2}(?![a-z0-9_-])/gi;
/** Whatever may be one, in the form that a program on its way has made of it. */
const BEHIND_PLUS = /(?<=\+)r[^@\r\n]*/gi;
const HIDDEN = 'r*';

type ReplyAddress = {
  reference: string;
  /** In whole seconds, rounded down. */
  expiresAt: Date;
  /** Normalized address of the only sender; absent for any. */
  sender?: string | undefined;
};

/** The tag after the plus. */
export function replyTag(
  key: string,
  addressId: string,
  { reference, expiresAt, sender }: ReplyAddress,
): string {
  const parts = [reference, hexSeconds(expiresAt)];
  if (sender !== undefined) parts.push(senderPart(key, [addressId, ...parts], sender));
  return `r${[...parts, mac(key, [addressId, ...parts], MAC_BYTES)].join('.')}`;
}

/** What a tag proves. */
export type CheckedTag =
  | { status: 'none' | 'invalid' }
  | {
      status: 'valid' | 'expired';
      reference: string;
      expiresAt: Date;
      /** Present for one sender only: what proves that an address is this sender's. */
      bound?: BoundTo;
    };
type BoundTo = { key: string; signed: readonly string[]; sender: string };

/**
 * @param tag in the spelling of the sender; undefined without one
 * @param keys each is tried, so that the time reveals nothing
 */
export function checkTag(
  tag: string | undefined,
  addressId: string,
  keys: readonly string[],
  now: Date,
): CheckedTag {
  const [, reference, expiry, sender, given] = TAG.exec(tag?.toLowerCase() ?? '') ?? [];
  if (reference === undefined || expiry === undefined || given === undefined)
    return { status: looksSigned(tag) ? 'invalid' : 'none' };
  const signed = [addressId, reference, expiry];
  const parts = sender === undefined ? signed : [...signed, sender];
  const [key] = keys.filter((one) => isEqual(mac(one, parts, MAC_BYTES), given));
  if (key === undefined) return { status: 'invalid' };
  const expiresAt = new Date(Number.parseInt(expiry, 16) * 1000);
  return {
    status: expiresAt > now ? 'valid' : 'expired',
    reference,
    expiresAt,
    ...(sender !== undefined && { bound: { key, signed, sender } }),
  };
}

const LEAST_FIRST: readonly CheckedTag['status'][] = ['none', 'invalid', 'expired', 'valid'];

/** Whether the first one proves more, of two names of one address in one email. */
export const provesMore = (one: CheckedTag | undefined, other: CheckedTag | undefined): boolean =>
  LEAST_FIRST.indexOf(one?.status ?? 'none') > LEAST_FIRST.indexOf(other?.status ?? 'none');

/** Whether a reply address is bound to this sender. @param sender normalized */
export const isBoundTo = ({ key, signed, sender: part }: BoundTo, sender: string): boolean =>
  isEqual(senderPart(key, signed, sender), part);

export const looksSigned = (tag: string | undefined): boolean =>
  LOOKS_SIGNED.test(tag?.toLowerCase() ?? '');

/** A text without the signatures in it: anyone who reads one could write to the address. */
export const withoutReplySignatures = (text: string): string => text.replaceAll(IN_TEXT, '$1');

/**
 * Names of an address with reply addresses, for records. Only the reference of an intact tag is shown:
 * a signature can still be read in a tag whose dots are now other characters.
 */
export const withoutReplyTags = (text: string): string =>
  text.replaceAll(BEHIND_PLUS, (tag) => {
    const shown = withoutReplySignatures(tag);
    return shown !== tag && REFERENCE.test(shown.slice(1).toLowerCase()) ? shown : HIDDEN;
  });

const hexSeconds = (date: Date): string =>
  Math.floor(date.getTime() / 1000)
    .toString(16)
    .padStart(8, '0');

const senderPart = (key: string, signed: readonly string[], sender: string): string =>
  mac(key, [...signed, sender], SENDER_BYTES);

/** Base 32 of the first bytes of the HMAC. */
function mac(key: string, parts: readonly string[], bytes: number): string {
  const hex = createHmac('sha256', key)
    .update(parts.join('|'))
    .digest('hex')
    .slice(0, bytes * 2);
  return BigInt(`0x${hex}`)
    .toString(ALPHABET.length)
    .padStart((bytes * 8) / 5, '0');
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
