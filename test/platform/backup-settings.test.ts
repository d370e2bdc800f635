/** The API does not start with settings of a bucket for backups that do not work. */
import { expect, test } from 'vitest';

import { readConfig } from '../../services/adapters/process/config.ts';
import { ApiConfig } from '../../services/api/process/config.ts';

const settings = {
  INBOUND_DOMAIN: 'in.example',
  SECRET_KEYS: Buffer.alloc(32).toString('base64'),
  BACKUP_BUCKET: '{"endpoint":"http://minio:9000","bucket":"inlet"}',
  BACKUP_ACCESS_KEY_ID: 'a',
  BACKUP_SECRET_ACCESS_KEY: 'b',
  BACKUP_MAX_AGE: '26h',
};

test.each([
  [
    'BACKUP_BUCKET',
    '{"endpoint":"http://minio:9000/s3","bucket":"inlet"}',
    'BACKUP_BUCKET.endpoint: must be an origin, without a path',
  ],
  ['BACKUP_BUCKET', '{"endpoint":"http://minio:9000"}', 'BACKUP_BUCKET.bucket: '],
  ['BACKUP_BUCKET', 'inlet', 'BACKUP_BUCKET: must be JSON (docs/backup-and-restore.md)'],
  ['BACKUP_SECRET_ACCESS_KEY', '', 'BACKUP_BUCKET: must be set together'],
  ['BACKUP_BUCKET', '', 'BACKUP_MAX_AGE: needs the bucket that has the backups'],
])('%s cannot be "%s": %s', (name, value, fault) => {
  expect(() => readConfig(ApiConfig, settings)).not.toThrow();
  expect(() => readConfig(ApiConfig, { ...settings, [name]: value })).toThrow(fault);
});
