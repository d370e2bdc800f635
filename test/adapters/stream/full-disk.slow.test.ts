/**
 * The disk of NATS is full, which needs a file system of its own: after the first emails have found
 * out, all others are refused without a wait, small and large ones, and the log names it. Emails are
 * stored again after nats-server has been restarted with room.
 */
import { randomBytes } from 'node:crypto';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { z } from 'zod';

import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { createStoreMail, type Stored } from '../../../services/adapters/stream/store.ts';
import { ensureStreams, StreamsConfig } from '../../../services/adapters/stream/events/streams.ts';
import { startNatsServer } from '../../../services/standalone/processes/nats-server.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/new-address.ts';
import { testDir } from '../../support/servers.ts';
import { smallDisk } from '../../support/small-disk.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;
/** Longer than the pause after which a stream is tried again. */
const AGAIN_MS = 5_500;

async function fill(disk: string, file: string): Promise<void> {
  const { bavail, bsize } = await statfs(disk);
  await writeFile(file, Buffer.alloc(bavail * bsize - MIB));
}

/** The first emails find out, and all others are refused without a wait. */
async function expectRefused(storeOne: () => Promise<Stored | 'full'>): Promise<void> {
  let stored: Stored | 'full' = { isRepeat: false };
  for (let mails = 0; stored !== 'full' && mails < 20; mails++) stored = await storeOne();
  expect(stored).toBe('full');
  const startedMs = Date.now();
  const times = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const startedAt = performance.now();
      expect(await storeOne()).toBe('full');
      return performance.now() - startedAt;
    }),
  );
  // one of them may try again
  expect(times.toSorted((one, other) => one - other).at(-2)).toBeLessThan(atMost(1_000, startedMs));
  await sleep(AGAIN_MS);
  const againMs = Date.now();
  const againAt = performance.now();
  expect(await storeOne()).toBe('full');
  expect(performance.now() - againAt).toBeLessThan(atMost(2_500, againMs));
}

test('a full disk: 452 without a wait, named in the log, and emails again after a restart', async (context) => {
  await using dir = await testDir();
  await using disk = await smallDisk(dir.path, 32);
  if (disk === undefined) {
    context.skip();
    return;
  }
  const start = (port = 0) =>
    startNatsServer({
      binary: inject('natsServerBinary'),
      dataDir: dir.path,
      logFile: join(dir.path, 'server.log'),
      port,
      jetstream: { max_file_store: '1GB' }, // others fill the disk
    });
  let server = await start();
  const lines: { event: string; stream?: string }[] = [];
  const log = createLog(
    'info',
    {},
    { write: (line) => void lines.push(JSON.parse(line) as never) },
  );
  await using nats = await connectNats({ url: server.url, name: 'test' }, log);
  const config = z.object(StreamsConfig).parse({ PARTITIONS: '4' });
  const store = createStoreMail(await ensureStreams(nats, config, log));
  const address = newAddress('https://receiver.example/');
  const storeOne = (bytes: number): Promise<Stored | 'full'> =>
    store(mailEvent(address, new Date()), [randomBytes(bytes)], randomBytes(32).toString('hex'));
  expect(await storeOne(1_000)).toEqual({ isRepeat: false });

  const filler = join(dir.path, 'filler');
  await fill(dir.path, filler);
  for (const bytes of [100_000, 2 * MIB]) await expectRefused(() => storeOne(bytes));
  const named = lines.flatMap((one) => (one.event === 'stream.not_writing' ? [one.stream] : []));
  expect(new Set(named)).toEqual(new Set(['mail.0', 'mail.1', 'mail.2', 'mail.3', 'BODIES']));

  await rm(filler);
  await server.stop();
  server = await start(server.port);
  // while the client connects again, it is not known what was stored
  const isStored = (bytes: number) =>
    storeOne(bytes).then(
      (one) => one !== 'full',
      () => false,
    );
  await until('emails to be stored again', () => isStored(1_000));
  await until('large emails, too', () => isStored(2 * MIB));
  expect(lines.map(({ event }) => event)).toContain('stream.writing_again');
  await nats[Symbol.asyncDispose](); // while the server answers
  await server.stop();
});
