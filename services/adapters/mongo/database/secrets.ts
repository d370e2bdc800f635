/**
 * Encrypts webhook secrets, and the content keys of accounts, at rest: AES-256-GCM with keys from the
 * settings. The first key encrypts, all keys decrypt, so keys can be rotated.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  randomBytes,
} from 'node:crypto';
import { z } from 'zod';

import { OwnFault, Unprocessable } from '../../../core/delivery/fault.ts';
import { FORMER_SECRETS_MAX } from '../../../core/address/address.ts';

const KEY_BYTES = 32;
const NONCE_BYTES = 12; // NIST SP 800-38D §5.2.1.1
const TAG_BYTES = 16;
const UNREADABLE = 'a secret of its receiver or its bucket cannot be decrypted';

/** A setting that is a list of keys. */
export const KeyList = z.string().transform((text, context) => {
  const keys = text.split(',').map((word) => Buffer.from(word.trim(), 'base64'));
  const bad = text
    .split(',')
    .findIndex(
      (word, i) => keys[i]?.length !== KEY_BYTES || keys[i]?.toString('base64') !== word.trim(),
    );
  if (bad === -1) return keys;
  context.addIssue({
    code: 'custom',
    message: `key ${bad + 1} is not ${KEY_BYTES} bytes in base64 (generate one with: openssl rand -base64 32)`,
  });
  return z.NEVER;
});

const SECRET_KEYS =
  'comma-separated keys that encrypt webhook secrets and the content keys of accounts, each 32 ' +
  'random bytes in base64; the first encrypts, all decrypt. Gateways need them only with ENCRYPT_CONTENT';

export const SecretsConfig = { SECRET_KEYS: KeyList.describe(SECRET_KEYS) };
/** Settings of a service that can work without these keys. */
export const OptionalSecretsConfig = { SECRET_KEYS: KeyList.optional().describe(SECRET_KEYS) };

/**
 * Encrypts (`seal`) and decrypts (`open`) short texts. `context` is the owner's id and must be
 * equal for both, so that a text copied to another owner cannot be decrypted.
 */
export type SecretBox = {
  seal(text: string, context: string): string;
  open(sealed: string, context: string): string;
  /** Whether the first key encrypted this text. */
  isCurrent(sealed: string): boolean;
  /** Whether SECRET_KEYS has the key of this text. If not, `missing` has its id from then on. */
  hasKeyOf(sealed: string): boolean;
  /** Ids of keys that were needed and are not in SECRET_KEYS, with the last time on `performance`. */
  missing: ReadonlyMap<string, number>;
};

/** As {@link keyId} makes it: anything else before the dot is no encrypted text. */
const KEY_ID = /^[0-9a-f]{8}(?=\.)/;

/** The encrypted form is the key id, a dot, and base64url of nonce, ciphertext and tag. */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  // key objects: Node would make one of a Buffer for each secret
  const ring = new Map(keys.map((key) => [keyId(key), createSecretKey(key)]));
  const [first] = ring;
  if (first === undefined) throw new Error('SECRET_KEYS is empty');
  const [sealingId, sealingKey] = first;

  const missing = new Map<string, number>();
  /** The id of a key that SECRET_KEYS lacks. */
  const missingKeyOf = (sealed: string): string | undefined => {
    const [id] = KEY_ID.exec(sealed) ?? [];
    if (id === undefined || ring.has(id)) return undefined;
    missing.set(id, performance.now());
    return id;
  };

  return {
    missing,
    hasKeyOf: (sealed) => missingKeyOf(sealed) === undefined,
    isCurrent: (sealed) => sealed.startsWith(`${sealingId}.`),
    seal: function seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealingKey, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([
        nonce,
        cipher.update(text, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${sealingId}.${sealed.toString('base64url')}`;
    },
    open: function open(sealed, context) {
      const dot = sealed.indexOf('.');
      const key = ring.get(sealed.slice(0, dot));
      if (key === undefined) {
        const lacking = missingKeyOf(sealed);
        if (lacking === undefined)
          throw new Unprocessable(UNREADABLE, `decrypt the secret of ${context}`);
        throw new OwnFault(
          'key_missing',
          `the secret of ${context} is encrypted with a key that is not in SECRET_KEYS (id ${lacking})`,
        );
      }
      const bytes = Buffer.from(sealed.slice(dot + 1), 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([
          decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
          decipher.final(),
        ]).toString('utf8');
      } catch (cause) {
        throw new Unprocessable(UNREADABLE, `decrypt the secret of ${context}`, { cause });
      }
    },
  };
}

/** The secrets of a document, as stored. */
export type SealedSecrets = {
  sealed_secret: string;
  /** Before rotations; they sign until `valid_until` (D17). Absent before the first rotation. */
  former_secrets?: { sealed_secret: string; valid_until: Date }[];
};

/** For a pipeline update: the entries of a list, such as `$former_secrets`, that are still valid. */
export const stillValid = (list: string, now: Date) => ({
  $filter: { input: { $ifNull: [list, []] }, cond: { $gt: ['$$this.valid_until', now] } },
});

/** A new secret of a receiver. */
export type SecretRotation = {
  secret: string;
  /** The former secret signs until then (D17). */
  formerUntil: Date;
  generation?: number | undefined;
  /** What changes together with the secret. */
  fields?: Readonly<Record<string, unknown>> | undefined;
};

/** The pipeline update that replaces the secret of a document. */
export function secretRotation(
  secrets: Pick<SecretBox, 'seal'>,
  id: string,
  { secret, formerUntil, generation, fields = {} }: SecretRotation,
  now: Date,
) {
  const former = [{ sealed_secret: '$sealed_secret', valid_until: formerUntil }];
  const all = { $concatArrays: [former, stillValid('$former_secrets', now)] };
  return [
    {
      $set: {
        sealed_secret: secrets.seal(secret, id),
        former_secrets: { $slice: [all, FORMER_SECRETS_MAX] },
        updated_at: { $max: ['$updated_at', now] },
        credentials_changed: { what: 'secret', at: now, until: formerUntil },
        ...(generation !== undefined && { secret_generation: generation }),
        ...literals(fields),
      },
    },
  ];
}

/** As values of a pipeline, where a text with a dollar sign would be an expression. */
const literals = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { $literal: value }]));

/** Decrypts the secret and the former ones. */
export const openedSecrets = (
  secrets: SecretBox,
  { sealed_secret, former_secrets = [] }: SealedSecrets,
  id: string,
) => ({
  webhook_secret: secrets.open(sealed_secret, id),
  former_secrets: former_secrets.map((former) => ({
    secret: secrets.open(former.sealed_secret, id),
    valid_until: former.valid_until,
  })),
});

/** Identifies a key without revealing anything about it. */
function keyId(key: Buffer): string {
  if (key.length !== KEY_BYTES)
    throw new Error(`an encryption key has ${key.length} bytes instead of ${KEY_BYTES}`);
  return createHash('sha256').update('inlet key id\0').update(key).digest('hex').slice(0, 8);
}
