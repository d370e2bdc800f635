/** The content keys of accounts (D283): made once, encrypted at rest, and never again after their end. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import {
  ACCOUNT_KEYS,
  createAccountKeys,
  eraseAccountKey,
  type StoredAccountKey,
} from '../../../../services/adapters/mongo/account/account-keys.ts';
import { reencryptSecrets } from '../../../../services/adapters/mongo/reencryption.ts';
import { createSecretBox } from '../../../../services/adapters/mongo/database/secrets.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const mongo = await useInFile(startTestDatabase());

const [first, second] = [randomBytes(32), randomBytes(32)];
const keysWith = (...secretKeys: Buffer[]) =>
  createAccountKeys(mongo.db, createSecretBox(secretKeys));
const stored = () => mongo.db.collection<StoredAccountKey>(ACCOUNT_KEYS);

test('processes that need the key of an account at the same time get the same one', async () => {
  expect(await keysWith(first).find('acc_raced')).toBeUndefined();
  const all = await Promise.all(
    Array.from({ length: 20 }, () => keysWith(first).ensure('acc_raced')),
  );
  expect(new Set(all.map((key) => Buffer.from(key!.bytes).toString('hex'))).size).toBe(1);
  expect(all[0]?.bytes).toHaveLength(32);
  expect(await keysWith(first).find('acc_raced')).toEqual(all[0]);
  expect(await keysWith(first).ensure('acc_other')).not.toEqual(all[0]);
});

test('MongoDB does not have it in clear, and a copy at another account is useless', async () => {
  const key = await keysWith(first).ensure('acc_sealed');
  const document = (await stored().findOne({ _id: 'acc_sealed' }))!;
  for (const encoding of ['base64', 'base64url', 'hex'] as const)
    expect(document.sealed_key).not.toContain(Buffer.from(key!.bytes).toString(encoding));
  await stored().insertOne({ ...document, _id: 'acc_thief' });
  await expect(keysWith(first).find('acc_thief')).rejects.toThrow('decrypt');
  await expect(keysWith(second).find('acc_sealed')).rejects.toThrow('not in SECRET_KEYS');
  await stored().deleteOne({ _id: 'acc_thief' });
});

test('a deleted key does not come back, for an account with and without one', async () => {
  await keysWith(first).ensure('acc_closed');
  for (const id of ['acc_closed', 'acc_new']) {
    await eraseAccountKey(mongo.db, id, new Date());
    await eraseAccountKey(mongo.db, id, new Date()); // closing can be repeated
    expect(await keysWith(first).find(id)).toBeUndefined();
    expect(await keysWith(first).ensure(id)).toBeUndefined();
  }
});

test('a new SECRET_KEYS: keys are encrypted again, and stay the same', async () => {
  const key = await keysWith(first).ensure('acc_rotated');
  await eraseAccountKey(mongo.db, 'acc_rotated_and_closed', new Date());
  const counts = await reencryptSecrets(mongo.db, createSecretBox([second, first]));
  expect(counts.changed).toBe(0);
  expect(counts.resealed).toBeGreaterThan(0);
  expect(await keysWith(second).find('acc_rotated')).toEqual(key);
  expect(await keysWith(second).find('acc_rotated_and_closed')).toBeUndefined();
  await expect(keysWith(first).find('acc_rotated')).rejects.toThrow('not in SECRET_KEYS');
});
