/**
 * Which files the archive has, how far it has come, and which process archives now (D83). The files are
 * the archive; this is their directory.
 */
import type { ClientSession, Db, Filter } from 'mongodb';

import type { ArchiveKind, ArchivePart, PartFacts } from '../../../core/archive/archive.ts';
import type { CollectionIndexes } from '../database/connection.ts';

const ARCHIVE_PARTS = 'archive_parts';
const ARCHIVE_STATE = 'archive_state';

export const archiveIndexes: CollectionIndexes = {
  collection: ARCHIVE_PARTS,
  indexes: [
    { key: { kind: 1, first_id: 1 }, name: 'kind_first' },
    {
      key: { is_open: 1, _id: 1 },
      name: 'open',
      partialFilterExpression: { is_open: true },
    },
  ],
};

/** `is_open` until its records are deleted. */
type StoredPart = Omit<ArchivePart, 'id'> & { _id: string; is_open?: true };
type ArchiveState = {
  _id: string;
  holder: string | null;
  held_until: Date;
  archived_before?: Date;
};

const STATE = 'records';
/** A process that dies is replaced after this time. */
const LEASE_MS = 300_000;
const IN_USE_MS = 7 * 86_400_000;
/** The files of a month that are read are few, but there is no reason to hold them all. */
const PARTS_BATCH = 100;

export type ArchiveParts = {
  /** Takes or renews the lease. False while another process has it. */
  claim(holder: string, now: Date): Promise<boolean>;
  release(holder: string): Promise<void>;
  /** Whether a process has archived in the last week, perhaps one of another region. */
  isInUse(now: Date): Promise<boolean>;
  /** Deliveries of emails received before this time are archived; undefined when none are. */
  archivedBefore(session?: ClientSession): Promise<Date | undefined>;
  /** Never goes back. */
  setArchivedBefore(time: Date): Promise<void>;
  /** Parts whose records are still in the database, oldest first. */
  open(): Promise<ArchivePart[]>;
  begin(part: ArchivePart): Promise<void>;
  /** False when another process has removed the part. */
  stored(id: string, facts: PartFacts): Promise<boolean>;
  /** False when another process has removed the part. */
  verified(id: string): Promise<boolean>;
  archived(id: string): Promise<void>;
  /** False when the part has another state by now. */
  remove(id: string, state: 'storing' | 'stored'): Promise<boolean>;
  /** Parts that can be read, in the order of their first ids: those with `start <= first_id < end`. */
  list(kind: ArchiveKind, range?: { start: string; end: string }): AsyncIterable<ArchivePart>;
};

const partOf = ({ _id, ...part }: StoredPart): ArchivePart => ({ id: _id, ...part });

export function createArchiveParts(db: Db): ArchiveParts {
  const parts = db.collection<StoredPart>(ARCHIVE_PARTS);
  const states = db.collection<ArchiveState>(ARCHIVE_STATE);

  return {
    claim: async function claimArchive(holder, now) {
      const free = { holder: null, held_until: new Date(0) };
      await states.updateOne({ _id: STATE }, { $setOnInsert: free }, { upsert: true });
      const { matchedCount } = await states.updateOne(
        { _id: STATE, $or: [{ holder: null }, { holder }, { held_until: { $lt: now } }] },
        { $set: { holder, held_until: new Date(now.getTime() + LEASE_MS) } },
      );
      return matchedCount === 1;
    },
    release: async function releaseArchive(holder) {
      await states.updateOne({ _id: STATE, holder }, { $set: { holder: null } });
    },
    isInUse: async function archiveIsInUse(now) {
      const since = new Date(now.getTime() - IN_USE_MS);
      return (await states.findOne({ _id: STATE, held_until: { $gt: since } })) !== null;
    },
    archivedBefore: async function archivedBefore(session) {
      const state = await states.findOne({ _id: STATE }, { ...(session && { session }) });
      return state?.archived_before;
    },
    setArchivedBefore: async function setArchivedBefore(archived_before) {
      await states.updateOne({ _id: STATE }, { $max: { archived_before } });
    },
    open: async function openParts() {
      const found = await parts
        .find({ is_open: true }, { hint: 'open' })
        .sort({ _id: 1 })
        .toArray();
      return found.map(partOf);
    },
    begin: async function beginPart({ id, ...part }) {
      await parts.insertOne({ _id: id, ...part, is_open: true });
    },
    stored: async function partIsStored(_id, facts) {
      const { matchedCount } = await parts.updateOne(
        { _id, state: 'storing' },
        { $set: { ...facts, state: 'stored' } },
      );
      return matchedCount === 1;
    },
    verified: async function partIsVerified(_id) {
      const { matchedCount } = await parts.updateOne(
        { _id, state: { $in: ['stored', 'verified'] } },
        { $set: { state: 'verified' } },
      );
      return matchedCount === 1;
    },
    archived: async function partIsArchived(_id) {
      await parts.updateOne({ _id }, { $set: { state: 'archived' }, $unset: { is_open: '' } });
    },
    remove: async function removePart(_id, state) {
      return (await parts.deleteOne({ _id, state })).deletedCount === 1;
    },
    list: async function* listParts(kind, range) {
      const query: Filter<StoredPart> = {
        kind,
        state: { $in: ['verified', 'archived'] },
        ...(range && { first_id: { $gte: range.start, $lt: range.end } }),
      };
      const found = parts
        .find(query, { hint: 'kind_first', batchSize: PARTS_BATCH })
        .sort({ first_id: 1 });
      for await (const part of found) yield partOf(part);
    },
  };
}
