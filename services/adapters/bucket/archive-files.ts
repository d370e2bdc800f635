/**
 * Files of the archive in the operator's bucket: one JSON object on each line, compressed with gzip
 * (D83). Neither side holds more than a few chunks.
 */
import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';

import type { ArchivedRecord } from '../../core/archive/archived-record.ts';
import type { BucketAccess } from '../../core/bucket/bucket.ts';
import type { StoredFile } from '../../core/bucket/stored-files.ts';
import type { AgentOptions } from '../http/agents.ts';
import { type BucketClient, BucketFault, createOperatorBucketClient } from './bucket-client.ts';
import { storableJson } from '../../core/text.ts';

export type ArchiveFiles = AsyncDisposable & {
  /** @throws BucketFault */
  write(key: string, records: AsyncIterable<ArchivedRecord>): Promise<StoredFile>;
  /**
   * Yields the records in their order. At the end it compares the digest of the file.
   * @param sha256 in hex
   * @throws BucketFault when the file cannot be read, is damaged, or is another one
   */
  read(key: string, sha256: string): AsyncGenerator<ArchivedRecord>;
  /** No error when there is no such file. @throws BucketFault */
  remove(key: string): Promise<void>;
};

/** Lines are joined to chunks of about this size. */
const CHUNK_CHARS = 64 * 1024;

export function createArchiveFiles(
  access: BucketAccess,
  options: Pick<AgentOptions, 'extraCa'>,
): ArchiveFiles {
  const client = createOperatorBucketClient(options);
  return {
    write: (key, records) => {
      const lines = Readable.from(chunksOf(records), { objectMode: false });
      return client.put(access, key, pipeline(lines, createGzip(), faultsAreRead));
    },
    read: (key, sha256) => readRecords(client, access, key, sha256),
    remove: (key) => client.remove(access, key),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** `pipeline` needs a callback. It also ends the last stream with the error, which its reader gets. */
const faultsAreRead = (): void => undefined;

async function* chunksOf(records: AsyncIterable<ArchivedRecord>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const record of records) {
    text += `${storableJson(record)}\n`;
    if (text.length < CHUNK_CHARS) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

async function* readRecords(
  client: BucketClient,
  access: BucketAccess,
  key: string,
  sha256: string,
): AsyncGenerator<ArchivedRecord> {
  const digest = createHash('sha256');
  async function* observed() {
    for await (const chunk of client.read(access, key)) {
      digest.update(chunk);
      yield chunk;
    }
  }
  const file = Readable.from(observed(), { objectMode: false });
  const plain = pipeline(file, createGunzip(), faultsAreRead);
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of plain as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as ArchivedRecord;
    }
  } catch (cause) {
    if (cause instanceof BucketFault)
      throw new BucketFault(`${key}: ${cause.message}`, { cause: cause.cause });
    throw new BucketFault(`${key} is damaged`, { cause });
  }
  if (rest !== '' || digest.digest('hex') !== sha256)
    throw new BucketFault(`${key} is not the file that was stored`);
}
