/**
 * A worker thread copies files of emails to customers' buckets. In the main thread they would delay
 * all other deliveries.
 */
import { createThread } from '../../../adapters/threads/thread.ts';
import { unlessFault } from '../../outcome/thread-faults.ts';
import type * as jobs from './upload-worker.ts';

export type Uploads = AsyncDisposable & {
  /** @throws Unprocessable when a stored file is damaged */
  upload(task: jobs.UploadTask): Promise<jobs.UploadResult>;
  /** @returns why it failed, for the log; undefined when all are removed */
  remove(task: jobs.RemovalTask): Promise<string | undefined>;
};

export function createUploads(options: jobs.UploadOptions): Uploads {
  const file = new URL('upload-worker.ts', import.meta.url);
  const thread = createThread<typeof jobs>(file, options);
  return {
    upload: (task) => unlessFault(thread.run('upload', task)),
    remove: (task) => thread.run('remove', task),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}
