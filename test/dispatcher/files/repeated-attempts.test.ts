/** M.1: the files of an email over several attempts, as a dispatcher describes them (D80). */
import { expect, test } from 'vitest';

import type { Bucket } from '../../../services/core/bucket/bucket.ts';
import type { StorageView } from '../../../services/core/bucket/stored-files.ts';
import { createStoreFiles } from '../../../services/dispatcher/files/file-storage.ts';
import type { Uploads } from '../../../services/dispatcher/files/uploads.ts';
import { mailEvent } from '../../support/mail-events.ts';

const RAW = { sha256: 'a'.repeat(64), size_bytes: 7 };
const RECEIVED = new Date('2026-11-26T10:00:00Z');
const OWNER = { id: 'addr_1', account_id: 'acc_1', environment: 'live' as const };
const EVENT = {
  ...mailEvent(OWNER, RECEIVED),
  storage: { bucket: 'files', raw: true, attachments: false, link_hours: 1 },
};

function createDispatcher(endpoint: string) {
  const bucket = {
    name: 'files',
    endpoint,
    bucket: 'emails',
    region: 'auto',
    prefix: 'inlet/',
    addressing: 'path',
    access_key_id: 'key',
    secret_access_key: 'secret',
  } as Bucket;
  const folders: string[] = [];
  const upload: Uploads['upload'] = async ({ folder }) => {
    folders.push(folder);
    return { kind: 'stored', files: { raw: RAW } };
  };
  let now = RECEIVED;
  const storeFiles = createStoreFiles(
    { buckets: { get: async () => bucket }, uploads: { upload } },
    () => now,
  );
  return {
    folders,
    passHour: () => (now = new Date(now.getTime() + 3_600_000)),
    /** @param stored what the record has of an earlier attempt */
    attempt: async (stored?: Awaited<ReturnType<typeof storeFiles>>) => {
      const before = stored && 'files' in stored ? stored.files : undefined;
      const result = await storeFiles(EVENT, before);
      if ('failure' in result) throw new Error(result.failure.error ?? '');
      return { ...result, view: JSON.parse(result.json) as StorageView };
    },
  };
}

test('each attempt has new links to files that were stored once, where they were stored', async () => {
  const dispatcher = createDispatcher('https://s3.example.com');
  const first = await dispatcher.attempt();
  dispatcher.passHour();
  const second = await dispatcher.attempt(first);
  expect(dispatcher.folders).toHaveLength(1);
  expect([first, second].map(({ view }) => view.urls_expire_at)).toEqual([
    '2026-11-26T11:00:00Z',
    '2026-11-26T12:00:00Z',
  ]);
  const moved = await createDispatcher('https://other.example.net').attempt(first);
  const origins = [second, moved].map(({ view }) => new URL(view.raw?.url ?? '').origin);
  expect(origins).toEqual(['https://s3.example.com', 'https://s3.example.com']);
});

test('an attempt that is repeated after a crash stores the files under the same keys', async () => {
  const dispatcher = createDispatcher('https://s3.example.com');
  const [before, after] = [await dispatcher.attempt(), await dispatcher.attempt()];
  expect(dispatcher.folders).toHaveLength(2);
  expect(after.files).toEqual(before.files);
  expect(after.view.raw?.key).toBe(`inlet/${EVENT.address_id}/${EVENT.event_id}/raw.eml`);
});
