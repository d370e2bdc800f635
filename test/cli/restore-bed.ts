/** An installation with a backup, and what tests of `inlet admin restore` look at. */
import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { createLog } from '../../services/adapters/process/log.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { connectNats, type Nats } from '../../services/adapters/stream/connection/connection.ts';
import { ensureStreams } from '../../services/adapters/stream/events/streams.ts';
import { runCommand } from '../support/inlet-command.ts';
import { startTestNats, testMongo } from '../support/servers.ts';

const STREAMS = {
  PARTITIONS: 1,
  STREAM_REPLICAS: 1,
  STREAM_MAX_BYTES: 0,
  DUPLICATE_WINDOW: 600_000,
  LINK_LIFETIME: 3_600_000,
  FAILED_RETENTION: 3_600_000,
};

export type RestoreBed = AsyncDisposable & {
  mongo: Mongo;
  nats: Nats;
  env: Record<string, string>;
  secretKey: Buffer;
  /** Has what is named `saved`. The installation has `later`, too. */
  archive: Buffer;
  /** All that the installation has. */
  contents(): Promise<Record<string, unknown>>;
  restore(bytes: Buffer, ...options: string[]): ReturnType<typeof runCommand>;
};

export async function startRestoreBed(): Promise<RestoreBed> {
  await using parts = new AsyncDisposableStack();
  const { uri } = parts.use(await testMongo());
  const { url } = parts.use(await startTestNats());
  const secretKey = randomBytes(32);
  const env = { MONGODB_URI: uri, NATS_URL: url, SECRET_KEYS: secretKey.toString('base64') };
  const mongo = parts.use(await connectMongo(uri, createLog('silent')));
  const nats = parts.use(await connectNats({ url, name: 'test' }, createLog('silent')));

  /** An account, a session and an email. */
  async function fill(name: string): Promise<void> {
    for (const collection of ['accounts', 'sessions', 'events'])
      await mongo.db
        .collection<{ _id: string }>(collection)
        .insertOne({ _id: `${collection}-${name}` });
    const { client } = await ensureStreams(nats, STREAMS);
    await client.publish(`mail.0.${name}`, name);
  }

  async function contents(): Promise<Record<string, unknown>> {
    const { manager } = await ensureStreams(nats, STREAMS);
    const stream = await manager.streams.info('MAIL-0', { subjects_filter: '>' });
    const found: Record<string, unknown> = {
      mail: Object.keys(stream.state.subjects ?? {}).toSorted(),
    };
    for (const { name } of await mongo.db.listCollections().toArray()) {
      const ids = await mongo.db.collection<{ _id: string }>(name).distinct('_id');
      if (ids.length > 0) found[name] = ids.toSorted();
    }
    return found;
  }

  await fill('saved');
  const output = new PassThrough();
  const written = buffer(output);
  const { code } = await runCommand(['admin', 'backup'], { env, byteOutput: () => output });
  output.end();
  if (code !== 0) throw new Error('no backup');
  const archive = await written;
  await fill('later');
  const running = parts.move();
  return {
    mongo,
    nats,
    env,
    secretKey,
    archive,
    contents,
    restore: (bytes, ...options) =>
      runCommand(['admin', 'restore', ...options], {
        env,
        byteInput: () => Readable.from([bytes.subarray(0, 1_000), bytes.subarray(1_000)]),
      }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
