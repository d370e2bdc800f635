/**
 * The files of an email in a customer's bucket: their keys, what the record says about them, and what
 * the payload does.
 */
import { z } from 'zod';

import type { BucketRecord } from './bucket.ts';

/** What dispatchers store of an email, as its event says. */
export const StorageOrder = z.object({
  /** Name of the bucket in Inlet. */
  bucket: z.string(),
  raw: z.boolean(),
  /** False also for an email without attachments. */
  attachments: z.boolean(),
  /** Absent in events of earlier releases. */
  attachment_count: z.int().optional(),
  /** Hours for which links work; null for no links. */
  link_hours: z.int().nullable(),
});
export type StorageOrder = z.infer<typeof StorageOrder>;

export type StoredFile = {
  /** In hex. */
  sha256: string;
  size_bytes: number;
};

/** In the record of a delivery: where its files are. */
export type StoredFiles = {
  /** Name of the bucket in Inlet. */
  name: string;
  endpoint: string;
  bucket: string;
  /** As the bucket had them then. */
  region: string;
  addressing: BucketRecord['addressing'];
  /** Begins each key. */
  folder: string;
  raw?: StoredFile;
  /** In the order of the payload. */
  attachments?: StoredFile[];
};

type OfEmail = { event_id: string; address_id: string };

/**
 * The place of an email's files. It has only ids: a file name is chosen by the sender, and could
 * overwrite the file of another email.
 * @param address_id of the address, also for a further receiver
 */
export const folderOf = (
  { prefix }: Pick<BucketRecord, 'prefix'>,
  { event_id, address_id }: OfEmail,
): string => `${prefix}${address_id}/${event_id}/`;

export const rawKey = (folder: string): string => `${folder}raw.eml`;
export const attachmentKey = (folder: string, index: number): string =>
  `${folder}attachments/${index}`;

export const storedFileKeys = ({ folder, raw, attachments = [] }: StoredFiles): string[] => [
  ...(raw ? [rawKey(folder)] : []),
  ...attachments.map((_, index) => attachmentKey(folder, index)),
];

/** Keys of files that an email may have stored. It is no error if some of them do not exist. */
export const possibleKeysOf = (
  folder: string,
  { raw, attachments, attachment_count = 0 }: StorageOrder,
): string[] => [
  ...(raw ? [rawKey(folder)] : []),
  ...Array.from({ length: attachments ? attachment_count : 0 }, (_, index) =>
    attachmentKey(folder, index),
  ),
];

const FileInBucket = z.object({
  key: z.string(),
  sha256: z.string().describe('digest of the content, in hex'),
  size_bytes: z.int(),
  url: z.string().optional().describe('link to the file, when the receiver asks for links'),
});

export const StorageView = z.object({
  name: z.string().describe('of the bucket in Inlet'),
  endpoint: z.string(),
  bucket: z.string().describe('its name at the provider'),
  raw: FileInBucket.optional().describe('the raw email; absent unless it is stored'),
  attachments: z
    .array(FileInBucket)
    .optional()
    .describe('in the order of `attachments`; absent unless they are stored'),
  urls_expire_at: z.string().optional().describe('absent without links'),
});
export type StorageView = z.infer<typeof StorageView>;

/** Links of an attempt. */
type Links = { urls: ReadonlyMap<string, string>; expireAt: string };

/** @param links absent for a payload without links */
export function storageView(
  { name, endpoint, bucket, folder, raw, attachments }: StoredFiles,
  links?: Links,
): StorageView {
  const view = (key: string, file: StoredFile) => {
    const url = links?.urls.get(key);
    return { key, ...file, ...(url !== undefined && { url }) };
  };
  return {
    name,
    endpoint,
    bucket,
    ...(raw && { raw: view(rawKey(folder), raw) }),
    ...(attachments && {
      attachments: attachments.map((file, index) => view(attachmentKey(folder, index), file)),
    }),
    ...(links && { urls_expire_at: links.expireAt }),
  };
}
