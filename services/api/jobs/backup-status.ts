/** Reads the list of backups in the operator's bucket, so that an alert can tell when there is no new one. */
import type { BackupFiles } from '../../adapters/bucket/backup-files.ts';
import type { StartSweep } from '../../adapters/process/sweeps.ts';
import { newestBackup } from '../../core/backup/backup-index.ts';
import type { ApiMetrics } from '../process/metrics.ts';

type BackupStatusDependencies = {
  /** Disposed with the job. */
  files: Pick<BackupFiles, 'readIndex' | typeof Symbol.asyncDispose>;
  metrics: Pick<ApiMetrics, 'backups'>;
  startSweep: StartSweep;
};

const EVERY_MS = 300_000;

/** @param maxAgeMs BACKUP_MAX_AGE */
export function startBackupStatus(
  { files, metrics, startSweep }: BackupStatusDependencies,
  maxAgeMs: number,
  everyMs = EVERY_MS,
): AsyncDisposable {
  const { maxAge, lastSuccess, lastDrill, size, duration } = metrics.backups;
  maxAge.set(maxAgeMs / 1_000);
  const sweep = startSweep('backup_status', everyMs, async () => {
    const index = await files.readIndex();
    const newest = newestBackup(index);
    lastSuccess.set(secondsOf(newest?.created_at));
    lastDrill.set(secondsOf(index.drilled_at));
    size.set(newest?.size_bytes ?? 0);
    duration.set(newest?.duration_seconds ?? 0);
  });
  async function stopBackupStatus(): Promise<void> {
    await sweep[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  }
  return { [Symbol.asyncDispose]: stopBackupStatus };
}

const secondsOf = (time: string | null | undefined): number =>
  time ? Date.parse(time) / 1_000 : 0;
