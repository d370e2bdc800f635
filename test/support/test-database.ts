/** A database for the tests of adapters, with a connection to it. */
import {
  type CollectionIndexes,
  connectMongo,
  ensureIndexes,
  type Mongo,
} from '../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { testMongo } from './servers.ts';

/** Connects to a new database with these indexes. Disposing drops it. */
export async function startTestDatabase(
  indexes: readonly CollectionIndexes[] = [],
): Promise<Mongo & { uri: string }> {
  await using parts = new AsyncDisposableStack();
  const { uri } = parts.use(await testMongo());
  const mongo = parts.use(await connectMongo(uri, createLog('silent')));
  await ensureIndexes(mongo.db, indexes);
  const running = parts.move();
  return { ...mongo, uri, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
