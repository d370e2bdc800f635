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
export function svcSignature(request: Omit<SignedRequest, 'eventId'>): string {
  return signatureHeaders({ eventId: '', ...request })['svc-signature'];
}

/** `v1,<base64>`, space-separated; keyed with the bytes behind `whsec_` (standardwebhooks.com, "Signature scheme"). */
export function standardSignature(request: SignedRequest): string {
  return signatureHeaders(request)['webhook-signature'];
}

export type SignatureHeaders = Record<
  'svc-signature' | 'webhook-id' | 'webhook-timestamp' | 'webhook-signature',
  string
>;

/** All headers that prove a webhook's origin. */
export function signatureHeaders({ body, ...request }: SignedRequest): SignatureHeaders {
  const signing = startSigning(request);
  signing.update(body);
  return signing.headers();
}

/** The same for a body that comes in pieces: hashing a large one takes long enough for others to wait. */
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

/** `whsec_` and standard base64 of 32 random bytes (D16). */
export const newSecret = (random: Uint8Array): string =>
  SECRET_PREFIX + Buffer.from(random).toString('base64');
