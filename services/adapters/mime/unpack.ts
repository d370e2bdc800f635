/** Files in gzip and zip, of which any sender can choose the bytes: what is unpacked is bounded. */
import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';

import type { Decoding } from '../../core/extract/report/read-report.ts';
import { decodeText } from './charset.ts';

/** A zip in gzip is unusual, more layers than that are an attack. */
const MAX_LAYERS = 2;

/** The text of a file; undefined when it is damaged, or larger than `maxBytes` at any layer. */
export function unpackText(
  content: Uint8Array,
  maxBytes: number,
  { charset, prepare = (same) => same }: Decoding = {},
): string | undefined {
  let bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  try {
    for (let layer = 0; layer < MAX_LAYERS; layer++) {
      if (isGzip(bytes)) bytes = gunzipSync(bytes, { maxOutputLength: maxBytes });
      else if (isZip(bytes)) bytes = unzip(bytes, maxBytes);
      else break;
    }
  } catch {
    return undefined;
  }
  if (bytes.byteLength > maxBytes || isGzip(bytes) || isZip(bytes)) return undefined;
  return decodeText(prepare(bytes), charset ?? undefined);
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b; // RFC 1952 §2.3.1
const isZip = (bytes: Buffer): boolean => bytes.subarray(0, 2).toString('latin1') === 'PK';

const END_SIGNATURE = Buffer.from('PK\u0005\u0006', 'latin1');
const ENTRY_SIGNATURE = 0x02014b50;
const END_BYTES = 22;
const COMMENT_MAX_BYTES = 0xffff;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const [STORED, DEFLATED] = [0, 8];
const MAX_ENTRIES = 20;
const REPORT_NAME = /\.(xml|json|gz)$/i;

/**
 * The first file of a zip archive with the name of a report, else the only one (PKWARE's
 * APPNOTE.TXT, without ZIP64, encryption and parts).
 *
 * @throws for an archive that is damaged or has no such file, and for a file larger than `maxBytes`
 */
function unzip(archive: Buffer, maxBytes: number): Buffer {
  const entries = entriesOf(archive).filter(({ name }) => !/\/$|^__MACOSX\//.test(name));
  const named = entries.find(({ name }) => REPORT_NAME.test(name));
  const entry = named ?? (entries.length === 1 ? entries[0] : undefined);
  if (entry === undefined || entry.size > maxBytes) throw new RangeError('no file of this size');
  const content = contentOf(archive, entry, maxBytes);
  if (crc32(content) !== entry.checksum) throw new RangeError('checksum differs');
  return content;
}

type Entry = {
  name: string;
  method: number;
  checksum: number;
  packedBytes: number;
  size: number;
  localAt: number;
};

/** From the directory at the end of the archive (§4.3.12, §4.3.16). */
function entriesOf(archive: Buffer): Entry[] {
  const end = archive.lastIndexOf(END_SIGNATURE, archive.byteLength - END_BYTES);
  if (end < archive.byteLength - END_BYTES - COMMENT_MAX_BYTES)
    throw new RangeError('no directory');
  const count = Math.min(archive.readUInt16LE(end + 10), MAX_ENTRIES);
  const entries: Entry[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (archive.readUInt32LE(at) !== ENTRY_SIGNATURE) throw new RangeError('no entry');
    const nameAt = at + ENTRY_BYTES;
    const nameBytes = archive.readUInt16LE(at + 28);
    entries.push({
      name: archive.toString('latin1', nameAt, nameAt + nameBytes),
      method: archive.readUInt16LE(at + 10),
      checksum: archive.readUInt32LE(at + 16),
      packedBytes: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24),
      localAt: archive.readUInt32LE(at + 42),
    });
    at = nameAt + nameBytes + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return entries;
}

function contentOf(archive: Buffer, entry: Entry, maxBytes: number): Buffer {
  const { localAt, packedBytes, method } = entry;
  const start =
    localAt + LOCAL_BYTES + archive.readUInt16LE(localAt + 26) + archive.readUInt16LE(localAt + 28);
  const packed = archive.subarray(start, start + packedBytes);
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw new RangeError(`compression method ${method}`);
  return inflateRawSync(packed, { maxOutputLength: maxBytes });
}
