/** What of an email is stored in a customer's bucket, in the payload settings of a receiver. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { BucketName } from './bucket.ts';
import type { StorageOrder } from './stored-files.ts';

const FILES = ['raw', 'attachments'] as const;

/** Seven days: the S3 API allows no more. */
const LINK_HOURS_MAX = 168;

const LinkHours = z.int().min(1).max(LINK_HOURS_MAX).nullable();
const LINKS = 'each attempt has fresh links to the files that work so long; null: no links';

export const StorageSettings = z.object({
  bucket: BucketName.describe('name of the bucket in Inlet'),
  what: z.array(z.enum(FILES)).min(1).max(FILES.length).describe('which files of the email'),
  link_hours: LinkHours.default(null).describe(LINKS),
});
export type StorageSettings = z.infer<typeof StorageSettings>;
describeSchema(StorageSettings, 'StorageSettings', {
  bucket: 'archive',
  what: ['attachments'],
  link_hours: null,
});

/** As a request has it. */
export const StorageRequest = z
  .strictObject({
    bucket: StorageSettings.shape.bucket,
    what: StorageSettings.shape.what,
    link_hours: LinkHours.optional().describe(`${LINKS}; default: null`),
  })
  .transform(({ link_hours = null, ...requested }): StorageSettings => ({
    ...requested,
    link_hours,
  }));

/** Undefined when nothing of this email is to be stored. */
export function storageOrder(
  settings: StorageSettings | null,
  attachmentCount: number,
): StorageOrder | undefined {
  if (settings === null) return undefined;
  const { bucket, what, link_hours } = settings;
  const raw = what.includes('raw');
  const attachments = attachmentCount > 0 && what.includes('attachments');
  if (!raw && !attachments) return undefined;
  return { bucket, raw, attachments, attachment_count: attachmentCount, link_hours };
}
