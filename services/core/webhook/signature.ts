/** Signatures of a webhook: `Svc-Signature` (spec 5.2) and Standard Webhooks (D16, D49). */
import { createHash, createHmac, createSecretKey, type KeyObject, sign } from 'node:crypto';

import { isPrivateKey, privateKeyOf } from './key-pair.ts';

export const SECRET_PREFIX = 'whsec_';

/**
 * The keys of a secret: for HMAC the whole text and the bytes after its prefix, else the private
 * key. Cache them: creating them costs as much as signing.
 */
export type SigningKeys = { whole: KeyObject; decoded: KeyObject } | PrivateKey;
type PrivateKey = { ed25519: KeyObject; isOfQuestions?: boolean };

export const signingKeys = (secret: string): SigningKeys =>
  isPrivateKey(secret)
    ? { ed25519: privateKeyOf(secret) }
    : {
        whole: createSecretKey(secret, 'utf8'),
        decoded: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
      };

/** Part of every signature of a question to a deciding hook: none can pass for a webhook (D311). */
const QUESTION_LABEL = 'inlet deciding hook';

/** The secret that signs questions to hooks, made of the secret that signs webhooks. */
export const questionSecret = (secret: string): string =>
  newSecret(createHmac('sha256', secret).update(QUESTION_LABEL).digest());

export const questionKeys = (secret: string): SigningKeys =>
  isPrivateKey(secret)
    ? { ed25519: privateKeyOf(secret), isOfQuestions: true }
    : signingKeys(questionSecret(secret));

/**
 * What a private key signs of a question. A digest, because a text could be read as the id, time and
 * body of a webhook.
 */
export const questionDigest = (message: Uint8Array): Uint8Array =>
  createHash('sha256').update(`${QUESTION_LABEL}.`).update(message).digest();

type SignedRequest = {
  eventId: string;
  /** The exact bytes that are sent. */
  body: Uint8Array;
  /** The current secret first, then the former one during a rotation (D17). */
  keys: readonly SigningKeys[];
  now: Date;
};

/** `v1,t=<unix seconds>,s=<hex>`, one `s` per secret, keyed with the whole secret as UTF-8 text. */
export function svcSignature(request: Omit<SignedRequest, 'eventId'>): string {
  return signatureHeaders({ eventId: '', ...request })['svc-signature'] ?? '';
}

/**
 * `webhook-signature` is `v1,<base64>`, separated by spaces, keyed with the bytes after `whsec_`
 * (standardwebhooks.com).
 */
type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> & {
  /** Absent when there are only private keys. */
  'svc-signature'?: string;
};

/** All signature headers of a webhook. */
export function signatureHeaders({ body, ...request }: SignedRequest): SignatureHeaders {
  const signing = begin(request);
  signing.update(body);
  return signing.headers(
    signing.privateKeys.map((key) => sign(null, signing.message(key), key.ed25519)),
  );
}

/**
 * Ed25519 reads a message twice and in one piece. A longer one is signed off the event loop, by
 * threads of which lookups of names can take only half.
 */
const SYNC_MAX_BYTES = 128 * 1024;
const signOffLoop = (message: Uint8Array, key: KeyObject) =>
  new Promise<Uint8Array>((resolve, reject) => {
    sign(null, message, key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });

/** The same for a body in pieces, so that a large one does not block the event loop (D49). */
export function startSigning(request: Omit<SignedRequest, 'body'>): {
  update(piece: Uint8Array): void;
  headers(): Promise<SignatureHeaders>;
} {
  const signing = begin(request);
  return {
    update: signing.update,
    headers: async () => {
      if (signing.privateKeys.length === 0) return signing.headers([]);
      const signatures = signing.privateKeys.map(async (key) => {
        const message = signing.message(key);
        const isLong = message.byteLength > SYNC_MAX_BYTES;
        return isLong ? await signOffLoop(message, key.ed25519) : sign(null, message, key.ed25519);
      });
      return signing.headers(await Promise.all(signatures));
    },
  };
}

function begin({ eventId, keys, now }: Omit<SignedRequest, 'body'>) {
  const t = Math.floor(now.getTime() / 1000);
  const secrets = keys.flatMap((key) => ('whole' in key ? [key] : []));
  const privateKeys = keys.flatMap((key) => ('ed25519' in key ? [key] : []));
  const head = `${eventId}.${t}.`;
  const svc = secrets.map(({ whole }) => createHmac('sha256', whole).update(`${t}.`));
  const standard = secrets.map(({ decoded }) => createHmac('sha256', decoded).update(head));
  const pieces: Uint8Array[] = [Buffer.from(head)];
  return {
    privateKeys,
    /** What Ed25519 signs. */
    message: ({ isOfQuestions = false }: PrivateKey): Uint8Array => {
      const message = Buffer.concat(pieces);
      return isOfQuestions ? questionDigest(message) : message;
    },
    update: (piece: Uint8Array): void => {
      for (const hmac of [...svc, ...standard]) hmac.update(piece);
      if (privateKeys.length > 0) pieces.push(piece);
    },
    /** @param signatures of the message, one for each private key */
    headers: (signatures: readonly Uint8Array[]): SignatureHeaders => ({
      ...(svc.length > 0 && {
        'svc-signature': `v1,t=${t},${svc.map((hmac) => `s=${hmac.digest('hex')}`).join(',')}`,
      }),
      'webhook-id': eventId,
      'webhook-timestamp': String(t),
      'webhook-signature': [
        ...signatures.map((bytes) => `v1a,${Buffer.from(bytes).toString('base64')}`),
        ...standard.map((hmac) => `v1,${hmac.digest('base64')}`),
      ].join(' '),
    }),
  };
}

/** Bytes of randomness in a secret (D16). */
export const SECRET_RANDOM_BYTES = 32;

/** `whsec_` and standard base64 of 32 random bytes (D16). */
export const newSecret = (random: Uint8Array): string =>
  SECRET_PREFIX + Buffer.from(random).toString('base64');
