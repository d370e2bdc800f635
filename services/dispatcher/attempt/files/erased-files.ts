/** Deletes the files of erased emails from customers' buckets. Every dispatcher may do this. */
import type { Log } from '../../../adapters/process/log.ts';
import type { StartSweep } from '../../../adapters/process/sweeps.ts';
import type { FilesToDelete } from '../../../adapters/mongo/delivery/upkeep.ts';
import type { Deliveries } from '../../../adapters/mongo/delivery/deliveries.ts';
import { deletionAfterFailure } from '../../../core/bucket/file-deletion.ts';

type ErasedFileDependencies = {
  deliveries: Pick<Deliveries, 'filesToDelete' | 'filesDeleted' | 'filesNotDeleted'>;
  /** @returns why it failed, for the log; undefined when they are deleted */
  deleteFiles: (files: FilesToDelete) => Promise<string | undefined>;
  startSweep: StartSweep;
};

const ROUND_MS = 60_000;
const EMAILS_TOGETHER = 50;

export const startErasedFiles = (
  { deliveries, deleteFiles, startSweep }: ErasedFileDependencies,
  log: Log,
): Disposable => {
  const deleteThose = async (one: FilesToDelete, now: Date): Promise<void> => {
    const { event_id, failures } = one;
    const error = await deleteFiles(one);
    if (error === undefined) return deliveries.filesDeleted(event_id);
    const next = deletionAfterFailure(failures + 1, now);
    await deliveries.filesNotDeleted(event_id, next);
    log.warn('bucket_files.not_deleted', { event_id, failures: next.failures, reason: error });
  };

  const sweep = startSweep('bucket_files', ROUND_MS, async (now) => {
    for (let isMore = true; isMore;) {
      const due = await deliveries.filesToDelete(now, EMAILS_TOGETHER);
      // at the same time, so that a bucket that hangs holds up the others for one request
      await Promise.all(due.map((one) => deleteThose(one, now)));
      isMore = due.length === EMAILS_TOGETHER; // those that failed are due later
    }
  });
  return { [Symbol.dispose]: () => void sweep[Symbol.asyncDispose]() }; // a stop does not wait for a sweep
};
