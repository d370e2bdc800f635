/**
 * Transactions. Several processes change the same documents, such as the counters of a busy account,
 * and a conflict ends one of their transactions. The driver's own `withTransaction` then waits up to
 * half a second, longer each time, so that several conflicts take seconds. These transactions take
 * milliseconds, so they are repeated soon.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { type ClientSession, type Db, MongoError, type TransactionOptions } from 'mongodb';

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
  const deadline = Date.now() + TIMEOUT_MS;
  const maybeRepeat = (error: unknown, label: string): void => {
    const isRepeatable = error instanceof MongoError && error.hasErrorLabel(label);
    if (!isRepeatable || Date.now() > deadline) throw error;
  };

  const commit = async (session: ClientSession): Promise<void> => {
    for (;;) {
      try {
        return await session.commitTransaction();
      } catch (error) {
        maybeRepeat(error, 'UnknownTransactionCommitResult'); // a second commit changes nothing
      }
    }
  };

  return client.withSession(async (session) => {
    for (;;) {
      session.startTransaction(options);
      try {
        const result = await work(session);
        if (session.inTransaction()) await commit(session);
        return result;
      } catch (error) {
        if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
        maybeRepeat(error, 'TransientTransactionError');
      }
      await sleep(Math.random() * CONFLICT_PAUSE_MS);
    }
  });
}
