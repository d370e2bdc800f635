/** `inlet admin archive`: the files of old records, and what is in them (docs/archive.md). */
import { once } from 'node:events';
import { z } from 'zod';

import type { ArchiveFiles } from '../../adapters/bucket/archive-files.ts';
import { BucketFault } from '../../adapters/bucket/bucket-client.ts';
import { readConfig } from '../../adapters/process/config.ts';
import {
  type ArchiveKind,
  type ArchivePart,
  idsOfMonth,
  monthAround,
} from '../../core/archive/archive.ts';
import type { ArchivedRecord } from '../../core/archive/archived-record.ts';
import { mergedById } from '../../core/archive/merge.ts';
import { ArchiveConfig, openArchive } from '../../platform/settings/archive.ts';
import { ExitCode, Failure, notFoundFault, usageFault } from '../terminal/failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Database } from './database.ts';

type Range = { kind: ArchiveKind; month?: string };
export type ReadOptions = Range & { account?: string; address?: string; id?: string };

type ListedPart = Pick<
  ArchivePart,
  'key' | 'kind' | 'month' | 'first_id' | 'last_id' | 'records' | 'size_bytes' | 'sha256'
>;

export async function listArchive(
  { stores }: Database,
  { kind, month }: Range,
): Promise<ListedPart[]> {
  const found = await Array.fromAsync(stores.archiveParts.list(kind, rangeOf(month)));
  return found.map(({ key, month: of, first_id, last_id, records, size_bytes, sha256 }) => ({
    key,
    kind,
    month: of,
    records,
    size_bytes,
    sha256,
    first_id,
    last_id,
  }));
}

/** Writes a line of JSON for each record, in the order of time. */
export async function readArchive(
  { stores, env }: Database,
  terminal: Terminal,
  { kind, month, ...filter }: ReadOptions,
): Promise<void> {
  const files = await openArchive(readConfig(z.object(ArchiveConfig), env));
  if (files === undefined)
    throw usageFault(
      'set ARCHIVE_ENDPOINT, ARCHIVE_BUCKET, ARCHIVE_ACCESS_KEY_ID and ARCHIVE_SECRET_ACCESS_KEY',
    );
  await using _files = files;
  const range = rangeOf(filter.id === undefined ? month : monthOfId(filter.id));
  const parts = stores.archiveParts.list(kind, range);
  const output = terminal.byteOutput();
  let found = 0;
  try {
    for await (const record of mergedById(opened(parts, files, filter.id), isNewer)) {
      if (!matches(record, filter)) continue;
      found++;
      if (!output.write(`${JSON.stringify(record)}\n`)) await once(output, 'drain');
    }
  } catch (cause) {
    if (cause instanceof BucketFault)
      throw new Failure(`the bucket: ${cause.message}`, ExitCode.failed, { cause });
    throw cause;
  }
  if (filter.id !== undefined && found === 0)
    throw notFoundFault(`record in the archive: ${filter.id}`);
}

async function* opened(
  parts: AsyncIterable<ArchivePart>,
  files: ArchiveFiles,
  id: string | undefined,
) {
  for await (const { first_id, last_id, key, sha256 } of parts)
    if (id === undefined || (first_id <= id && id <= last_id))
      yield { first_id, open: () => files.read(key, sha256) };
}

const matches = (
  { id, account_id, address_id, receiver_id }: ArchivedRecord,
  filter: Pick<ReadOptions, 'account' | 'address' | 'id'>,
): boolean =>
  (filter.id === undefined || filter.id === id) &&
  (filter.account === undefined || filter.account === account_id) &&
  (filter.address === undefined || [address_id, receiver_id].includes(filter.address));

/** Events do not change. */
const isNewer = (one: ArchivedRecord, other: ArchivedRecord): boolean =>
  'updated_at' in one && 'updated_at' in other && String(one.updated_at) > String(other.updated_at);

function monthOfId(id: string): string {
  if (!/^evt_[0-9a-hjkmnp-tv-z]{26}$/.test(id)) throw usageFault(`"${id}" is not an id (evt_…)`);
  return monthAround(id).month;
}

function rangeOf(month: string | undefined) {
  if (month === undefined) return undefined;
  const range = idsOfMonth(month);
  if (range === undefined) throw usageFault(`"${month}" is not a month such as 2026-03`);
  return range;
}
