/** Compressed RTF, in which Outlook stores formatted text ([MS-OXRTFCP]). */
const COMPRESSED = 0x75465a4c; // "LZFu"
const UNCOMPRESSED = 0x414c454d; // "MELA"
const HEADER_BYTES = 16;
const DICTIONARY_BYTES = 4096;
const RTF_MAX_BYTES = 8 * 1024 * 1024;
const EXPANSION_MAX = 9; // two bytes become at most 17, and eight such pairs need one more byte
/** The initial content of the dictionary (section 2.1.2.1). */
const INITIAL =
  '{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}' +
  '{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor ' +
  'MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n' +
  '\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx';

/** Undefined for other bytes. @throws RangeError for incomplete bytes */
export function decompressRtf(bytes: Buffer): Buffer | undefined {
  const [size, kind] = [bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
  if (kind === UNCOMPRESSED) return bytes.subarray(HEADER_BYTES, HEADER_BYTES + size);
  if (kind !== COMPRESSED || size > Math.min(RTF_MAX_BYTES, EXPANSION_MAX * bytes.byteLength))
    return undefined;
  const dictionary = Buffer.alloc(DICTIONARY_BYTES);
  let write = dictionary.write(INITIAL, 'latin1');
  const rtf = Buffer.alloc(size);
  let length = 0;
  const put = (byte: number) => {
    dictionary[write] = byte;
    write = (write + 1) % DICTIONARY_BYTES;
    if (length < size) rtf[length] = byte;
    length++;
  };
  for (let at = HEADER_BYTES; length < size;) {
    const control = bytes.readUInt8(at++);
    for (let bit = 0; bit < 8 && length < size; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(bytes.readUInt8(at++));
        continue;
      }
      const reference = bytes.readUInt16BE(at);
      at += 2;
      const from = reference >> 4;
      if (from === write) return rtf.subarray(0, length); // the end
      for (let i = 0; i < (reference & 0xf) + 2; i++)
        put(dictionary[(from + i) % DICTIONARY_BYTES] ?? 0);
    }
  }
  return rtf;
}
