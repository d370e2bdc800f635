/**
 * Moves old records from MongoDB to files in the operator's bucket (D83). A part is stored, read back,
 * and only then are its records deleted: those that the file has, and no others. Each step is noted
 * before the next one, so a process that takes over continues where another one died.
 */
import { randomBytes, randomUUID } from 'node:crypto';

import type { ArchiveFiles } from '../../adapters/bucket/archive-files.ts';
import { BucketFault } from '../../adapters/bucket/bucket-client.ts';
import type { ArchivableRecords } from '../../adapters/mongo/archive/archivable-records.ts';
import type { ArchiveParts } from '../../adapters/mongo/archive/archive-parts.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Elsewhere, StartSweep } from '../../adapters/process/sweeps.ts';
import {
  archivableBefore,
  ARCHIVE_KINDS,
  type ArchiveKind,
  type ArchivePart,
  monthAround,
  PART_RECORDS_MAX,
  partKey,
  settledBefore,
} from '../../core/archive/archive.ts';
import type { ArchivedRecord } from '../../core/archive/archived-record.ts';
import { firstIdAt, ID_RANDOM_BYTES, newId } from '../../core/ids.ts';
import type { ApiMetrics } from '../process/metrics.ts';

type ArchiveSweepDependencies = {
  archiveParts: ArchiveParts;
  archivableRecords: ArchivableRecords;
  /** Disposed with the job. */
  files: ArchiveFiles;
  metrics: Pick<ApiMetrics, 'archivedRecords'>;
  startSweep: StartSweep;
};

type ArchiveSettings = {
  prefix: string;
  /** In milliseconds. */
  retention: Record<ArchiveKind, number>;
  everyMs?: number;
  /** The most records of one file. */
  partRecords?: number;
};

const EVERY_MS = 600_000;
const DELETED_TOGETHER = 500;
/** In one round, so that the time of the last success says something while years of records leave. */
const PARTS_MAX = 50;

export function startArchiveSweep(
  { archiveParts, archivableRecords, files, metrics, startSweep }: ArchiveSweepDependencies,
  { prefix, retention, everyMs = EVERY_MS, partRecords = PART_RECORDS_MAX }: ArchiveSettings,
  log: Log,
): AsyncDisposable {
  const holder = randomUUID();
  let isStopping = false;

  /** Stores the next file. Undefined when no record is old enough. */
  async function storePart(kind: ArchiveKind, now: Date): Promise<ArchivePart | undefined> {
    const before = archivableBefore(now, retention[kind]);
    const unchanged_since = settledBefore(before);
    const found = archivableRecords[kind].records(before, unchanged_since, partRecords);
    const first = (await found.next()).value as ArchivedRecord | undefined;
    if (first === undefined) return undefined;
    const { month, end } = monthAround(first.id);
    const id = newId('part', new Date(), randomBytes(ID_RANDOM_BYTES));
    const key = partKey(prefix, { kind, month, id });
    const facts = { last_id: '', records: 0, size_bytes: 0, sha256: '' };
    const part: ArchivePart = {
      id,
      kind,
      month,
      key,
      state: 'storing',
      created_at: new Date(),
      unchanged_since,
      first_id: first.id,
      ...facts,
    };
    await archiveParts.begin(part);
    async function* ofMonth(): AsyncGenerator<ArchivedRecord> {
      const endId = firstIdAt('evt', end);
      for (let one = first; one && one.id < endId; one = (await found.next()).value) {
        yield one;
        facts.last_id = one.id;
        facts.records++;
      }
      await found.return(undefined); // closes the cursor
    }
    Object.assign(facts, await files.write(key, ofMonth()));
    if (await archiveParts.stored(id, facts)) return { ...part, ...facts, state: 'stored' };
    await files.remove(key); // this process was paused for so long that another one took over
    return undefined;
  }

  /** Deletes the records of a file from MongoDB, after the file was read back. */
  async function deleteRecords(part: ArchivePart): Promise<void> {
    const { id, kind, key, sha256 } = part;
    const ids: string[] = [];
    for await (const record of files.read(key, sha256)) ids.push(record.id);
    if (ids.length !== part.records) throw new BucketFault(`${key} lacks records`);
    if (!(await archiveParts.verified(id))) return;
    // Before the first deletion: nothing that counts records may take those for all.
    if (kind === 'deliveries') await archiveParts.setArchivedBefore(monthAround(part.last_id).end);
    for (let start = 0; start < ids.length; start += DELETED_TOGETHER) {
      if (isStopping) return;
      await archivableRecords[kind].remove(
        ids.slice(start, start + DELETED_TOGETHER),
        part.unchanged_since,
      );
    }
    await archiveParts.archived(id);
    metrics.archivedRecords.inc({ kind }, part.records);
    log.info('records.archived', { kind, month: part.month, key, records: part.records });
  }

  /** A file whose upload did not end, or that is not as it was stored, is removed, and stored again later. */
  async function finish(part: ArchivePart): Promise<void> {
    if (part.state === 'storing') return discard(part, part.state);
    try {
      await deleteRecords(part);
    } catch (error) {
      if (part.state === 'stored' && error instanceof BucketFault) await discard(part, part.state);
      throw error;
    }
  }

  async function discard(part: ArchivePart, state: 'storing' | 'stored'): Promise<void> {
    if (await archiveParts.remove(part.id, state)) await files.remove(part.key);
  }

  async function archiveRound(now: Date, clock: () => Date): Promise<void | Elsewhere> {
    const isMine = (): Promise<boolean> => archiveParts.claim(holder, clock());
    if (!(await isMine())) return 'elsewhere';
    try {
      for (const part of await archiveParts.open()) {
        if (isStopping || !(await isMine())) return 'elsewhere';
        await finish(part);
      }
      for (const kind of ARCHIVE_KINDS)
        for (let stored = 0; stored < PARTS_MAX; stored++) {
          if (isStopping || !(await isMine())) return 'elsewhere';
          const part = await storePart(kind, now);
          if (part === undefined) break;
          await finish(part);
        }
    } finally {
      await archiveParts.release(holder);
    }
  }

  const sweep = startSweep('archive', everyMs, archiveRound);
  return {
    [Symbol.asyncDispose]: async () => {
      isStopping = true;
      await sweep[Symbol.asyncDispose]();
      await files[Symbol.asyncDispose]();
    },
  };
}
