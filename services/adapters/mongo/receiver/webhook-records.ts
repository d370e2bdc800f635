/**
 * Webhooks of their own, with encrypted secrets and a maximum for their owner: notifications of an
 * account, and further receivers of an address.
 */
import type { Db, Filter } from 'mongodb';

import type { Owned } from '../../../core/address/scope.ts';
import { NOT_FAILING } from '../documents/address-documents.ts';
import { insertWithinMaximum } from '../database/numbered-slots.ts';
import {
  type SealedSecrets,
  type SecretBox,
  secretRotation,
  type SecretRotation,
} from '../database/secrets.ts';

type Stored = Owned &
  SealedSecrets & {
    _id: string;
    /** null for one that is asked for its emails. */
    url: string | null;
    updated_at: Date;
    failing_since?: Date;
    failing_noticed_at?: Date;
    failing_reason?: string;
    gone_at?: Date;
    /** Each slot of an owner is held once, so there is a maximum. */
    place?: number;
  };

/** The conditions that a record must meet, in addition to its id. */
type WebhookOwner = Filter<Stored>;

type WithSecret<R> = R & { webhook_secret: string };

export type WebhookRecords<R> = {
  /** False when the owner has as many as it may have. */
  insert: (record: WithSecret<R> & { id: string }) => Promise<boolean>;
  find: (owner: WebhookOwner, id: string) => Promise<WithSecret<R> | undefined>;
  /** Oldest first. */
  list: (owner: WebhookOwner) => Promise<R[]>;
  /** Writes the fields that differ; only then does `updated_at` change (D29). */
  update: (
    owner: WebhookOwner,
    id: string,
    change: Readonly<Record<string, unknown>>,
    now: Date,
  ) => Promise<{ record: WithSecret<R>; isChanged: boolean } | undefined>;
  /** The previous secret signs until `formerUntil` (D17). */
  rotateSecret: (
    owner: WebhookOwner,
    id: string,
    rotation: SecretRotation,
    now: Date,
  ) => Promise<WithSecret<R> | undefined>;
};

type Options<R> = {
  collection: string;
  slots: readonly number[];
  /** Parses a document with an `id`, and so removes the encrypted secret. */
  parse: (document: unknown) => R;
};

export function createWebhookRecords<R extends object>(
  db: Db,
  secrets: SecretBox,
  { collection, slots, parse }: Options<R>,
): WebhookRecords<R> {
  const records = db.collection<Stored>(collection);
  const recordOf = (stored: Stored): R => parse({ ...stored, id: stored._id });
  const opened = (stored: Stored) => ({
    ...recordOf(stored),
    webhook_secret: secrets.open(stored.sealed_secret, stored._id),
  });
  const openedIfFound = (stored: Stored | null) => (stored === null ? undefined : opened(stored));
  const find = (owner: WebhookOwner, id: string) => records.findOne({ ...owner, _id: id });

  return {
    insert: async function insertWebhook({ id, webhook_secret, ...fields }) {
      const sealed_secret = secrets.seal(webhook_secret, id);
      const stored = { ...fields, _id: id, sealed_secret } as unknown as Stored;
      const result = await insertWithinMaximum(slots, (slot) =>
        records.insertOne({ ...stored, place: slot }),
      );
      return result === 'made';
    },

    find: async (owner, id) => openedIfFound(await find(owner, id)),
    list: async (owner) =>
      (await records.find(owner).toArray())
        .toSorted((one, other) => (one._id < other._id ? -1 : 1)) // ids are in order of creation
        .map(recordOf),

    update: async function updateWebhook(owner, id, change, now) {
      const differing = Object.entries(change).map(([field, value]) => ({
        [field]: { $ne: value },
      })) as WebhookOwner[];
      const restarts = 'url' in change || 'mode' in change || change.is_enabled === true;
      const changed =
        differing.length === 0
          ? null
          : await records.findOneAndUpdate(
              { ...owner, _id: id, $or: differing },
              {
                $set: change,
                $max: { updated_at: now },
                ...(restarts && {
                  $unset: NOT_FAILING,
                }),
              },
              { returnDocument: 'after' },
            );
      if (changed !== null) return { record: opened(changed), isChanged: true };
      const unchanged = openedIfFound(await find(owner, id));
      return unchanged && { record: unchanged, isChanged: false };
    },

    rotateSecret: async function rotateWebhookSecret(owner, id, rotation, now) {
      const rotated = await records.findOneAndUpdate(
        { ...owner, _id: id },
        secretRotation(secrets, id, rotation, now),
        { returnDocument: 'after' },
      );
      return openedIfFound(rotated);
    },
  };
}
