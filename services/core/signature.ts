/** Signatures of a webhook: `Svc-Signature` (spec 5.2) and the Standard Webhooks headers beside it (D16). */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

/** A secret as the two schemes key with it: the whole text, and the bytes behind its prefix. Made once, since making costs as much as signing. */
export type SigningKeys = { whole: KeyObject; decoded: KeyObject };

export const signingKeys = (secret: string): SigningKeys => ({
  whole: createSecretKey(secret, 'utf8'),
  decoded: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
});

export type SignedRequest = {
  eventId: string;
  /** Exactly the bytes that are sent. */
  body: Uint8Array;
  /** Of the current secret first; while a rotation overlaps, of the former one too (D17). */
  keys: readonly SigningKeys[];
  now: Date;
};

/** `v1,t=<unix seconds>,s=<hex>`, one `s` a secret; keyed with the whole secret as UTF-8 text. */
export function svcSignature({ body, keys, now }: Omit<SignedRequest, 'eventId'>): string {
  const t = unixSeconds(now);
  const signatures = keys.map(({ whole }) => `s=${createHmac('sha256', whole).update(`${t}.`).update(body).digest('hex')}`);
  return `v1,t=${t},${signatures.join(',')}`;
}

/** `v1,<base64>`, space-separated; keyed with the bytes behind `whsec_` (standardwebhooks.com, "Signature scheme"). */
export function standardSignature({ eventId, body, keys, now }: SignedRequest): string {
  const signed = `${eventId}.${unixSeconds(now)}.`;
  return keys.map(({ decoded }) => `v1,${createHmac('sha256', decoded).update(signed).update(body).digest('base64')}`).join(' ');
}

/** All headers that prove a webhook's origin. */
export function signatureHeaders(request: SignedRequest): Record<string, string> {
  return {
    'svc-signature': svcSignature(request),
    'webhook-id': request.eventId,
    'webhook-timestamp': String(unixSeconds(request.now)),
    'webhook-signature': standardSignature(request),
  };
}

/** `whsec_` and standard base64 of 32 random bytes (D16). */
export const newSecret = (random: Uint8Array): string => SECRET_PREFIX + Buffer.from(random).toString('base64');

const unixSeconds = (now: Date) => Math.floor(now.getTime() / 1000);
