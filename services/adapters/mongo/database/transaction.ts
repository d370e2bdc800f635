/**
 * Transactions. Several processes change the same documents, such as the counters of a busy account,
 * and a conflict ends one of their transactions. The driver's own `withTransaction` then waits up to
 * half a second, longer each time, so that several conflicts take seconds. These transactions take
 * milliseconds, so they are repeated soon.
 *
 * A bulk write in them inserts or updates: one that does both, and is unordered, goes on after a duplicate
 * key, and its last error, which says only that the transaction has ended, would be repeated for ever.
 * Ordered ones would ask the shards one after another.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { type ClientSession, type Db, MongoError, type TransactionOptions } from 'mongodb';

import { isClosed, isTemporary } from './errors.ts';

/** The same as in the driver. */
const TIMEOUT_MS = 120_000;
/** The mean of several transactions: a random part of it passes before the next try. */
const CONFLICT_PAUSE_MS = 20;

/**
 * @param work is repeated after a conflict, or when the primary changes. It should
 * begin with the writes that may conflict. It may abort the transaction: then nothing is written, and its result
 * counts.
 * @throws what `work` throws, and other errors of MongoDB
 */
export async function transaction<T>(
  { client }: Pick<Db, 'client'>,
  work: (session: ClientSession) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS;
  /** A second commit changes nothing. Without it, nobody knows what the first one did. */
  const commit = async (session: ClientSession): Promise<void> => {
    for (;;) {
      try {
        return await session.commitTransaction();
      } catch (error) {
        const mayBeWritten = isTemporary(error) && !isEnded(error) && !isClosed(error);
        if (!mayBeWritten || performance.now() > deadline) throw error;
      }
      await sleep(Math.random() * CONFLICT_PAUSE_MS);
    }
  };

  // each transaction stands alone. In a causal session, the driver would write the time of the last one
  // into the read concern that all reads of the client share
  return client.withSession({ causalConsistency: false }, async (session) => {
    for (;;) {
      session.startTransaction(options);
      try {
        const result = await work(session);
        if (session.inTransaction()) await commit(session);
        return result;
      } catch (error) {
        if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
        if (!isEnded(error) || performance.now() > deadline) throw error;
      }
      await sleep(Math.random() * CONFLICT_PAUSE_MS);
    }
  });
}

/** Nothing of the transaction was written, and another one may succeed. */
const isEnded = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel('TransientTransactionError');
