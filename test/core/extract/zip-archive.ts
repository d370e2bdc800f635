/** Zip archives for tests. */
import { crc32, deflateRawSync } from 'node:zlib';

/** An archive of one file. @param checksumError is added to its checksum */
export function zipOf(name: string, content: Buffer, checksumError = 0): Buffer {
  const packed = deflateRawSync(content);
  const facts = Buffer.alloc(26); // from `version needed` to `extra field length`
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(8, 4); // deflated
  facts.writeUInt32LE((crc32(content) + checksumError) >>> 0, 10);
  facts.writeUInt32LE(packed.byteLength, 14);
  facts.writeUInt32LE(content.byteLength, 18);
  facts.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), facts, Buffer.from(name), packed]);
  const entry = Buffer.concat([
    Buffer.from('PK\u0001\u0002'),
    Buffer.from([20, 0]),
    facts,
    Buffer.alloc(14),
    Buffer.from(name),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.byteLength, 12);
  end.writeUInt32LE(local.byteLength, 16);
  return Buffer.concat([local, entry, end]);
}
