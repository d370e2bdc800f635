/** A backup reads all collections as they were at one moment. */
import { expect, test } from 'vitest';

import { readDocuments } from '../../../../services/adapters/mongo/database/backup.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const mongo = await useInFile(startTestDatabase());
const into = (collection: string, _id: string) =>
  mongo.db.collection<{ _id: string }>(collection).insertOne({ _id });

test('what is written while a backup is read is not in it', async () => {
  await into('accounts', 'acc_1');
  await into('addresses', 'addr_1');
  const found: string[] = [];
  for await (const { collection } of readDocuments(mongo)) {
    if (found.length === 0) await into('addresses', 'addr_2');
    found.push(collection);
  }
  expect(found).toEqual(['accounts', 'addresses']);
});
