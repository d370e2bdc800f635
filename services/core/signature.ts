/** Signatures of a webhook: `Svc-Signature` (spec 5.2) and the Standard Webhooks headers beside it (D16). */
import { createHmac } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

export type SignedRequest = {
  eventId: string;
  /** Exactly the bytes that are sent. */
  body: Uint8Array;
  /** The current secret first; while a rotation overlaps, the former one too (D17). */
  secrets: readonly string[];
  now: Date;
};

/** `v1,t=<unix seconds>,s=<hex>`, one `s` a secret; keyed with the whole secret as UTF-8 text. */
export function svcSignature({ body, secrets, now }: Omit<SignedRequest, 'eventId'>): string {
  const t = unixSeconds(now);
  const signatures = secrets.map((secret) => `s=${createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')}`);
  return `v1,t=${t},${signatures.join(',')}`;
}

/** `v1,<base64>`, space-separated; keyed with the bytes behind `whsec_` (standardwebhooks.com, "Signature scheme"). */
export function standardSignature({ eventId, body, secrets, now }: SignedRequest): string {
  const signed = `${eventId}.${unixSeconds(now)}.`;
  return secrets.map((secret) => `v1,${createHmac('sha256', secretBytes(secret)).update(signed).update(body).digest('base64')}`).join(' ');
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

const secretBytes = (secret: string) => Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
const unixSeconds = (now: Date) => Math.floor(now.getTime() / 1000);
