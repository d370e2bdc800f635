/**
 * Encrypts every webhook secret, and the content key of each account, again with the first key, so that
 * the others can be removed from SECRET_KEYS. Safe to interrupt and repeat.
 */
import type { Collection, Db, Filter } from 'mongodb';

import { ADDRESSES } from './documents/address-documents.ts';
import { BUCKETS, NOTIFICATIONS } from './documents/owned-documents.ts';
import { RECEIVERS } from './documents/receiver-documents.ts';
import { ACCOUNT_KEYS, contextOf, type StoredAccountKey } from './account/account-keys.ts';
import { authContext } from './receiver/sealed-auth.ts';
import type { SealedSecrets, SecretBox } from './database/secrets.ts';

/** Numbers of addresses, further receivers, notifications, buckets and content keys. */
type Reencryption = {
  /** All of them. */
  addresses: number;
  /** Their secrets were encrypted again. */
  resealed: number;
  /** They changed concurrently, and remain for the next run. */
  changed: number;
};

export async function reencryptSecrets(db: Db, secrets: SecretBox): Promise<Reencryption> {
  const counts: Reencryption = { addresses: 0, resealed: 0, changed: 0 };
  for (const collection of [ADDRESSES, RECEIVERS, NOTIFICATIONS, BUCKETS])
    await reencryptCollection(db.collection<Sealed>(collection), secrets, counts);
  await reencryptAccountKeys(db, secrets, counts);
  return counts;
}

async function reencryptAccountKeys(
  db: Db,
  secrets: SecretBox,
  counts: Reencryption,
): Promise<void> {
  const keys = db.collection<StoredAccountKey>(ACCOUNT_KEYS);
  for await (const one of keys.find({}, { hint: '_id_', sort: { _id: 1 } })) {
    const { _id, sealed_key, further_keys: further } = one;
    counts.addresses++;
    if (sealed_key === null) continue;
    if ([sealed_key, ...(further ?? [])].every((sealed) => secrets.isCurrent(sealed))) continue;
    const context = contextOf(_id);
    const reseal = (sealed: string) => secrets.seal(secrets.open(sealed, context), context);
    // one that was deleted meanwhile stays deleted
    const asRead = { _id, sealed_key, further_keys: further ?? { $exists: false } };
    const resealed = {
      sealed_key: reseal(sealed_key),
      ...(further && { further_keys: further.map(reseal) }),
    };
    const { matchedCount } = await keys.updateOne(asRead, { $set: resealed });
    if (matchedCount === 1) counts.resealed++;
    else counts.changed++;
  }
}

type Sealed = SealedSecrets & { _id: string; sealed_auth?: string | null };

async function reencryptCollection(
  owners: Collection<Sealed>,
  secrets: SecretBox,
  counts: Reencryption,
): Promise<void> {
  const found = owners.find(
    {},
    {
      projection: { sealed_secret: 1, former_secrets: 1, sealed_auth: 1 },
      hint: '_id_',
      sort: { _id: 1 },
    },
  );
  for await (const { _id, sealed_secret, former_secrets, sealed_auth } of found) {
    counts.addresses++;
    if (
      [sealed_secret, sealed_auth, ...(former_secrets ?? []).map((one) => one.sealed_secret)].every(
        (sealed) => typeof sealed !== 'string' || secrets.isCurrent(sealed),
      )
    )
      continue;
    const reseal = (sealed: string, context = _id) =>
      secrets.isCurrent(sealed) ? sealed : secrets.seal(secrets.open(sealed, context), context);
    const asRead: Filter<Sealed> = {
      _id,
      sealed_secret,
      former_secrets: former_secrets ?? { $exists: false },
      sealed_auth: sealed_auth ?? null, // null or absent
    }; // a concurrent rotation wins
    const resealed = {
      sealed_secret: reseal(sealed_secret),
      ...(sealed_auth && { sealed_auth: reseal(sealed_auth, authContext(_id)) }),
      ...(former_secrets && {
        former_secrets: former_secrets.map((former) => ({
          ...former,
          sealed_secret: reseal(former.sealed_secret),
        })),
      }),
    };
    const { matchedCount } = await owners.updateOne(asRead, { $set: resealed });
    if (matchedCount === 1) counts.resealed++;
    else counts.changed++;
  }
}
