/** Seals every webhook secret anew under the first key, so that the others can be taken from SECRET_KEYS. May be repeated and interrupted at will. */
import type { Db, Filter } from 'mongodb';

import { ADDRESSES, type StoredAddress } from './addresses.ts';
import type { SecretBox } from './secrets.ts';

/** Addresses looked at; those whose secrets, former ones included, were sealed anew; those that changed meanwhile and stay for the next run. */
export type Reencryption = { addresses: number; resealed: number; changed: number };

export async function reencryptSecrets(db: Db, secrets: SecretBox): Promise<Reencryption> {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const counts: Reencryption = { addresses: 0, resealed: 0, changed: 0 };
  const found = addresses.find(
    {},
    { projection: { sealed_secret: 1, former_secrets: 1 }, hint: '_id_', sort: { _id: 1 } },
  );
  for await (const { _id, sealed_secret, former_secrets } of found) {
    counts.addresses++;
    if (
      [{ sealed_secret }, ...(former_secrets ?? [])].every((one) =>
        secrets.isCurrent(one.sealed_secret),
      )
    )
      continue;
    const reseal = (sealed: string) =>
      secrets.isCurrent(sealed) ? sealed : secrets.seal(secrets.open(sealed, _id), _id);
    const asRead: Filter<StoredAddress> = {
      _id,
      sealed_secret,
      former_secrets: former_secrets ?? { $exists: false },
    }; // a rotation meanwhile wins
    const resealed = {
      sealed_secret: reseal(sealed_secret),
      ...(former_secrets && {
        former_secrets: former_secrets.map((former) => ({
          ...former,
          sealed_secret: reseal(former.sealed_secret),
        })),
      }),
    };
    const { matchedCount } = await addresses.updateOne(asRead, { $set: resealed });
    if (matchedCount === 1) counts.resealed++;
    else counts.changed++;
  }
  return counts;
}
