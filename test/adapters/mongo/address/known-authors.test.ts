/** X.4: the authors whom an address knows are bounded, and leave with the address. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { createAddresses } from '../../../../services/adapters/mongo/address/addresses.ts';
import {
  createKnownAuthors,
  knownAuthorIndexes,
} from '../../../../services/adapters/mongo/address/known-authors.ts';
import { createSecretBox } from '../../../../services/adapters/mongo/database/secrets.ts';
import { knownAuthor } from '../../../../services/core/decision/known-author.ts';
import { newAddress } from '../../../support/new-address.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const mongo = await useInFile(startTestDatabase([knownAuthorIndexes]));

const authorAt = (id: string, name: string, domain = 'partner.example', account_id = 'acc_1') =>
  knownAuthor({ id, account_id }, `${name}@${domain}`);
const at = (second: number) => new Date(Date.UTC(2026, 10, 27, 16, 0, second));

test('the authors of an address have a maximum: the oldest makes room', async () => {
  const authors = createKnownAuthors(mongo.db, { ofAddress: 3, ofDomain: 10 });
  const [ann, bob, cid, dan] = ['ann', 'bob', 'cid', 'dan'].map((name) => authorAt('addr_1', name));
  if (!ann || !bob || !cid || !dan) throw new Error('four');
  await authors.add(authorAt('addr_2', 'ann'), at(0));
  for (const [second, author] of [ann, bob, cid].entries()) await authors.add(author, at(second));
  await authors.add(ann, at(10)); // writes again
  await authors.add(dan, at(11));
  const keys = [ann, bob, cid, dan].map(({ key }) => key);
  expect(await authors.find(keys)).toEqual(
    new Map([
      [ann.key, at(10)],
      [cid.key, at(2)],
      [dan.key, at(11)],
    ]),
  );
  expect((await authors.find([authorAt('addr_2', 'ann').key])).size).toBe(1);
});

test('the authors of a domain and its subdomains have one, so that it makes nobody else forgotten', async () => {
  const authors = createKnownAuthors(mongo.db, { ofAddress: 100, ofDomain: 2 });
  const others = ['partner.example', 'one.co.uk', 'two.co.uk', 'three.co.uk'].map((domain) =>
    authorAt('addr_9', 'ann', domain),
  );
  const many = Array.from({ length: 6 }, (_, n) =>
    authorAt('addr_9', `x${n}`, n % 2 === 0 ? `s${n}.evil.example` : 'evil.example'),
  );
  for (const [second, author] of [...others, ...many].entries())
    await authors.add(author, at(second));
  const found = await authors.find([...others, ...many].map(({ key }) => key));
  expect([...found.keys()].toSorted()).toEqual(
    [...others, ...many.slice(-2)].map(({ key }) => key).toSorted(),
  );
});

test('two gateways add the same author at the same time', async () => {
  const author = authorAt('addr_3', 'ann');
  const gateways = [createKnownAuthors(mongo.db), createKnownAuthors(mongo.db)];
  const found = () => Promise.all(gateways.map((one) => one.find([author.key])));
  expect(await found()).toEqual([new Map(), new Map()]);
  await Promise.all(gateways.map((one) => one.add(author, at(0))));
  const seen = new Map([[author.key, at(0)]]);
  expect(await found()).toEqual([seen, seen]);
});

test('an author is forgotten alone, or with the address', async () => {
  const authors = createKnownAuthors(mongo.db);
  const addresses = createAddresses(mongo.db, createSecretBox([randomBytes(32)]));
  const address = newAddress('https://receiver.example/');
  await addresses.insert(address);
  const [ann, bob] = ['ann', 'bob'].map((name) =>
    authorAt(address.id, name, 'partner.example', address.account_id),
  );
  if (!ann || !bob) throw new Error('two');
  for (const author of [ann, bob]) await authors.add(author, at(0));
  await authors.remove(ann.key);
  expect([...(await authors.find([ann.key, bob.key])).keys()]).toEqual([bob.key]);
  const { account_id, environment } = address;
  await addresses.remove({ account_id, environment, address_ids: null }, address.id, at(1));
  expect(await authors.find([bob.key])).toEqual(new Map());
});

test('MongoDB keeps only a hash', async () => {
  const stored = await mongo.db.collection('known_authors').find().toArray();
  expect(JSON.stringify(stored)).not.toContain('partner.example');
});
