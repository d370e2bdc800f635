/**
 * Reads objects whole. Searches files and documents for a marker, in clear and in Base64.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Db } from 'mongodb';
import type { ObjectStore } from '@nats-io/obj';

import { openObject } from '../../services/adapters/stream/objects/object-reader.ts';
import type { MailStreams } from '../../services/adapters/stream/replay.ts';

/** Undefined when the bucket has no such object. */
export async function readObject(
  { manager }: Pick<MailStreams, 'manager'>,
  bucket: ObjectStore,
  name: string,
): Promise<Buffer | undefined> {
  const found = await openObject(manager, bucket, name, () => undefined);
  return found && Buffer.concat(await Array.fromAsync(found.chunks));
}

/**
 * The marker as it can be stored. Its length is a multiple of three bytes, so content that begins
 * with it begins with its Base64, too.
 */
const formsOf = (marker: string): Buffer[] => [
  Buffer.from(marker),
  Buffer.from(Buffer.from(marker).toString('base64')),
];

/** Files below this folder that contain the marker. */
export async function filesWith(dir: string, marker: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0)); // removed in the meantime
    if (formsOf(marker).some((form) => bytes.includes(form))) found.push(path);
  }
  return found;
}

/** Collections whose documents contain the marker. */
export async function collectionsWith(db: Db, marker: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray())
    for await (const document of db.collection(name).find()) {
      const text = JSON.stringify(document);
      if (formsOf(marker).some((form) => text.includes(form.toString()))) found.push(name);
    }
  return found;
}
