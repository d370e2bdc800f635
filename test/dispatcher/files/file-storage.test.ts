/** M.1: files stay where their bucket was when they were stored (D80). */
import { expect, test } from 'vitest';

import type { Bucket, BucketAccess } from '../../../services/core/bucket/bucket.ts';
import type { StoredFiles } from '../../../services/core/bucket/stored-files.ts';
import {
  createDeleteFiles,
  createStoreFiles,
} from '../../../services/dispatcher/files/file-storage.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/pipeline.ts';

const address = newAddress('https://receiver.example/');
const BUCKET: Bucket = {
  id: 'bkt_1',
  account_id: address.account_id,
  environment: address.environment,
  name: 'files',
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  bucket: 'new-mail',
  region: 'eu-central-1',
  prefix: '',
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

test('M.1: a bucket that moved: files from before are linked and deleted in their region', async () => {
  const removedAt: BucketAccess[] = [];
  const uploads = {
    upload: () => Promise.reject(new Error('stored already')),
    remove: ({ access }: { access: BucketAccess }) => {
      removedAt.push(access);
      return Promise.resolve(undefined);
    },
  };
  const order = { bucket: 'files', raw: true, attachments: false, link_hours: 1 };
  const event = { ...mailEvent(address, new Date()), storage: order };
  const result = await createStoreFiles({ buckets, uploads }, () => new Date())(event, FILES);
  if ('failure' in result) throw new Error(result.failure.error ?? '');
  const { raw } = JSON.parse(result.json) as { raw: { url: string } };
  const link = new URL(raw.url);
  expect(link.host + link.pathname).toBe(
    'old-mail.s3.us-west-2.amazonaws.com/addr_1/evt_1/raw.eml',
  );
  expect(link.searchParams.get('X-Amz-Credential')).toContain('/us-west-2/s3/');
  expect(await createDeleteFiles({ buckets, uploads })(address, FILES)).toBeUndefined();
  expect(removedAt).toMatchObject([
    { bucket: 'old-mail', region: 'us-west-2', addressing: 'host' },
  ]);
});
