/** M.1: the files of an email over several attempts, and when their bucket moves (D80). */
import { expect, test } from 'vitest';

import type { Bucket, BucketAccess } from '../../../../services/core/bucket/bucket.ts';
import type { StorageView, StoredFiles } from '../../../../services/core/bucket/stored-files.ts';
import {
  createDeleteFiles,
  createStoreFiles,
} from '../../../../services/dispatcher/attempt/files/file-storage.ts';
import type { Uploads } from '../../../../services/dispatcher/attempt/files/uploads.ts';
import { mailEvent } from '../../../support/mail-events.ts';
import { newAddress } from '../../../support/new-address.ts';

const address = newAddress('https://receiver.example/');
const BUCKET: Bucket = {
  id: 'bkt_1',
  account_id: address.account_id,
  environment: address.environment,
  name: 'files',
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  bucket: 'new-mail',
  region: 'eu-central-1',
  prefix: 'inlet/',
  addressing: 'path',
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  description: null,
  created_at: new Date(),
  updated_at: new Date(),
};
const FILES: StoredFiles = {
  name: 'files',
  endpoint: 'https://s3.us-west-2.amazonaws.com',
  bucket: 'old-mail',
  region: 'us-west-2',
  addressing: 'host',
  folder: 'addr_1/evt_1/',
  raw: { sha256: 'ab', size_bytes: 4 },
};
const buckets = { get: () => Promise.resolve(BUCKET) };
const ORDER = { bucket: 'files', raw: true, attachments: false, link_hours: 1 };
const HOUR_MS = 3_600_000;

/** A dispatcher that stores an email, and the folders that it stored. */
function createDispatcher() {
  const event = { ...mailEvent(address, new Date('2026-11-26T10:00:00Z')), storage: ORDER };
  const folders: string[] = [];
  const upload: Uploads['upload'] = ({ folder }) => {
    folders.push(folder);
    return Promise.resolve({ kind: 'stored', files: { raw: { sha256: 'ab', size_bytes: 4 } } });
  };
  let nowMs = event.received_at_ms;
  const storeFiles = createStoreFiles({ buckets, uploads: { upload } }, () => new Date(nowMs));
  return {
    event,
    folders,
    passHour: () => (nowMs += HOUR_MS),
    /** @param stored what the record has of an earlier attempt */
    attempt: async (stored?: StoredFiles) => {
      const result = await storeFiles(event, stored);
      if ('failure' in result) throw new Error(result.failure.error ?? '');
      return { files: result.files, view: JSON.parse(result.json) as StorageView };
    },
  };
}

test('each attempt has new links to files that were stored once, where they were stored', async () => {
  const dispatcher = createDispatcher();
  const first = await dispatcher.attempt();
  dispatcher.passHour();
  const second = await dispatcher.attempt(first.files);
  expect(dispatcher.folders).toHaveLength(1);
  expect([first, second].map(({ view }) => view.urls_expire_at)).toEqual([
    '2026-11-26T11:00:00Z',
    '2026-11-26T12:00:00Z',
  ]);
  const moved = await dispatcher.attempt({ ...first.files, endpoint: 'https://other.example.net' });
  const origins = [second, moved].map(({ view }) => new URL(view.raw?.url ?? '').origin);
  expect(origins).toEqual([BUCKET.endpoint, 'https://other.example.net']);
});

test('an attempt that is repeated after a crash stores the files under the same keys', async () => {
  const dispatcher = createDispatcher();
  const [before, after] = [await dispatcher.attempt(), await dispatcher.attempt()];
  expect(dispatcher.folders).toHaveLength(2);
  expect(after.files).toEqual(before.files);
  const { address_id, event_id } = dispatcher.event;
  expect(after.view.raw?.key).toBe(`inlet/${address_id}/${event_id}/raw.eml`);
});

test('M.1: a bucket that moved: files from before are linked and deleted in their region', async () => {
  const removedAt: BucketAccess[] = [];
  const uploads = {
    upload: () => Promise.reject(new Error('stored already')),
    remove: ({ access }: { access: BucketAccess }) => {
      removedAt.push(access);
      return Promise.resolve(undefined);
    },
  };
  const event = { ...mailEvent(address, new Date()), storage: ORDER };
  const result = await createStoreFiles({ buckets, uploads }, () => new Date())(event, FILES);
  if ('failure' in result) throw new Error(result.failure.error ?? '');
  const { raw } = JSON.parse(result.json) as { raw: { url: string } };
  const link = new URL(raw.url);
  expect(link.host + link.pathname).toBe(
    'old-mail.s3.us-west-2.amazonaws.com/addr_1/evt_1/raw.eml',
  );
  expect(link.searchParams.get('X-Amz-Credential')).toContain('/us-west-2/s3/');
  const erased = { ...address, address_id: address.id, event_id: event.event_id, failures: 0 };
  const deleteFiles = createDeleteFiles({ buckets, uploads });
  expect(await deleteFiles({ ...erased, files: FILES })).toBeUndefined();
  expect(removedAt).toMatchObject([
    { bucket: 'old-mail', region: 'us-west-2', addressing: 'host' },
  ]);
});

test('D168: files of an upload that stopped half-way are deleted by keys that follow from the email', async () => {
  const removed: string[][] = [];
  const uploads = {
    remove: ({ keys }: { keys: string[] }) => {
      removed.push(keys);
      return Promise.resolve(undefined);
    },
  };
  const event = mailEvent(address, new Date());
  const deleteFiles = createDeleteFiles({ buckets, uploads });
  const of = { ...event, email: { address_id: 'addr_of_email', event_id: 'evt_of_email' } };
  const order = { ...ORDER, raw: true, attachments: true, attachment_count: 2 };
  for (const files of [
    { ...of, order },
    { ...of, order: { ...order, attachments: false } },
  ])
    await deleteFiles({ ...files, failures: 0, files: undefined });
  const folder = `inlet/addr_of_email/${event.event_id}/`;
  expect(removed).toEqual([
    [`${folder}raw.eml`, `${folder}attachments/0`, `${folder}attachments/1`],
    [`${folder}raw.eml`],
  ]);
});
