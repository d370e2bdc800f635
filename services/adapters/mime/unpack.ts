/** Files in gzip and zip, of which any sender can choose the bytes: what is unpacked is bounded. */
import { gunzipSync } from 'node:zlib';

import type { Decoding } from '../../core/extract/report/read-report.ts';
import { decodeText } from './charset.ts';
import { unzip } from './zip.ts';

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
