/**
 * The list of the backups in the operator's bucket. It is an object in the same bucket: after a disaster there is
 * no other record of them (docs/backup-and-restore.md). It is signed as they are: a person who can write one
 * object must not choose what Inlet deletes and restores (D313).
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

import { storableJson } from '../text/text.ts';

const Entry = z.object({
  /** Name of the object, without the prefix of the bucket. */
  name: z.string(),
  created_at: z.iso.datetime(),
  /** `storing`: the upload has begun, and may have been cut off. */
  state: z.enum(['storing', 'stored']),
  size_bytes: z.number(),
  /** The digest of the object, in hex; empty while the object is being stored. */
  sha256: z.string(),
  duration_seconds: z.number(),
  /** Number of documents of each collection, and of messages of each stream. */
  contents: z.object({
    documents: z.record(z.string(), z.number()),
    messages: z.record(z.string(), z.number()),
  }),
  /** When a drill has last restored it. */
  restored_at: z.iso.datetime().nullable(),
});
const StoredBackup = Entry.refine(
  ({ name, created_at }) => name === backupName(new Date(created_at)),
  'must be the name of a backup of that time',
);
export type StoredBackup = z.infer<typeof StoredBackup>;

const BackupIndex = z.object({
  /** Oldest first. */
  backups: z.array(StoredBackup),
  /** Also of a backup that is gone. */
  drilled_at: z.iso.datetime().nullable(),
});
export type BackupIndex = z.infer<typeof BackupIndex>;

export const EMPTY_INDEX: BackupIndex = { backups: [], drilled_at: null };
export const INDEX_NAME = 'backups/index.json';
/** The largest object with the list: it has room for more than ten thousand backups. */
export const INDEX_MAX_BYTES = 16 * 1024 * 1024;

export const backupName = (createdAt: Date): string =>
  `backups/${createdAt.toISOString().replaceAll(/[:.]/g, '-')}.inlet-backup`;

const MAC_BYTES = 32;

const macOf = (index: object, key: Uint8Array): string =>
  createHmac('sha256', Buffer.from(hkdfSync('sha256', key, '', 'inlet backup list', MAC_BYTES)))
    .update(storableJson(index))
    .digest('hex');

/** @param key the first of SECRET_KEYS signs */
export const writtenIndex = (index: BackupIndex, [key]: readonly Uint8Array[]): string =>
  storableJson({ ...index, hmac: macOf(index, key ?? new Uint8Array()) });

/**
 * @param keys one of which has signed the list
 * @returns `unsigned` for a list without a signature, as earlier releases wrote it
 */
export function readIndex(
  text: string,
  keys: readonly Uint8Array[],
): BackupIndex | 'unsigned' | 'damaged' {
  try {
    const { hmac, ...list } = JSON.parse(text) as { hmac?: unknown };
    const index = BackupIndex.parse(list);
    if (hmac === undefined) return 'unsigned';
    const isOurs = keys.map((key) => macOf(list, key)).some((mac) => isEqual(mac, String(hmac)));
    return isOurs ? index : 'damaged';
  } catch {
    return 'damaged';
  }
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** The list with this backup. It replaces one with the same name. */
export const withBackup = (index: BackupIndex, backup: StoredBackup): BackupIndex => ({
  ...index,
  backups: [...index.backups.filter(({ name }) => name !== backup.name), backup],
});

export const withDrill = (index: BackupIndex, name: string, at: Date): BackupIndex => ({
  drilled_at: at.toISOString(),
  backups: index.backups.map((backup) =>
    backup.name === name ? { ...backup, restored_at: at.toISOString() } : backup,
  ),
});

/** An upload that began so long ago was cut off. */
const CUT_OFF_AFTER_MS = 86_400_000;

/**
 * Splits the list into what stays and what is to be removed: all but the newest `keep` whole backups, and
 * uploads that were cut off.
 */
export function expired(
  index: BackupIndex,
  keep: number,
  now: Date,
): { index: BackupIndex; removed: StoredBackup[] } {
  const kept = new Set(stored(index).slice(-keep));
  const isUploading = ({ state, created_at }: StoredBackup) =>
    state === 'storing' && Date.parse(created_at) > now.getTime() - CUT_OFF_AFTER_MS;
  const stays = (backup: StoredBackup) => kept.has(backup) || isUploading(backup);
  return {
    index: { ...index, backups: index.backups.filter(stays) },
    removed: index.backups.filter((backup) => !stays(backup)),
  };
}

const stored = ({ backups }: BackupIndex): StoredBackup[] =>
  backups.filter(({ state }) => state === 'stored');

export const newestBackup = (index: BackupIndex): StoredBackup | undefined => stored(index).at(-1);

/** @param name of the list, or `latest` */
export const backupNamed = (index: BackupIndex, name: string): StoredBackup | undefined =>
  name === 'latest' ? newestBackup(index) : stored(index).find((backup) => backup.name === name);
