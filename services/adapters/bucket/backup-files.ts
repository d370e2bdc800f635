/** Backups in the operator's bucket, and the list of them (core/backup/backup-index.ts). */
import {
  type BackupIndex,
  EMPTY_INDEX,
  INDEX_MAX_BYTES,
  INDEX_NAME,
  readIndex,
} from '../../core/backup/backup-index.ts';
import type { BucketAccess } from '../../core/bucket/bucket.ts';
import type { StoredFile } from '../../core/bucket/stored-files.ts';
import type { AgentOptions } from '../http/agents.ts';
import { textWithin } from '../http/text-within.ts';
import { BucketFault, createOperatorBucketClient } from './bucket-client.ts';

export type BackupFiles = AsyncDisposable & {
  /** Empty when there is none. @throws BucketFault */
  readIndex(): Promise<BackupIndex>;
  /** @throws BucketFault */
  writeIndex(index: BackupIndex): Promise<void>;
  /** @throws BucketFault */
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /** @throws BucketFault, also while it is read */
  read(name: string): AsyncIterable<Uint8Array>;
  /** No error when there is no such file. @throws BucketFault */
  remove(name: string): Promise<void>;
};

/** @param prefix begins the name of each object */
export function createBackupFiles(
  access: BucketAccess,
  prefix: string,
  options: Pick<AgentOptions, 'extraCa'>,
): BackupFiles {
  const client = createOperatorBucketClient(options);
  const read = (name: string) => client.read(access, prefix + name);
  return {
    readIndex: async () => {
      const text = await textWithin(read(INDEX_NAME), INDEX_MAX_BYTES, indexTooLarge).catch(
        (error: unknown) => {
          if (error instanceof BucketFault && error.isMissing) return undefined;
          throw error;
        },
      );
      if (text === undefined) return EMPTY_INDEX;
      const index = readIndex(text);
      if (index === undefined) throw new BucketFault(`${prefix}${INDEX_NAME} is damaged`);
      return index;
    },
    writeIndex: async (index) => {
      const content = [Buffer.from(JSON.stringify(index))];
      await client.put(access, prefix + INDEX_NAME, asyncOf(content));
    },
    write: (name, content) => client.put(access, prefix + name, content),
    read,
    remove: (name) => client.remove(access, prefix + name),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

async function* asyncOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

const indexTooLarge = () => new BucketFault(`${INDEX_NAME} is too large`);
