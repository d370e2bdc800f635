/** What runs in the thread that stores files in customers' buckets: see uploads.ts. */
import { BucketFault, createBucketClient } from '../../../adapters/bucket/bucket-client.ts';
import type { AgentOptions } from '../../../adapters/http/agents.ts';
import { serveJobs, threadData } from '../../../adapters/threads/serve-jobs.ts';
import type { NatsOptions } from '../../../adapters/stream/connection/connection.ts';
import { openObject, type StoredBytes } from '../../../adapters/stream/objects/object-reader.ts';
import { threadStreams } from '../../../adapters/stream/thread-connection.ts';
import type { ContentKeys } from '../../../core/secret/content-key.ts';
import type { BucketAccess } from '../../../core/bucket/bucket.ts';
import {
  attachmentKey,
  rawKey,
  type StoredFile,
  type StoredFiles,
} from '../../../core/bucket/stored-files.ts';
import {
  attachmentsFile,
  readLinkedAttachments,
} from '../../../core/webhook/linked-attachments.ts';
import { type Fault, orFault } from '../../outcome/thread-faults.ts';
import { createUploadPlaces } from './upload-places.ts';

export type UploadOptions = { nats: NatsOptions; http: Omit<AgentOptions, 'lookup'> };

export type UploadTask = {
  access: BucketAccess;
  accountId: string;
  /** Decrypt what is stored, if that is encrypted. */
  contentKeys: ContentKeys | undefined;
  folder: string;
  eventId: string;
  raw: boolean;
  attachments: boolean;
};

/** `gone`: Inlet no longer has the files. `failed`: with a text for the customer. */
export type UploadResult =
  | { kind: 'stored'; files: Pick<StoredFiles, 'raw' | 'attachments'> }
  | { kind: 'gone' }
  | { kind: 'failed'; error: string };

const options = threadData as UploadOptions;
const streams = threadStreams(options.nats);
const client = createBucketClient(options.http);

/** Each holds up to 16 MiB in memory. */
const inPlace = createUploadPlaces(4);

export const upload = (task: UploadTask): Promise<UploadResult | Fault> => orFault(uploaded(task));

async function uploaded(task: UploadTask): Promise<UploadResult> {
  try {
    return await inPlace(task.accountId, () => store(task));
  } catch (error) {
    if (error instanceof BucketFault) return { kind: 'failed', error: error.message };
    throw error;
  }
}

export type RemovalTask = { access: BucketAccess; keys: string[] };

/** @returns why it failed; undefined when all are removed */
export async function remove({ access, keys }: RemovalTask): Promise<string | undefined> {
  try {
    for (const key of keys) await client.remove(access, key);
    return undefined;
  } catch (error) {
    if (error instanceof BucketFault) return error.message;
    throw error;
  }
}

async function store(task: UploadTask): Promise<UploadResult> {
  const { access, folder, eventId } = task;
  const { manager, linked } = await streams();
  const open = (name: string): Promise<StoredBytes | undefined> =>
    openObject(manager, linked, name, () => task.contentKeys);
  const raw = task.raw ? await open(eventId) : undefined;
  const files = task.attachments ? await open(attachmentsFile(eventId)) : undefined;
  if ((task.raw && !raw) || (task.attachments && !files)) return { kind: 'gone' };
  const storedRaw = raw && (await client.put(access, rawKey(folder), raw.chunks));
  const attachments: StoredFile[] = [];
  if (files)
    for await (const { content } of readLinkedAttachments(files.chunks))
      attachments.push(
        await client.put(access, attachmentKey(folder, attachments.length), content),
      );
  const stored = { ...(storedRaw && { raw: storedRaw }), ...(files && { attachments }) };
  return { kind: 'stored', files: stored };
}

serveJobs({ upload, remove });
