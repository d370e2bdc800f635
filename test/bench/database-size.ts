/** What mongod holds: documents, disk and indexes of a collection, and its own memory. */
import type { Db } from 'mongodb';

import { usageOf } from './process-usage.ts';
import { table } from './table.ts';

export type DatabaseSize = {
  documents: number;
  /** Of all fields, as BSON. */
  bsonBytes: number;
  /** Compressed, on disk. */
  diskBytes: number;
  indexBytes: Record<string, number>;
  mongodBytes: number;
  cacheBytes: number;
};

export async function databaseSize(
  db: Db,
  collection: string,
  mongodPid: number,
): Promise<DatabaseSize> {
  await db.admin().command({ fsync: 1 }); // sizes on disk follow with the checkpoint
  const { count, size, storageSize, indexSizes } = await db.command({ collStats: collection });
  const { wiredTiger } = await db.admin().command({ serverStatus: 1 });
  const cache = (wiredTiger as { cache: Record<string, number> }).cache;
  return {
    documents: Number(count),
    bsonBytes: Number(size),
    diskBytes: Number(storageSize),
    indexBytes: indexSizes as Record<string, number>,
    mongodBytes: usageOf(mongodPid)?.residentBytes ?? NaN,
    cacheBytes: Number(cache['maximum bytes configured']),
  };
}

const MIB = 1024 * 1024;
const inMib = (bytes: number) => String(Math.round(bytes / MIB));

/** One column for each size, in MiB. */
export function sizesTable(sizes: readonly DatabaseSize[]): string {
  const names = [...new Set(sizes.flatMap(({ indexBytes }) => Object.keys(indexBytes)))];
  const rows: [string, (size: DatabaseSize) => string][] = [
    ['BSON', ({ bsonBytes }) => inMib(bsonBytes)],
    ['documents on disk', ({ diskBytes }) => inMib(diskBytes)],
    ...names.map((name): [string, (size: DatabaseSize) => string] => [
      `index ${name}`,
      ({ indexBytes }) => inMib(indexBytes[name] ?? 0),
    ]),
    [
      'all indexes',
      ({ indexBytes }) => inMib(Object.values(indexBytes).reduce((total, one) => total + one, 0)),
    ],
    ['memory of mongod', ({ mongodBytes }) => inMib(mongodBytes)],
    ['its cache, at most', ({ cacheBytes }) => inMib(cacheBytes)],
  ];
  return table(
    ['MiB', ...sizes.map(({ documents }) => String(documents))],
    rows.map(([title, of]) => [title, ...sizes.map(of)]),
  );
}

/** Index keys and documents that queries have read since mongod started. */
export async function examinedBy(db: Db): Promise<number> {
  const { metrics } = await db
    .admin()
    .command({ serverStatus: 1, repl: 0, locks: 0, wiredTiger: 0, network: 0 });
  const { scanned, scannedObjects } = (
    metrics as { queryExecutor: Record<'scanned' | 'scannedObjects', number | bigint> }
  ).queryExecutor;
  return Number(scanned) + Number(scannedObjects);
}
