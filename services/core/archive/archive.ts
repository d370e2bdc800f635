/**
 * The archive: old records leave MongoDB in files of one month each, in a bucket of the operator
 * (D83, docs/archive.md).
 */
import { AppError, notFound } from '../app-error.ts';
import { firstIdAt, timeOfId } from '../ids.ts';
import { timestamp } from '../timestamp.ts';

export const ARCHIVE_KINDS = ['deliveries', 'events'] as const;
export type ArchiveKind = (typeof ARCHIVE_KINDS)[number];

/**
 * storing: the upload has begun. stored: it has ended. verified: the file was read back, and its records
 * are being deleted from MongoDB. archived: they are deleted.
 */
const PART_STATES = ['storing', 'stored', 'verified', 'archived'] as const;

/** One file. A month has several when it is large, or when some of its records changed later. */
export type ArchivePart = {
  id: string;
  kind: ArchiveKind;
  /** The month of the records in UTC, such as 2026-03. */
  month: string;
  key: string;
  state: (typeof PART_STATES)[number];
  created_at: Date;
  /** Only records without a change from this time on are deleted. */
  unchanged_since: Date;
  first_id: string;
  /** The last one in the order of ids. Empty, like all that follows, while the file is being stored. */
  last_id: string;
  records: number;
  /** The size of the compressed file. */
  size_bytes: number;
  sha256: string;
};
export type PartFacts = Pick<ArchivePart, 'last_id' | 'records' | 'size_bytes' | 'sha256'>;

/** One file has at most so many records. Their ids are in memory, the records are not. */
export const PART_RECORDS_MAX = 20_000;

const DAY_MS = 86_400_000;
/** An email of the last hour of a month has its last attempt within this time. */
const SETTLING_MS = DAY_MS;

const startOfMonth = (time: Date, months = 0): Date =>
  new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1));

/**
 * The start of a month: all records from before it are old enough. Whole months leave together, so that a
 * month has few files.
 */
export const archivableBefore = (now: Date, retentionMs: number): Date =>
  startOfMonth(new Date(now.getTime() - retentionMs - SETTLING_MS));

/** A record that changed later, for example by an erasure, leaves a month later. */
export const settledBefore = (before: Date): Date => new Date(before.getTime() + SETTLING_MS);

/** `2026-03`, in UTC. */
const monthOf = (time: Date): string => time.toISOString().slice(0, 7);

/** The first moments of the month of an id, and of the next one. */
export function monthAround(id: string): { month: string; start: Date; end: Date } {
  const start = startOfMonth(timeOfId(id));
  return { month: monthOf(start), start, end: startOfMonth(start, 1) };
}

/** The ids of a month: `start <= id < end`. Undefined when the text is not a month such as 2026-03. */
export function idsOfMonth(month: string): { start: string; end: string } | undefined {
  const start = new Date(`${month}-01T00:00:00Z`);
  if (!/^\d{4}-\d\d$/.test(month) || Number.isNaN(start.getTime())) return undefined;
  return { start: firstIdAt('evt', start), end: firstIdAt('evt', startOfMonth(start, 1)) };
}

export const partKey = (
  prefix: string,
  { kind, month, id }: Pick<ArchivePart, 'kind' | 'month' | 'id'>,
): string => `${prefix}${kind}/${month}/${id}.ndjson.gz`;

/** For a reader of a delivery without a record: whether it may be in the archive. */
export const missingDelivery = (eventId: string, archivedBefore: Date | undefined): AppError =>
  archivedBefore !== undefined &&
  eventId.startsWith('evt_') &&
  eventId < firstIdAt('evt', archivedBefore)
    ? new AppError(
        'not_found',
        'There is no such delivery. Records of emails from before ' +
          `${timestamp(archivedBefore)} are archived; ask the operator of this installation for them`,
      )
    : notFound('delivery');

/**
 * What a page of deliveries says about older ones: nothing when more pages follow, when the list does not
 * go back so far, or when there is no archive.
 */
export const archivedBeyond = (
  archivedBefore: Date | undefined,
  { hasMore, start }: { hasMore: boolean; start: Date | undefined },
): { archived_before?: string } =>
  archivedBefore === undefined || hasMore || (start !== undefined && start >= archivedBefore)
    ? {}
    : { archived_before: timestamp(archivedBefore) };
