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
import { Duration } from '../../core/duration.ts';

const Key = z.string().regex(/^[!-~]+$/, 'must be printable ASCII characters without spaces');

/** Where the backups are. */
export const BackupConfig = {
  BACKUP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .refine((text) => /^https?:\/\/[^/?#@]+\/?$/i.test(text), {
      message: 'must be an origin, without a path', // objects are directly below it
    })
    .optional()
    .describe(
      'URL of the S3 API of the bucket for backups, such as https://s3.eu-central-1.amazonaws.com; it may ' +
        'be inside the cluster',
    ),
  BACKUP_BUCKET: RemoteName.optional().describe('name of that bucket'),
  BACKUP_REGION: Region.default('auto').describe(
    'region that is signed, such as eu-central-1; auto for R2, GCS and most others',
  ),
  BACKUP_PREFIX: Prefix.default('').describe(
    'begins the name of each file, such as inlet/: folders, each with a slash at its end',
  ),
  BACKUP_ADDRESSING: z
    .enum(ADDRESSINGS)
    .default('path')
    .describe('where a URL names the bucket: path, or host for before the host of the endpoint'),
  BACKUP_ACCESS_KEY_ID: Key.optional().describe(
    'of an identity that may put, get and delete objects of that bucket',
  ),
  BACKUP_SECRET_ACCESS_KEY: Key.optional().describe('secret of that key'),
  BACKUP_CA_FILE: z
    .string()
    .optional()
    .describe('PEM file of a private authority that signed the certificate of BACKUP_ENDPOINT'),
  BACKUP_MAX_AGE: Duration.optional().describe(
    'age of the newest backup in that bucket above which InletBackupOld fires; the bucket is not watched ' +
      'when unset',
  ),
};
export type BackupConfig = z.output<z.ZodObject<typeof BackupConfig>>;

export const backupIsWhole = ({
  BACKUP_ENDPOINT,
  BACKUP_BUCKET,
  BACKUP_ACCESS_KEY_ID,
  BACKUP_SECRET_ACCESS_KEY,
}: BackupConfig): boolean =>
  new Set(
    [BACKUP_ENDPOINT, BACKUP_BUCKET, BACKUP_ACCESS_KEY_ID, BACKUP_SECRET_ACCESS_KEY].map(
      (value) => value === undefined,
    ),
  ).size === 1;
/** The fault when it is not. */
export const BACKUP_TOGETHER = {
  path: ['BACKUP_ENDPOINT'],
  message:
    'must be set together with BACKUP_BUCKET, BACKUP_ACCESS_KEY_ID and BACKUP_SECRET_ACCESS_KEY, or none of them',
};

export const backupsHaveBucket = ({ BACKUP_MAX_AGE, BACKUP_ENDPOINT }: BackupConfig): boolean =>
  BACKUP_MAX_AGE === undefined || BACKUP_ENDPOINT !== undefined;
export const BACKUPS_NEED_BUCKET = {
  path: ['BACKUP_MAX_AGE'],
  message: 'needs the bucket that has the backups (BACKUP_ENDPOINT)',
};

/** Undefined without a bucket. */
export async function openBackups(config: BackupConfig): Promise<BackupFiles | undefined> {
  const found = await bucketOf(config);
  return found && createBackupFiles(found.access, config.BACKUP_PREFIX, found);
}

async function bucketOf(
  config: BackupConfig,
): Promise<{ access: BucketAccess; extraCa: string[] } | undefined> {
  const { BACKUP_ENDPOINT, BACKUP_BUCKET, BACKUP_CA_FILE: caFile } = config;
  const { BACKUP_ACCESS_KEY_ID, BACKUP_SECRET_ACCESS_KEY } = config;
  if (!BACKUP_ENDPOINT || !BACKUP_BUCKET) return undefined;
  if (!BACKUP_ACCESS_KEY_ID || !BACKUP_SECRET_ACCESS_KEY) return undefined;
  const access = {
    endpoint: BACKUP_ENDPOINT,
    bucket: BACKUP_BUCKET,
    region: config.BACKUP_REGION,
    addressing: config.BACKUP_ADDRESSING,
    access_key_id: BACKUP_ACCESS_KEY_ID,
    secret_access_key: BACKUP_SECRET_ACCESS_KEY,
  };
  return { access, extraCa: caFile === undefined ? [] : [await readFile(caFile, 'utf8')] };
}
