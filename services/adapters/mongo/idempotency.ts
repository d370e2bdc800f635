/** Answers kept under the Idempotency-Key of their request, for a day, sealed: they hold secrets. */
import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';

import { type CollectionIndexes, isDuplicateKey } from './connection.ts';
import type { SecretBox } from './secrets.ts';

const COLLECTION = 'idempotency_keys';
const KEPT_SECONDS = 86_400;

/** A process that takes a request and dies leaves it to the next after this time; no request takes as long. */
const TAKEN_FOR_MS = 120_000;

export const idempotencyIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [{ key: { created_at: 1 }, name: 'kept', expireAfterSeconds: KEPT_SECONDS }],
};

/** What makes two requests the same: who asks, under which key, and for what. */
export type KeyedRequest = { tokenId: string; key: string; content: string };

export type Taken =
  | { kind: 'ours' }
  | { kind: 'answered'; answer: string }
  | { kind: 'under-way' }
  | { kind: 'another-request' };

export type Idempotency = {
  /** Takes the request, once for all processes. */
  take(request: KeyedRequest, now: Date): Promise<Taken>;
  keep(request: KeyedRequest, answer: string): Promise<void>;
  /** After a failure: the same request may be made again. */
  release(request: KeyedRequest): Promise<void>;
};

type Stored = {
  _id: string;
  digest: string;
  taken_until: Date;
  created_at: Date;
  sealed_answer: string | null;
};

export function createIdempotency(db: Db, secrets: SecretBox): Idempotency {
  const keys = db.collection<Stored>(COLLECTION);

  return {
    take: async function takeRequest(request, now) {
      const [_id, digest] = [idOf(request), digestOf(request.content)];
      const taken_until = new Date(now.getTime() + TAKEN_FOR_MS);
      try {
        await keys.insertOne({ _id, digest, taken_until, created_at: now, sealed_answer: null });
        return { kind: 'ours' };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
      const stored = await keys.findOne({ _id });
      if (stored === null) return { kind: 'under-way' }; // released or gone just now
      if (stored.digest !== digest) return { kind: 'another-request' };
      if (stored.sealed_answer !== null)
        return { kind: 'answered', answer: secrets.open(stored.sealed_answer, _id) };
      const { modifiedCount } = await keys.updateOne(
        { _id, sealed_answer: null, taken_until: { $lte: now } },
        { $set: { taken_until } },
      );
      return { kind: modifiedCount === 1 ? 'ours' : 'under-way' };
    },
    keep: async function keepAnswer(request, answer) {
      const _id = idOf(request);
      await keys.updateOne({ _id }, { $set: { sealed_answer: secrets.seal(answer, _id) } });
    },
    release: async function releaseRequest(request) {
      await keys.deleteOne({ _id: idOf(request), sealed_answer: null });
    },
  };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');

const idOf = ({ tokenId, key }: KeyedRequest) => digestOf(`${tokenId} ${key}`);
