/** Ed25519 keys as texts of Standard Webhooks: `whsk_…` and `whpk_…` (D49). */
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

const PRIVATE_PREFIX = 'whsk_';
export const PUBLIC_PREFIX = 'whpk_';

/** What precedes the 32 bytes of a key in DER (RFC 8410 §4, §7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_BYTES = 32;

/** `whsk_` and the Base64 of 32 random bytes, which are an Ed25519 private key (RFC 8032 §5.1.5). */
export const newPrivateKey = (random: Uint8Array): string =>
  PRIVATE_PREFIX + Buffer.from(random).toString('base64');

/** Whether a secret is a private key, and not one that the receiver shares. */
export const isPrivateKey = (secret: string): boolean => secret.startsWith(PRIVATE_PREFIX);

export const privateKeyOf = (secret: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, Buffer.from(secret.slice(PRIVATE_PREFIX.length), 'base64')]),
    format: 'der',
    type: 'pkcs8',
  });

/** The `whpk_…` of a `whsk_…`. */
export const publicKeyOf = (secret: string): string =>
  PUBLIC_PREFIX +
  createPublicKey(privateKeyOf(secret))
    .export({ format: 'der', type: 'spki' })
    .subarray(SPKI_HEAD.length)
    .toString('base64');

/** Undefined when the text is not a public key. */
export function verifyingKey(publicKey: string): KeyObject | undefined {
  const bytes = Buffer.from(publicKey.slice(PUBLIC_PREFIX.length), 'base64');
  return publicKey.startsWith(PUBLIC_PREFIX) && bytes.byteLength === KEY_BYTES
    ? createPublicKey({ key: Buffer.concat([SPKI_HEAD, bytes]), format: 'der', type: 'spki' })
    : undefined;
}
