/**
 * Responses stored for a day under the Idempotency-Key of their request. They are encrypted,
 * because they can contain secrets.
 */
import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';

import { type CollectionIndexes } from '../database/connection.ts';
import { isDuplicateKey } from '../database/errors.ts';
import type { SecretBox } from '../database/secrets.ts';

const COLLECTION = 'idempotency_keys';
const RETENTION_SECONDS = 86_400;

/**
 * After this time, another process may claim the key of a process that died. No request runs as
 * long.
 */
const CLAIM_MS = 120_000;

export const idempotencyIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [{ key: { created_at: 1 }, name: 'kept', expireAfterSeconds: RETENTION_SECONDS }],
};

/** Two requests are the same when the token, the key and the content are equal. */
type KeyedRequest = { tokenId: string; key: string; content: string };

type KeyClaim =
  | { kind: 'claimed' }
  | { kind: 'completed'; response: string }
  | { kind: 'in-flight' }
  | { kind: 'another-request' };

export type IdempotencyKeys = {
  /** Exactly one process receives `claimed`. */
  claim(request: KeyedRequest, now: Date): Promise<KeyClaim>;
  saveResponse(request: KeyedRequest, response: string): Promise<void>;
  /** After a failure: the client may send the same request again. */
  release(request: KeyedRequest): Promise<void>;
};

/** The names of the fields `taken_until` and `sealed_answer` are those in the database. */
type StoredKey = {
  _id: string;
  digest: string;
  taken_until: Date;
  created_at: Date;
  sealed_answer: string | null;
};

export function createIdempotencyKeys(db: Db, secrets: SecretBox): IdempotencyKeys {
  const keys = db.collection<StoredKey>(COLLECTION);

  return {
    claim: async function claimKey(request, now) {
      const [_id, digest] = [idOf(request), digestOf(request.content)];
      const taken_until = new Date(now.getTime() + CLAIM_MS);
      try {
        await keys.insertOne({ _id, digest, taken_until, created_at: now, sealed_answer: null });
        return { kind: 'claimed' };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const stored = await keys.findOne({ _id });
      // released or expired since the insert failed
      if (stored === null) return { kind: 'in-flight' };
      if (stored.digest !== digest) return { kind: 'another-request' };
      if (stored.sealed_answer !== null)
        return { kind: 'completed', response: secrets.open(stored.sealed_answer, _id) };
      const { modifiedCount } = await keys.updateOne(
        { _id, sealed_answer: null, taken_until: { $lte: now } },
        { $set: { taken_until } },
      );
      return { kind: modifiedCount === 1 ? 'claimed' : 'in-flight' };
    },
    saveResponse: async function saveKeyedResponse(request, response) {
      const _id = idOf(request);
      await keys.updateOne({ _id }, { $set: { sealed_answer: secrets.seal(response, _id) } });
    },
    release: async function releaseKey(request) {
      await keys.deleteOne({ _id: idOf(request), sealed_answer: null });
    },
  };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');

const idOf = ({ tokenId, key }: KeyedRequest) => digestOf(`${tokenId} ${key}`);
