/** A sample of what is encrypted with SECRET_KEYS, so that a process knows whether it can read it. */
import type { Db } from 'mongodb';

import { ACCOUNT_KEYS, type StoredAccountKey } from './account/account-keys.ts';
import { ADDRESSES, type StoredAddress } from './documents/address-documents.ts';

/** How many of one kind. What a new key encrypts comes last, and ids sort by time. */
const SAMPLE = 50;

/** The newest encrypted secrets of addresses, and content keys of accounts. */
export async function newestSecrets(db: Db): Promise<string[]> {
  const newest = { sort: { _id: -1 }, limit: SAMPLE } as const;
  const [addresses, keys] = await Promise.all([
    db
      .collection<StoredAddress>(ADDRESSES)
      .find({}, { ...newest, projection: { sealed_secret: 1 } })
      .toArray(),
    db.collection<StoredAccountKey>(ACCOUNT_KEYS).find({}, newest).toArray(),
  ]);
  return [
    ...addresses.map(({ sealed_secret }) => sealed_secret),
    ...keys.flatMap(({ sealed_key }) => sealed_key ?? []),
  ];
}
