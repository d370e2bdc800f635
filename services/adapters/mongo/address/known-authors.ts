/** Known authors of addresses in MongoDB: one small document for each, with a hash of the author. */
import type { Db } from 'mongodb';

import {
  KNOWN_AUTHOR_DAYS,
  KNOWN_AUTHORS_MAX,
  KNOWN_AUTHORS_OF_DOMAIN_MAX,
  type KnownAuthor,
  type Sightings,
} from '../../../core/decision/known-author.ts';
import type { CollectionIndexes } from '../database/connection.ts';
import { isDuplicateKey } from '../database/errors.ts';

export const KNOWN_AUTHORS = 'known_authors';
const BY_ADDRESS = 'address_seen';
const BY_DOMAIN = 'domain_seen';

export const knownAuthorIndexes: CollectionIndexes = {
  collection: KNOWN_AUTHORS,
  indexes: [
    { key: { account_id: 1, address_id: 1, seen_at: 1 }, name: BY_ADDRESS },
    { key: { account_id: 1, domain_key: 1, seen_at: 1 }, name: BY_DOMAIN },
    {
      key: { seen_at: 1 },
      name: 'seen_goes',
      expireAfterSeconds: KNOWN_AUTHOR_DAYS * 86_400,
    },
  ],
};

type StoredAuthor = {
  _id: string;
  account_id: string;
  address_id: string;
  /** Absent until the first email since it was added. */
  domain_key?: string;
  seen_at: Date;
};
type Place =
  Pick<StoredAuthor, 'account_id' | 'address_id'> | Pick<StoredAuthor, 'account_id' | 'domain_key'>;

export type KnownAuthors = {
  find(keys: readonly string[]): Promise<Sightings>;
  /** The author was seen now. Several processes may add it at the same time. */
  add(author: KnownAuthor, now: Date): Promise<void>;
  remove(key: string): Promise<void>;
};

/** @param maximum of an address, and of one domain at it */
export function createKnownAuthors(
  db: Db,
  maximum = { ofAddress: KNOWN_AUTHORS_MAX, ofDomain: KNOWN_AUTHORS_OF_DOMAIN_MAX },
): KnownAuthors {
  const authors = db.collection<StoredAuthor>(KNOWN_AUTHORS);

  /** Processes that add at the same time may leave a few more until the next one is added. */
  const makeRoom = async (place: Place, hint: string, most: number): Promise<void> => {
    const count = await authors.countDocuments(place, { hint });
    if (count <= most) return;
    const oldest = authors.find(place, {
      projection: { _id: 1 },
      sort: { seen_at: 1 },
      limit: count - most,
    });
    const ids = (await oldest.toArray()).map(({ _id }) => _id);
    await authors.deleteMany({ _id: { $in: ids } });
  };

  return {
    find: async function findKnownAuthors(keys) {
      const found = authors.find({ _id: { $in: [...keys] } }, { projection: { seen_at: 1 } });
      return new Map((await found.toArray()).map(({ _id, seen_at }) => [_id, seen_at]));
    },

    add: async function addKnownAuthor(author, now) {
      const { key: _id, domain_key, account_id, address_id } = author;
      try {
        const { upsertedCount } = await authors.updateOne(
          { _id },
          {
            $max: { seen_at: now },
            $set: { domain_key },
            $setOnInsert: { account_id, address_id },
          },
          { upsert: true },
        );
        if (upsertedCount === 0) return;
        await makeRoom({ account_id, domain_key }, BY_DOMAIN, maximum.ofDomain);
        await makeRoom({ account_id, address_id }, BY_ADDRESS, maximum.ofAddress);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error; // another process has added it
      }
    },

    remove: async function removeKnownAuthor(key) {
      await authors.deleteOne({ _id: key });
    },
  };
}
