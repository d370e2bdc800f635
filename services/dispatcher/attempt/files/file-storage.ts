/**
 * Stores the files of an email in the bucket of its customer before the receiver is called, once for
 * all attempts, and describes them for the payload (D80).
 */
import { objectLink } from '../../../core/bucket/signature.ts';
import type { WebhookResult } from '../../../adapters/http/webhook.ts';
import type { FilesToDelete } from '../../../adapters/mongo/delivery/upkeep.ts';
import type { ContentKeys } from '../../../core/secret/content-key.ts';
import { type Bucket, type BucketAccess, bucketKey } from '../../../core/bucket/bucket.ts';
import {
  folderOf,
  storedFileKeys,
  possibleKeysOf,
  type StorageOrder,
  type StoredFiles,
  storageView,
} from '../../../core/bucket/stored-files.ts';
import { addressIdOfEvent, type MailEvent } from '../../../core/delivery/mail-event.ts';
import { timestamp } from '../../../core/time/timestamp.ts';
import type { Directory } from '../../../platform/address-directory.ts';
import type { Uploads } from './uploads.ts';
import { storableJson } from '../../../core/text/text.ts';

export type FilesOfAttempt = {
  files: StoredFiles;
  /** JSON of `metadata.storage`. */
  json: string;
};

/** @param stored by an earlier attempt */
export type StoreFiles = (
  event: MailEvent & { storage: StorageOrder },
  stored: StoredFiles | undefined,
  /** Undefined when they are not encrypted. */
  contentKeys?: ContentKeys,
) => Promise<FilesOfAttempt | { failure: WebhookResult }>;

const HOUR_SECONDS = 3_600;

/** Deletes files. @returns why it failed, for the log; undefined when they are deleted */
export const createDeleteFiles =
  (io: { buckets: Pick<Directory<Bucket>, 'get'>; uploads: Pick<Uploads, 'remove'> }) =>
  async (of: FilesToDelete): Promise<string | undefined> => {
    const name = of.files === undefined ? of.order.bucket : of.files.name;
    const bucket = await io.buckets.get(bucketKey(of, name));
    if (bucket === undefined) return `there is no bucket ${name}`;
    if (of.files !== undefined)
      return io.uploads.remove({
        access: accessTo(bucket, of.files),
        keys: storedFileKeys(of.files),
      });
    const folder = folderOf(bucket, { ...of, address_id: addressIdOfEvent(of) });
    return io.uploads.remove({ access: accessOf(bucket), keys: possibleKeysOf(folder, of.order) });
  };

export function createStoreFiles(
  io: { buckets: Pick<Directory<Bucket>, 'get'>; uploads: Pick<Uploads, 'upload'> },
  clock: () => Date,
): StoreFiles {
  /** @throws nothing that the customer could mend: that is a failure */
  const uploaded = async (
    event: MailEvent & { storage: StorageOrder },
    bucket: Bucket,
    contentKeys: ContentKeys | undefined,
  ): Promise<StoredFiles | { failure: WebhookResult }> => {
    const startedMs = performance.now();
    const folder = folderOf(bucket, { ...event, address_id: addressIdOfEvent(event) });
    const { raw, attachments } = event.storage;
    const { event_id: eventId } = event;
    const access = accessOf(bucket);
    const order = { accountId: event.account_id, contentKeys, folder, eventId, raw, attachments };
    const result = await io.uploads.upload({ access, ...order });
    if (result.kind === 'stored') {
      const { name, endpoint, bucket: remote, region, addressing } = bucket;
      return { name, endpoint, bucket: remote, region, addressing, folder, ...result.files };
    }
    if (result.kind === 'gone') return { failure: GONE };
    return { failure: failed(`bucket ${bucket.name}: ${result.error}`, startedMs) };
  };

  const linksTo = (files: StoredFiles, access: BucketAccess, hours: number) => {
    const seconds = hours * HOUR_SECONDS;
    const now = clock();
    const links = storedFileKeys(files).map(
      (key) => [key, objectLink(access, key, seconds, now)] as const,
    );
    return { urls: new Map(links), expireAt: timestamp(new Date(now.getTime() + seconds * 1000)) };
  };

  return async function storeFiles(event, stored, contentKeys) {
    const { bucket: name, link_hours } = event.storage;
    const bucket = await io.buckets.get(bucketKey(event, name));
    if (bucket === undefined)
      return { failure: failed(`there is no bucket ${name}`, performance.now()) };
    const files = stored ?? (await uploaded(event, bucket, contentKeys));
    if ('failure' in files) return files;
    const access = accessTo(bucket, files);
    const links = link_hours === null ? undefined : linksTo(files, access, link_hours);
    return { files, json: storableJson(storageView(files, links)) };
  };
}

/** Without what must not be sent to the thread, such as dates. */
const accessOf = ({
  endpoint,
  bucket,
  region,
  addressing,
  access_key_id,
  secret_access_key,
}: Bucket) => ({ endpoint, bucket, region, addressing, access_key_id, secret_access_key });

/** To files that are where the bucket was at the time. */
const accessTo = (
  bucket: Bucket,
  { endpoint, bucket: remote, region, addressing }: StoredFiles,
): BucketAccess => ({ ...accessOf(bucket), endpoint, bucket: remote, region, addressing });

const failed = (error: string, startedMs: number): WebhookResult => ({
  outcome: { kind: 'storage_failed' },
  durationMs: Math.round(performance.now() - startedMs),
  excerpt: null,
  error,
});

const GONE: WebhookResult = {
  outcome: { kind: 'blocked', reason: 'the files are no longer stored' },
  durationMs: 0,
  excerpt: null,
  error: 'the files for the bucket are no longer stored',
};
