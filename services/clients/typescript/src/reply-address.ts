/** Signed reply addresses, made without a request. The format is in docs/reply-addresses.md. */

export type ReplyAddressOptions = {
  /** `rkey_…`: see `addresses.getReplyKey`. */
  key: string;
  /** `addr_…` */
  addressId: string;
  /** The address that gets the tag. For a catch-all, a mailbox of its domain. */
  mailbox: string;
  /** What a reply belongs to: lower-case letters, digits, `-` and `_`. */
  reference: string;
  expiresAt: Date;
  /** Whose replies are `bound`; anybody's when absent. */
  sender?: string | undefined;
};

const REFERENCE = /^[a-z0-9_-]{1,60}$/;
/** A local part, an @, and a domain in the form of the DNS. */
const SENDER = /^[^@\s]+@[a-z0-9.-]+$/;
const LOCAL_PART_MAX_BYTES = 64; // RFC 5321 §4.5.3.1.1
const SIGNATURE_BYTES = 10;
const SENDER_BYTES = 5;
const utf8 = new TextEncoder();

/** @throws TypeError when the API would refuse it: a wrong reference or sender, or too long */
export async function replyAddress({
  key,
  addressId,
  mailbox,
  reference,
  expiresAt,
  sender,
}: ReplyAddressOptions): Promise<string> {
  if (!REFERENCE.test(reference))
    throw new TypeError('reference must be 1 to 60 of a-z, 0-9, _, -');
  const seconds = Math.floor(expiresAt.getTime() / 1000);
  const parts = [reference, seconds.toString(16).padStart(8, '0')];
  if (sender !== undefined) {
    const normalized = sender.normalize('NFC').toLowerCase().normalize('NFC');
    if (!SENDER.test(normalized))
      throw new TypeError('sender must be like ann@example.com (xn--…)');
    parts.push(await mac(key, [addressId, ...parts, normalized], SENDER_BYTES));
  }
  parts.push(await mac(key, [addressId, ...parts], SIGNATURE_BYTES));
  const [name = '', domain] = mailbox.split('@');
  const local = `${name}+r${parts.join('.')}`;
  if (utf8.encode(local).length > LOCAL_PART_MAX_BYTES)
    throw new TypeError(`the part before the @ has more than ${LOCAL_PART_MAX_BYTES} characters`);
  return `${local}@${domain}`;
}

/** Base 32 (RFC 4648 §7) of the first bytes of the HMAC. */
async function mac(key: string, fields: readonly string[], bytes: number): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const secret = await crypto.subtle.importKey('raw', utf8.encode(key), algorithm, false, ['sign']);
  const digest = await crypto.subtle.sign('HMAC', secret, utf8.encode(fields.join('|')));
  const hex = Array.from(new Uint8Array(digest, 0, bytes), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
  return BigInt(`0x${hex}`)
    .toString(32)
    .padStart((bytes * 8) / 5, '0');
}
