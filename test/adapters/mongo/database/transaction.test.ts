/** Transactions of several processes on one document: repeated soon, and exact. */
import { MongoError } from 'mongodb';
import { expect, test } from 'vitest';

import { transaction } from '../../../../services/adapters/mongo/database/transaction.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { atMost } from '../../../support/slowdown.ts';
import { useInFile } from '../../../support/use-in-file.ts';

type Counter = { _id: string; count: number };

const mongo = await useInFile(startTestDatabase());

const counters = () => mongo.db.collection<Counter>('counters');

test('concurrent transactions that read and write one document all take effect', async () => {
  await counters().insertOne({ _id: 'shared', count: 0 });
  await Promise.all(
    Array.from({ length: 20 }, () =>
      transaction(mongo.db, async (session) => {
        const before = await counters().findOne({ _id: 'shared' }, { session });
        const count = (before?.count ?? 0) + 1;
        await counters().updateOne({ _id: 'shared' }, { $set: { count } }, { session });
      }),
    ),
  );
  expect(await counters().findOne({ _id: 'shared' })).toMatchObject({ count: 20 });
});

test('D34: each of many conflicts in a row delays a transaction by milliseconds', async () => {
  let tries = 0;
  const startedAt = performance.now();
  await transaction(mongo.db, async (session) => {
    await counters().updateOne({ _id: 'late' }, { $inc: { count: 1 } }, { session, upsert: true });
    const conflict = new MongoError('write conflict');
    conflict.addErrorLabel('TransientTransactionError');
    if (++tries <= 60) throw conflict;
  });
  // a second on average; the driver's own function waits for 10 s and more, also on a fast machine
  expect(performance.now() - startedAt).toBeLessThan(atMost(6_000));
  expect(await counters().findOne({ _id: 'late' })).toMatchObject({ count: 1 });
});

test('D288: a transaction that is repeated leaves the read concern of all others as it is', async () => {
  let tries = 0;
  await transaction(mongo.db, async (session) => {
    await counters().findOne({ _id: 'read' }, { session });
    const conflict = new MongoError('write conflict');
    conflict.addErrorLabel('TransientTransactionError');
    if (++tries === 1) throw conflict;
  });
  expect(Object.entries(mongo.db.readConcern ?? {})).toEqual([['level', 'majority']]);
});

test('another error ends the transaction without effect', async () => {
  const failing = transaction(mongo.db, async (session) => {
    await counters().insertOne({ _id: 'undone', count: 1 }, { session });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await counters().findOne({ _id: 'undone' })).toBeNull();
});

test('work may abort the transaction: its result counts, and nothing is written', async () => {
  const result = await transaction(mongo.db, async (session) => {
    await counters().insertOne({ _id: 'aborted', count: 1 }, { session });
    await session.abortTransaction();
    return 'taken';
  });
  expect(result).toBe('taken');
  expect(await counters().findOne({ _id: 'aborted' })).toBeNull();
});
