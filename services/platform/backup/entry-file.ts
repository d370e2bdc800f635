/**
 * The file of a backup: named entries of bytes, one after another, compressed with gzip, whose
 * checksum shows damage. Neither side holds more than one entry and a few chunks.
 *
 *     length of the name (1 byte), name, length (4 bytes, big endian), bytes
 */
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';

/** Why a file is no backup that can be restored. */
export class BackupFault extends Error {
  override readonly name = 'BackupFault';
}

export type Entry = { name: string; bytes: Uint8Array };

const CHUNK_BYTES = 64 * 1024;
/** A document of MongoDB has at most 16 MiB. */
const ENTRY_MAX_BYTES = 17 * 1024 * 1024;
const LENGTH_BYTES = 4;

/** Writes entries until the last one. The output stays open. */
export const writeEntries = (entries: AsyncIterable<Entry>, output: Writable): Promise<void> =>
  pipeline(
    () => framesOf(entries),
    createGzip({ level: constants.Z_BEST_SPEED }), // the snapshot of MongoDB lasts for minutes
    output,
    { end: false },
  );

async function* framesOf(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const { name, bytes } of entries) {
    const head = Buffer.alloc(1 + name.length + LENGTH_BYTES);
    head.writeUInt8(name.length);
    head.write(name, 1, 'latin1');
    head.writeUInt32BE(bytes.byteLength, 1 + name.length);
    parts.push(head, bytes);
    size += head.length + bytes.byteLength;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    [parts, size] = [[], 0];
  }
  yield Buffer.concat(parts);
}

/** @throws BackupFault when the input is not such a file, or its end is missing */
export async function* readEntries(input: Readable): AsyncGenerator<Entry> {
  const unzipped = createGunzip({ chunkSize: CHUNK_BYTES });
  pipeline(input, unzipped).catch(() => undefined); // it also ends the loop below
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of unzipped) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      for (;;) {
        const frame = firstFrame(rest);
        if (frame === undefined) break;
        yield frame.entry;
        rest = rest.subarray(frame.end);
      }
    }
  } catch (cause) {
    const isDamaged =
      cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_');
    throw isDamaged ? damaged(cause) : cause;
  }
  if (rest.length > 0) throw damaged();
}

const damaged = (cause?: unknown) =>
  new BackupFault('the input is not an Inlet backup, or it is damaged or cut off', { cause });

function firstFrame(bytes: Buffer): { entry: Entry; end: number } | undefined {
  const lengthAt = 1 + (bytes[0] ?? 0);
  const start = lengthAt + LENGTH_BYTES;
  if (bytes.length < start) return undefined;
  const length = bytes.readUInt32BE(lengthAt);
  if (length > ENTRY_MAX_BYTES) throw damaged();
  const end = start + length;
  if (bytes.length < end) return undefined;
  const name = bytes.toString('latin1', 1, lengthAt);
  return { entry: { name, bytes: bytes.subarray(start, end) }, end };
}
