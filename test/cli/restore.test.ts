/**
 * `inlet admin restore` believes only files that Inlet wrote, and changes nothing before it has read
 * all of one.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { BSON } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { COLLECTIONS } from '../../services/adapters/mongo/database/collections.ts';
import {
  type Entry,
  readEntries,
  writeEntries,
} from '../../services/platform/backup/entry-file.ts';
import { runCommand } from '../support/inlet-command.ts';
import { CHECKOUT } from '../docs/pages.ts';
import { testDir } from '../support/servers.ts';
import { type RestoreBed, startRestoreBed } from './restore-bed.ts';

let bed: RestoreBed;
let archive: Buffer;
beforeAll(async () => {
  bed = await startRestoreBed();
  ({ archive } = bed);
});
afterAll(() => bed[Symbol.asyncDispose]());

/** The file with other entries. */
async function changed(change: (entries: Entry[]) => Entry[]): Promise<Buffer> {
  const entries: Entry[] = [];
  for await (const { name, bytes } of readEntries(Readable.from([archive])))
    entries.push({ name, bytes: Buffer.from(bytes) });
  const output = new PassThrough();
  const written = buffer(output);
  await writeEntries(Readable.from(change(entries)), output);
  output.end();
  return written;
}
const withoutHmac = (entries: Entry[]): Entry[] =>
  entries.map(({ name, bytes }) => {
    if (name !== 'end') return { name, bytes };
    const { hmac: _, ...end } = JSON.parse(Buffer.from(bytes).toString()) as { hmac: string };
    return { name, bytes: Buffer.from(JSON.stringify(end)) };
  });
const before = (added: Entry) => (entries: Entry[]) => [
  ...entries.slice(0, -1),
  added,
  ...entries.slice(-1),
];
const document = (name: string): Entry => ({
  name: `document/${name}`,
  bytes: BSON.serialize({ _id: 'more' }),
});
const stream = (config: object): Entry => ({
  name: 'stream',
  bytes: Buffer.from(JSON.stringify({ config, state: { messages: 0 } })),
});

test.each<[title: string, bytes: () => Promise<Buffer> | Buffer, options: string[], words: RegExp]>(
  [
    ['cut to a half', () => archive.subarray(0, archive.length / 2), [], /damaged or cut off/],
    ['cut at the end', () => changed((all) => all.slice(0, -1)), [], /cut off/],
    ['with a token more', () => changed(before(document('tokens'))), [], /HMAC differs/],
    [
      'without a document',
      () => changed((all) => [...all.slice(0, 1), ...all.slice(2)]),
      [],
      /HMAC differs/,
    ],
    [
      'with more after its end',
      () => changed((all) => [...all, document('tokens')]),
      [],
      /after its end/,
    ],
    ['without an HMAC', () => changed(withoutHmac), [], /not signed.*--unsigned/s],
    [
      'without an HMAC, and less than it says',
      () => changed((all) => withoutHmac([...all.slice(0, 1), ...all.slice(2)])),
      ['--unsigned'],
      /not whole/,
    ],
    [
      'with a collection of another program',
      () => changed((all) => withoutHmac(before(document('system.users'))(all))),
      ['--unsigned'],
      /not of Inlet: system\.users/,
    ],
    [
      'with a stream of another program',
      () => changed((all) => withoutHmac(before(stream({ name: 'OTHER' }))(all))),
      ['--unsigned'],
      /not of Inlet: OTHER/,
    ],
    [
      'with a stream that copies its messages',
      () =>
        changed((all) =>
          withoutHmac(
            before(stream({ name: 'FAILED', republish: { src: '>', dest: 'x.>' } }))(all),
          ),
        ),
      ['--unsigned'],
      /not of Inlet: FAILED/,
    ],
  ],
)('a file %s is refused, and nothing changes', async (_, bytes, options, words) => {
  await using dir = await testDir();
  const former = await bed.contents();
  const file = join(dir.path, 'file.backup');
  await writeFile(file, await bytes());
  const verified = await runCommand(['admin', 'backup', '--verify', file, ...options], {
    env: bed.env,
  });
  const restored = await bed.restore(await bytes(), '--replace', ...options);
  for (const { code, err } of [verified, restored])
    expect([code, err]).toEqual([1, expect.stringMatching(words)]);
  expect(await bed.contents()).toEqual(former);
});

test('backup --verify needs no server, and says what a file has', async () => {
  await using dir = await testDir();
  const file = join(dir.path, 'file.backup');
  await writeFile(file, archive);
  const { code, out } = await runCommand(['admin', 'backup', '--verify', file], {
    env: { ...bed.env, MONGODB_URI: 'mongodb://127.0.0.1:1', NATS_URL: 'nats://127.0.0.1:1' },
  });
  expect([code, JSON.parse(out)]).toMatchObject([0, { messages: { 'MAIL-0': 1 } }]);
});

test('every collection that a store uses is in the list', async () => {
  const folder = join(CHECKOUT, 'services', 'adapters', 'mongo');
  const sources = await Promise.all(
    (await readdir(folder, { recursive: true }))
      .filter((file) => file.endsWith('.ts') && !file.endsWith('restore.ts'))
      .map((file) => readFile(join(folder, file), 'utf8')),
  );
  const all = sources.join('\n');
  const named = new Set(
    Array.from(all.matchAll(/collection(?:<[^()]*>)?\(([A-Z_]+)\)|collection: ([A-Z_]+)/g)).map(
      ([, one, other]) => one ?? other ?? '',
    ),
  );
  // a constant of one name, COLLECTION, has a value in each of its files
  const values = [...named].flatMap((name) =>
    Array.from(all.matchAll(new RegExp(`const ${name} = '([a-z_]+)'`, 'g')), ([, value]) => value),
  );
  expect(new Set(values)).toEqual(new Set(COLLECTIONS));
});
