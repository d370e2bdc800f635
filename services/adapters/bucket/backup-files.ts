/** Backups in the operator's bucket, and the list of them (core/backup/backup-index.ts). */
import {
  type BackupIndex,
  EMPTY_INDEX,
  INDEX_MAX_BYTES,
  INDEX_NAME,
  readIndex,
  writtenIndex,
} from '../../core/backup/backup-index.ts';
import type { BucketAccess } from '../../core/bucket/bucket.ts';
import type { StoredFile } from '../../core/bucket/stored-files.ts';
import type { AgentOptions } from '../http/agents.ts';
import { textWithin } from '../http/text-within.ts';
import { BucketFault, createOperatorBucketClient } from './bucket-client.ts';

export type BackupFiles = AsyncDisposable & {
  /**
   * Empty when there is none.
   * @param beginsAnew also empty when it is not signed
   * @throws BucketFault also when this installation has not signed it
   */
  readIndex(beginsAnew?: boolean): Promise<BackupIndex>;
  /** @throws BucketFault */
  writeIndex(index: BackupIndex): Promise<void>;
  /** @throws BucketFault */
  write(name: string, content: AsyncIterable<Uint8Array>): Promise<StoredFile>;
  /** @throws BucketFault, also while it is read */
  read(name: string): AsyncIterable<Uint8Array>;
  /** No error when there is no such file. @throws BucketFault */
  remove(name: string): Promise<void>;
};

/**
 * @param prefix begins the name of each object
 * @param keys SECRET_KEYS, which sign the list
 */
export function createBackupFiles(
  access: BucketAccess,
  prefix: string,
  keys: readonly Uint8Array[],
  options: Pick<AgentOptions, 'extraCa'>,
): BackupFiles {
  const client = createOperatorBucketClient(options);
  const read = (name: string) => client.read(access, prefix + name);
  return {
    readIndex: async (beginsAnew = false) => {
      const text = await textWithin(read(INDEX_NAME), INDEX_MAX_BYTES, indexTooLarge).catch(
        (error: unknown) => {
          if (error instanceof BucketFault && error.isMissing) return undefined;
          throw error;
        },
      );
      if (text === undefined) return EMPTY_INDEX;
      const index = readIndex(text, keys);
      if (index === 'unsigned' && beginsAnew) return EMPTY_INDEX;
      if (index === 'unsigned') throw new BucketFault(`${prefix}${INDEX_NAME} ${UNSIGNED}`);
      if (index === 'damaged') throw new BucketFault(`${prefix}${INDEX_NAME} ${DAMAGED}`);
      return index;
    },
    writeIndex: async (index) => {
      const content = [Buffer.from(writtenIndex(index, keys))];
      await client.put(access, prefix + INDEX_NAME, asyncOf(content));
    },
    write: (name, content) => client.put(access, prefix + name, content),
    read,
    remove: (name) => client.remove(access, prefix + name),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

const UNSIGNED =
  'is not signed. If version 0.1.0 wrote it, the next backup begins another list: until then, restore a file ' +
  'of the bucket from standard input';
const DAMAGED =
  'is damaged, or was not signed with any of SECRET_KEYS: somebody else may have changed it. If another ' +
  'installation wrote it, set another prefix in BACKUP_BUCKET. Otherwise restore a file of the bucket from ' +
  'standard input; when the list is deleted, the next backup begins another one';

async function* asyncOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

const indexTooLarge = () => new BucketFault(`${INDEX_NAME} is too large`);
