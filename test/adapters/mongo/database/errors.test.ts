/** What errors of MongoDB mean: refused for good, or temporary (D160). */
import {
  type BulkWriteResult,
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoExpiredSessionError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  type Collection,
} from 'mongodb';
import { expect, test } from 'vitest';

import {
  isDuplicateKey,
  isTemporary,
} from '../../../../services/adapters/mongo/database/errors.ts';
import { startTestDatabase } from '../../../support/test-database.ts';

const asServer = (code?: number, errorLabels: string[] = []) =>
  new MongoServerError({ message: 'not now', ...(code !== undefined && { code }), errorLabels });

const broken = (code: string) =>
  Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' });

const TEMPORARY: Record<string, Error> = {
  'no connection': new MongoNetworkError('connect ECONNREFUSED'),
  'no answer': new MongoNetworkTimeoutError('timed out'),
  'no primary': new MongoServerSelectionError('none', {} as never),
  'not connected': new MongoNotConnectedError('not connected'),
  'topology closed': new MongoTopologyClosedError('closed'),
  'client closed': new MongoClientClosedError(),
  'session ended': new MongoExpiredSessionError('ended'),
  'plain socket': broken('ECONNREFUSED'),
  'written after its end': Object.assign(new Error('end'), { code: 'ERR_STREAM_DESTROYED' }),
  'without a code': asServer(),
  Unauthorized: asServer(13),
  AuthenticationFailed: asServer(18),
  MaxTimeMSExpired: asServer(50),
  WriteConcernTimeout: asServer(64),
  ShutdownInProgress: asServer(91),
  WriteConflict: asServer(112, ['TransientTransactionError']),
  NoSuchTransaction: asServer(251, ['TransientTransactionError']),
  ExceededTimeLimit: asServer(262),
  NotWritablePrimary: asServer(10_107),
  InterruptedAtShutdown: asServer(11_600),
  InterruptedDueToReplStateChange: asServer(11_602),
  OutOfDiskSpace: asServer(14_031),
  'a code that nobody knows': asServer(99_999),
};

const wrapped = ([name, error]: [string, Error]) => ({
  [name]: error,
  [`${name}, in bulkWrite`]: new MongoBulkWriteError(error, {} as BulkWriteResult),
  [`${name}, as a cause`]: new Error('write the record', { cause: error }),
});

test('temporary: each error without a known refusal, also inside bulkWrite and as a cause', () => {
  const all = Object.assign({}, ...Object.entries(TEMPORARY).map(wrapped)) as typeof TEMPORARY;
  const verdicts = Object.entries(all).map(([name, error]) => [name, isTemporary(error)]);
  expect(verdicts.filter(([, is]) => is === false)).toEqual([]);
});

test('not temporary: errors that are not of MongoDB', () => {
  const missing = Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' });
  for (const error of [new TypeError('a bug'), missing, new Error('other'), 'text', undefined])
    expect(isTemporary(error)).toBe(false);
});

type Thing = { _id: number; name?: unknown; a?: unknown };
const LARGE = 'x'.repeat(9 * 1024 * 1024); // two of them are above the limit of a document

/** What a server, or the driver, refuses for its content. */
const REFUSED: Record<string, (things: Collection<Thing>) => Promise<unknown>> = {
  'a duplicate': (things) => things.insertOne({ _id: 1 }),
  'a duplicate, in bulkWrite': (things) =>
    things.bulkWrite([{ insertOne: { document: { _id: 1 } } }], { ordered: false }),
  'a duplicate, in insertMany': (things) => things.insertMany([{ _id: 1 }]),
  'a validator': (things) => things.insertOne({ _id: 2, name: 'refused' }),
  'a validator, in bulkWrite': (things) =>
    things.bulkWrite([{ insertOne: { document: { _id: 2, name: 'refused' } } }]),
  'a path through a string': (things) => things.updateOne({ _id: 1 }, { $set: { 'a.b': 1 } }),
  'another id': (things) => things.updateOne({ _id: 1 }, { $set: { _id: 9 } }),
  'two operators for a field': (things) =>
    things.updateOne({ _id: 1 }, { $set: { name: 1 }, $unset: { name: 1 } }),
  'an unknown operator': (things) => things.find({ $nonsense: 1 } as never).toArray(),
  'a push to a string': (things) => things.updateOne({ _id: 1 }, { $push: { a: 1 } } as never),
  'an update that makes it too large': (things) =>
    things.updateOne({ _id: 1 }, [{ $set: { name: [{ $literal: LARGE }, LARGE] } }]),
  'a document that is too large': (things) => things.insertOne({ _id: 2, a: [LARGE, LARGE] }),
  'a document that is too large, in bulkWrite': (things) =>
    things.bulkWrite([{ insertOne: { document: { _id: 2, a: [LARGE, LARGE] } } }]),
  'a name that is too long': (things) =>
    things.createIndex({ a: 1 }, { name: 'n', expireAfterSeconds: -1 }),
};

test('refused: what a real server refuses for its content', async () => {
  await using mongo = await startTestDatabase();
  await mongo.db.createCollection('things', { validator: { name: { $ne: 'refused' } } });
  const things = mongo.db.collection<Thing>('things');
  await things.insertOne({ _id: 1, a: 'text' });
  const verdicts: Record<string, unknown> = {};
  for (const [name, work] of Object.entries(REFUSED)) {
    const error: unknown = await work(things).then(
      () => 'nothing was refused',
      (fault: unknown) => fault,
    );
    const { code, message } = error as MongoServerError;
    if (isTemporary(error) || !(error instanceof Error)) verdicts[name] = { error, code, message };
    expect(isDuplicateKey(error)).toBe(name.startsWith('a duplicate'));
  }
  expect(verdicts).toEqual({});
});
