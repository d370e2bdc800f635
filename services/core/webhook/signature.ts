/** Signatures of a webhook: `Svc-Signature` (spec 5.2) and the Standard Webhooks headers (D16). */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

export const SECRET_PREFIX = 'whsec_';

/**
 * The keys of the two schemes: the whole text of a secret, and the bytes after its prefix. Cache
 * them: creating them costs as much as signing.
 */
export type SigningKeys = { whole: KeyObject; decoded: KeyObject };

export const signingKeys = (secret: string): SigningKeys => ({
  whole: createSecretKey(secret, 'utf8'),
  decoded: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
});

export type SignedRequest = {
  eventId: string;
  /** The exact bytes that are sent. */
  body: Uint8Array;
  /** The current secret first, then the former one during a rotation (D17). */
  keys: readonly SigningKeys[];
  now: Date;
};

/** `v1,t=<unix seconds>,s=<hex>`, one `s` per secret, keyed with the whole secret as UTF-8 text. */
export function svcSignature(request: Omit<SignedRequest, 'eventId'>): string {
  return signatureHeaders({ eventId: '', ...request })['svc-signature'];
}

/**
 * `v1,<base64>`, separated by spaces, keyed with the bytes after `whsec_` (standardwebhooks.com).
 */
export function standardSignature(request: SignedRequest): string {
  return signatureHeaders(request)['webhook-signature'];
}

export type SignatureHeaders = Record<
  'svc-signature' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature',
  string
>;

/** All signature headers of a webhook. */
export function signatureHeaders({ body, ...request }: SignedRequest): SignatureHeaders {
  const signing = startSigning(request);
  signing.update(body);
  return signing.headers();
}

/** The same for a body in pieces, so that a large one does not block the event loop. */
export function startSigning({ eventId, keys, now }: Omit<SignedRequest, 'body'>): {
  update(piece: Uint8Array): void;
  headers(): SignatureHeaders;
} {
  const t = Math.floor(now.getTime() / 1000);
  const svc = keys.map(({ whole }) => createHmac('sha256', whole).update(`${t}.`));
  const standard = keys.map(({ decoded }) =>
    createHmac('sha256', decoded).update(`${eventId}.${t}.`),
  );
  return {
    update: (piece) => {
      for (const hmac of [...svc, ...standard]) hmac.update(piece);
    },
    headers: () => ({
      'svc-signature': `v1,t=${t},${svc.map((hmac) => `s=${hmac.digest('hex')}`).join(',')}`,
      'webhook-id': eventId,
      'webhook-timestamp': String(t),
      'webhook-signature': standard.map((hmac) => `v1,${hmac.digest('base64')}`).join(' '),
    }),
  };
}

/** Bytes of randomness in a secret (D16). */
export const SECRET_RANDOM_BYTES = 32;

/** `whsec_` and standard base64 of 32 random bytes (D16). */
export const newSecret = (random: Uint8Array): string =>
  SECRET_PREFIX + Buffer.from(random).toString('base64');
