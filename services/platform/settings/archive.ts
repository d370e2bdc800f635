/** The settings of the archive: the API writes it, `inlet admin archive` reads it. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

import { type ArchiveFiles, createArchiveFiles } from '../../adapters/bucket/archive-files.ts';
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

/** Where the archive is. */
export const ArchiveConfig = {
  ARCHIVE_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .refine((text) => /^https?:\/\/[^/?#@]+\/?$/i.test(text), {
      message: 'must be an origin, without a path', // objects are directly below it
    })
    .optional()
    .describe(
      'URL of the S3 API of the bucket for old records and backups, such as ' +
        'https://s3.eu-central-1.amazonaws.com; it may be inside the cluster',
    ),
  ARCHIVE_BUCKET: RemoteName.optional().describe('name of that bucket'),
  ARCHIVE_REGION: Region.default('auto').describe(
    'region that is signed, such as eu-central-1; auto for R2, GCS and most others',
  ),
  ARCHIVE_PREFIX: Prefix.default('').describe(
    'begins the name of each file, such as inlet/: folders, each with a slash at its end',
  ),
  ARCHIVE_ADDRESSING: z
    .enum(ADDRESSINGS)
    .default('path')
    .describe('where a URL names the bucket: path, or host for before the host of the endpoint'),
  ARCHIVE_ACCESS_KEY_ID: Key.optional().describe(
    'of an identity that may put, get and delete objects of that bucket',
  ),
  ARCHIVE_SECRET_ACCESS_KEY: Key.optional().describe('secret of that key'),
  ARCHIVE_CA_FILE: z
    .string()
    .optional()
    .describe('PEM file of a private authority that signed the certificate of ARCHIVE_ENDPOINT'),
};
export type ArchiveConfig = z.output<z.ZodObject<typeof ArchiveConfig>>;

const DAY_MS = 86_400_000;
/** A record must outlive the content of its email, so that this can be erased and replayed. */
const RETENTION_MIN_MS = 31 * DAY_MS;

export const RecordsConfig = {
  RECORDS_RETENTION: Duration.refine((ms) => ms >= RETENTION_MIN_MS, {
    message: 'must be at least 31d',
  })
    .optional()
    .describe(
      'how long records of deliveries are stored in MongoDB before they are archived, at least 31d and no shorter ' +
        'than EVENTS_RETENTION, REPLAY_RETENTION, FAILED_RETENTION and LINK_LIFETIME; forever when unset',
    ),
  BACKUP_MAX_AGE: Duration.optional().describe(
    'age of the newest backup in the bucket of the archive above which InletBackupOld fires; the bucket is not ' +
      'watched when unset',
  ),
};
type RecordsConfig = z.output<z.ZodObject<typeof RecordsConfig>>;

export const archiveIsWhole = ({
  ARCHIVE_ENDPOINT,
  ARCHIVE_BUCKET,
  ARCHIVE_ACCESS_KEY_ID,
  ARCHIVE_SECRET_ACCESS_KEY,
}: ArchiveConfig): boolean =>
  new Set(
    [ARCHIVE_ENDPOINT, ARCHIVE_BUCKET, ARCHIVE_ACCESS_KEY_ID, ARCHIVE_SECRET_ACCESS_KEY].map(
      (value) => value === undefined,
    ),
  ).size === 1;
/** The fault when it is not. */
export const ARCHIVE_TOGETHER = {
  path: ['ARCHIVE_ENDPOINT'],
  message:
    'must be set together with ARCHIVE_BUCKET, ARCHIVE_ACCESS_KEY_ID and ARCHIVE_SECRET_ACCESS_KEY, or none of them',
};

export const recordsHaveArchive = ({
  RECORDS_RETENTION,
  ARCHIVE_ENDPOINT,
}: RecordsConfig & ArchiveConfig): boolean =>
  RECORDS_RETENTION === undefined || ARCHIVE_ENDPOINT !== undefined;
export const backupsHaveBucket = ({
  BACKUP_MAX_AGE,
  ARCHIVE_ENDPOINT,
}: RecordsConfig & ArchiveConfig): boolean =>
  BACKUP_MAX_AGE === undefined || ARCHIVE_ENDPOINT !== undefined;
export const BACKUPS_NEED_BUCKET = {
  path: ['BACKUP_MAX_AGE'],
  message: 'needs the bucket that has the backups (ARCHIVE_ENDPOINT)',
};
export const RECORDS_NEED_ARCHIVE = {
  path: ['RECORDS_RETENTION'],
  message: 'needs a bucket for the records (ARCHIVE_ENDPOINT): they are never deleted without one',
};

/** What is stored of an email or about it. Without a record, it can neither be replayed nor erased. */
type ContentTimes = Record<
  'EVENTS_RETENTION' | 'REPLAY_RETENTION' | 'FAILED_RETENTION' | 'LINK_LIFETIME',
  number
>;
export const recordsOutliveContents = ({
  RECORDS_RETENTION = Infinity,
  EVENTS_RETENTION,
  REPLAY_RETENTION,
  FAILED_RETENTION,
  LINK_LIFETIME,
}: RecordsConfig & ContentTimes): boolean =>
  RECORDS_RETENTION >=
  Math.max(EVENTS_RETENTION, REPLAY_RETENTION, FAILED_RETENTION, LINK_LIFETIME);
export const RECORDS_OUTLIVE_CONTENTS = {
  path: ['RECORDS_RETENTION'],
  message:
    'must be no shorter than EVENTS_RETENTION, REPLAY_RETENTION, FAILED_RETENTION and LINK_LIFETIME',
};

/** Undefined without a bucket. */
export async function openArchive(config: ArchiveConfig): Promise<ArchiveFiles | undefined> {
  const found = await bucketOf(config);
  return found && createArchiveFiles(found.access, found);
}

/** Backups are in the bucket of the archive. Undefined without one. */
export async function openBackups(config: ArchiveConfig): Promise<BackupFiles | undefined> {
  const found = await bucketOf(config);
  return found && createBackupFiles(found.access, config.ARCHIVE_PREFIX, found);
}

async function bucketOf(
  config: ArchiveConfig,
): Promise<{ access: BucketAccess; extraCa: string[] } | undefined> {
  const { ARCHIVE_ENDPOINT, ARCHIVE_BUCKET, ARCHIVE_CA_FILE: caFile } = config;
  const { ARCHIVE_ACCESS_KEY_ID, ARCHIVE_SECRET_ACCESS_KEY } = config;
  if (!ARCHIVE_ENDPOINT || !ARCHIVE_BUCKET) return undefined;
  if (!ARCHIVE_ACCESS_KEY_ID || !ARCHIVE_SECRET_ACCESS_KEY) return undefined;
  const access = {
    endpoint: ARCHIVE_ENDPOINT,
    bucket: ARCHIVE_BUCKET,
    region: config.ARCHIVE_REGION,
    addressing: config.ARCHIVE_ADDRESSING,
    access_key_id: ARCHIVE_ACCESS_KEY_ID,
    secret_access_key: ARCHIVE_SECRET_ACCESS_KEY,
  };
  return { access, extraCa: caFile === undefined ? [] : [await readFile(caFile, 'utf8')] };
}
