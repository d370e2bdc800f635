/** Killed at any step, `inlet admin restore` leaves an installation that can be brought back. */
import { Readable } from 'node:stream';

import { type Db } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { readEntries } from '../../services/platform/backup/entry-file.ts';
import { openBackup } from '../../services/platform/backup/backup-file.ts';
import { replaceInstallation, undo } from '../../services/cli/admin/restore.ts';
import { type RestoreBed, startRestoreBed } from './restore-bed.ts';

let bed: RestoreBed;
beforeAll(async () => {
  bed = await startRestoreBed();
});
afterAll(() => bed[Symbol.asyncDispose]());

/** The same object with other members. */
const wrapped = <T extends object>(target: T, wrap: (name: string, value: unknown) => unknown): T =>
  new Proxy(target, {
    get: (object, name) => {
      const value: unknown = Reflect.get(object, name, object);
      return wrap(
        String(name),
        typeof value === 'function' ? (value.bind(object) as unknown) : value,
      );
    },
  });

/** Ends at the nth request to MongoDB or NATS, and all later ones fail, too. */
function mortal(requests: number): {
  installation: Parameters<typeof undo>[0];
  isDead: () => boolean;
} {
  let left = requests;
  const step = () => {
    if (left-- <= 0) throw new Error('killed');
  };
  const WRITES = new Set(['rename', 'drop', 'insertOne', 'insertMany', 'updateOne']);
  const counted =
    (call: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      step();
      return call(...args);
    };
  const db: Db = wrapped(bed.mongo.db, (name, value) =>
    name === 'collection'
      ? (collection: string) =>
          wrapped(bed.mongo.db.collection(collection), (method, found) =>
            WRITES.has(method) ? counted(found as () => unknown) : found,
          )
      : value,
  );
  const connection = wrapped(bed.nats.connection, (name, value) =>
    name === 'request' ? counted(value as () => unknown) : value,
  );
  return { installation: { mongo: { db }, nats: { connection } }, isDead: () => left < 0 };
}

test('killed at any step, it can be undone: everything is as before', async () => {
  const former = await bed.contents();
  let phases = 0;
  for (let requests = 0; ; requests += 3) {
    const backup = await openBackup(
      readEntries(Readable.from([bed.archive])),
      [bed.secretKey],
      false,
    );
    const { installation, isDead } = mortal(requests);
    const ended = await replaceInstallation(installation, backup, new Map(), () =>
      Promise.resolve(),
    ).then(
      () => 'restored',
      () => 'killed',
    );
    if (!isDead()) break;
    expect(ended).toBe('killed');
    // the last requests remove what has been replaced
    const isOver = (await bed.mongo.db.collection('restore_state').findOne())?.phase === 'done';
    expect((await bed.restore(bed.archive, '--undo')).code).toBe(0);
    if (isOver) continue;
    phases++;
    expect([requests, await bed.contents()]).toEqual([requests, former]);
  }
  expect(phases).toBeGreaterThan(5);
  const { accounts, mail } = await bed.contents();
  expect([accounts, mail]).toEqual([['accounts-saved'], ['mail.0.saved']]);
});
