/** The settings of backups in a bucket: `inlet admin backup` stores them there, the API watches their age. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

import { type BackupFiles, createBackupFiles } from '../../adapters/bucket/backup-files.ts';
import {
  ADDRESSINGS,
  type BucketAccess,
  Prefix,
  Region,
  RemoteName,
} from '../../core/bucket/bucket.ts';
import { Json } from '../../adapters/process/config.ts';
import { Duration } from '../../core/time/duration.ts';

const Key = z.string().regex(/^[!-~]+$/, 'must be printable ASCII characters without spaces');

/** A bucket with an S3 API. It may be inside the cluster. */
const Place = z.strictObject({
  endpoint: z
    .url({ protocol: /^https?$/ })
    .refine((text) => /^https?:\/\/[^/?#@]+\/?$/i.test(text), {
      message: 'must be an origin, without a path', // objects are directly below it
    }),
  bucket: RemoteName,
  region: Region.default('auto'),
  prefix: Prefix.default(''),
  addressing: z.enum(ADDRESSINGS).default('path'),
});

/** Where the backups are. */
export const BackupConfig = {
  BACKUP_BUCKET: Json(Place, 'backup-and-restore.md')
    .optional()
    .describe(
      'JSON with endpoint, bucket, region, prefix and addressing of the bucket for backups: see ' +
        'docs/backup-and-restore.md',
    ),
  BACKUP_ACCESS_KEY_ID: Key.optional().describe(
    'of an identity that may put, get and delete objects of that bucket',
  ),
  BACKUP_SECRET_ACCESS_KEY: Key.optional().describe('secret of that key'),
  BACKUP_CA_FILE: z
    .string()
    .optional()
    .describe('PEM file of a private authority that signed the certificate of that endpoint'),
  BACKUP_MAX_AGE: Duration.optional().describe(
    'age of the newest backup in that bucket above which InletBackupOld fires; the bucket is not watched ' +
      'when unset',
  ),
};
export type BackupConfig = z.output<z.ZodObject<typeof BackupConfig>>;

export const backupIsWhole = ({
  BACKUP_BUCKET,
  BACKUP_ACCESS_KEY_ID,
  BACKUP_SECRET_ACCESS_KEY,
}: BackupConfig): boolean =>
  new Set(
    [BACKUP_BUCKET, BACKUP_ACCESS_KEY_ID, BACKUP_SECRET_ACCESS_KEY].map(
      (value) => value === undefined,
    ),
  ).size === 1;
/** The fault when it is not. */
export const BACKUP_TOGETHER = {
  path: ['BACKUP_BUCKET'],
  message:
    'must be set together with BACKUP_ACCESS_KEY_ID and BACKUP_SECRET_ACCESS_KEY, or none of them',
};

export const backupsHaveBucket = ({ BACKUP_MAX_AGE, BACKUP_BUCKET }: BackupConfig): boolean =>
  BACKUP_MAX_AGE === undefined || BACKUP_BUCKET !== undefined;
export const BACKUPS_NEED_BUCKET = {
  path: ['BACKUP_MAX_AGE'],
  message: 'needs the bucket that has the backups (BACKUP_BUCKET)',
};

/** Undefined without a bucket. @param keys SECRET_KEYS, which sign the list */
export async function openBackups(
  {
    BACKUP_BUCKET,
    BACKUP_ACCESS_KEY_ID,
    BACKUP_SECRET_ACCESS_KEY,
    BACKUP_CA_FILE: caFile,
  }: BackupConfig,
  keys: readonly Uint8Array[],
): Promise<BackupFiles | undefined> {
  if (!BACKUP_BUCKET || !BACKUP_ACCESS_KEY_ID || !BACKUP_SECRET_ACCESS_KEY) return undefined;
  const { prefix, ...place } = BACKUP_BUCKET;
  const access: BucketAccess = {
    ...place,
    access_key_id: BACKUP_ACCESS_KEY_ID,
    secret_access_key: BACKUP_SECRET_ACCESS_KEY,
  };
  const extraCa = caFile === undefined ? [] : [await readFile(caFile, 'utf8')];
  return createBackupFiles(access, prefix, keys, { extraCa });
}
