/**
 * The content keys of accounts (D283, D289): made once, encrypted at rest, never replaced by another one, and never
 * again after their end.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import {
  ACCOUNT_KEYS,
  createAccountKeys,
  eraseAccountKeys,
  type StoredAccountKey,
} from '../../../../services/adapters/mongo/account/account-keys.ts';
import { createAccounts } from '../../../../services/adapters/mongo/account/accounts.ts';
import {
  ACCOUNTS,
  type StoredAccount,
} from '../../../../services/adapters/mongo/documents/account-documents.ts';
import { reencryptSecrets } from '../../../../services/adapters/mongo/reencryption.ts';
import { createSecretBox } from '../../../../services/adapters/mongo/database/secrets.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const mongo = await useInFile(startTestDatabase());

const [first, second] = [randomBytes(32), randomBytes(32)];
const keysWith = (...secretKeys: Buffer[]) =>
  createAccountKeys(mongo.db, createSecretBox(secretKeys));
const stored = () => mongo.db.collection<StoredAccountKey>(ACCOUNT_KEYS);
const accounts = createAccounts(mongo.db);

let made = 0;
const newAccount = async () =>
  (await accounts.create({ email: `${++made}@a.example`, name: 'Ann' })).id;
const ring = async (account: string, keys = keysWith(first)) => {
  const found = await keys.find(account);
  return found.kind === 'keys' ? found.keys : [];
};
const hasKey = async (_id: string) =>
  (await mongo.db.collection<StoredAccount>(ACCOUNTS).findOne({ _id }))?.has_content_key;

test('processes that need the key of an account at the same time get the same one', async () => {
  const [account, other] = [await newAccount(), await newAccount()];
  const all = await Promise.all(Array.from({ length: 20 }, () => keysWith(first).ensure(account)));
  const [key, ...further] = await ring(account);
  expect([key?.bytes.byteLength, further]).toEqual([32, []]);
  expect(all).toEqual(all.map(() => ({ kind: 'keys', keys: [key] })));
  expect(await keysWith(first).ensure(other)).not.toEqual(all[0]);
  expect(await hasKey(account)).toBe(true);
});

test('MongoDB does not have it in clear, and a copy at another account is useless', async () => {
  const account = await newAccount();
  await keysWith(first).ensure(account);
  const [key] = await ring(account);
  const document = (await stored().findOne({ _id: account }))!;
  for (const encoding of ['base64', 'base64url', 'hex'] as const)
    expect(document.sealed_key).not.toContain(Buffer.from(key.bytes).toString(encoding));
  await stored().insertOne({ ...document, _id: 'acc_thief' });
  await expect(keysWith(first).find('acc_thief')).rejects.toThrow('decrypt');
  await expect(keysWith(second).find(account)).rejects.toThrow('not in SECRET_KEYS');
  await stored().deleteOne({ _id: 'acc_thief' });
});

test('a deleted key does not come back, for an account with and without one', async () => {
  const [closed, never] = [await newAccount(), await newAccount()];
  await keysWith(first).ensure(closed);
  for (const id of [closed, never]) {
    await eraseAccountKeys(mongo.db, id, new Date());
    await eraseAccountKeys(mongo.db, id, new Date()); // closing can be repeated
    expect(await keysWith(first).find(id)).toEqual({ kind: 'deleted' });
    expect(await keysWith(first).ensure(id)).toEqual({ kind: 'deleted' });
  }
});

test('a record that is away is missing: no other key is made, and the first one comes back', async () => {
  const account = await newAccount();
  await keysWith(first).ensure(account);
  const [key] = await ring(account);
  const record = (await stored().findOneAndDelete({ _id: account }))!;
  expect(await keysWith(first).find(account)).toEqual({ kind: 'missing' });
  expect(await keysWith(first).ensure(account)).toEqual({ kind: 'missing' });
  expect(await stored().countDocuments({ _id: account })).toBe(0);
  await stored().insertOne(record);
  expect(await keysWith(first).ensure(account)).toEqual({ kind: 'keys', keys: [key] });
  await stored().deleteOne({ _id: account });
  await accounts.close(account, new Date());
  expect(await keysWith(first).find(account)).toEqual({ kind: 'deleted' }); // its account says so
});

test('no key is made for an account that is closed, or does not exist', async () => {
  const account = await newAccount();
  await accounts.close(account, new Date());
  expect(await keysWith(first).ensure(account)).toEqual({ kind: 'deleted' });
  expect(await keysWith(first).ensure('acc_nobody')).toEqual({ kind: 'missing' });
  expect(await stored().countDocuments({ _id: { $in: [account, 'acc_nobody'] } })).toBe(0);
});

test('a key of an earlier release serves, and its account says from then on that it has one', async () => {
  const [account, model] = [await newAccount(), await newAccount()];
  await keysWith(first).ensure(model);
  const clear = randomBytes(32).toString('base64');
  const sealed_key = createSecretBox([first]).seal(clear, `content key of ${account}`);
  await stored().insertOne({ _id: account, sealed_key, created_at: new Date() });
  const found = await keysWith(first).ensure(account);
  expect(found.kind === 'keys' && Buffer.from(found.keys[0].bytes).toString('base64')).toBe(clear);
  expect(await hasKey(account)).toBe(true);
  // and that release reads what this one makes
  const fields = Object.keys((await stored().findOne({ _id: model })) ?? {});
  expect(fields.toSorted()).toEqual(['_id', 'created_at', 'sealed_key']);
});

test('further keys decrypt, and one that SECRET_KEYS cannot decrypt harms no other', async () => {
  const account = await newAccount();
  await keysWith(first).ensure(account);
  const [key] = await ring(account);
  const sealed = (secret: Buffer) =>
    createSecretBox([secret]).seal(randomBytes(32).toString('base64'), `content key of ${account}`);
  const further_keys = [sealed(first), sealed(second)];
  await stored().updateOne({ _id: account }, { $set: { further_keys } });
  expect((await ring(account)).map(({ id }) => id === key.id)).toEqual([true, false]);
  expect(await ring(account, keysWith(first, second))).toHaveLength(3);
});

test('a new SECRET_KEYS: keys are encrypted again, and stay the same', async () => {
  const [account, closed] = [await newAccount(), await newAccount()];
  await keysWith(first).ensure(account);
  const context = `content key of ${account}`;
  const further = createSecretBox([first]).seal(randomBytes(32).toString('base64'), context);
  await stored().deleteMany({ _id: { $ne: account } });
  await stored().updateOne({ _id: account }, { $set: { further_keys: [further] } });
  const before = await ring(account);
  expect(before).toHaveLength(2);
  await eraseAccountKeys(mongo.db, closed, new Date());
  const counts = await reencryptSecrets(mongo.db, createSecretBox([second, first]));
  expect(counts).toEqual({ addresses: 2, resealed: 1, changed: 0 });
  expect(await ring(account, keysWith(second))).toEqual(before);
  expect(await keysWith(second).find(closed)).toEqual({ kind: 'deleted' });
  await expect(keysWith(first).find(account)).rejects.toThrow('not in SECRET_KEYS');
});
