/**
 * Unpacks winmail.dat, which Outlook sends to recipients that it believes use Outlook too
 * ([MS-OXTNEF]). If that fails, the file remains an attachment.
 */
import type { ParsedAttachment } from '../../core/webhook/payload.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import { charsetOf } from './charset-guess.ts';
import { charsetOfHtml, decodeNamed, decodeText } from './charset.ts';
import { oneLine } from './head.ts';

type Unpacked = { attachments: ParsedAttachment[]; text: string | null; html: string | null };

const SIGNATURE = 0x223e9f78;
const Attribute = {
  oemCodepage: 0x00069007,
  body: 0x0002800c,
  messageProperties: 0x00069003,
  newAttachment: 0x00069002,
  title: 0x00018010,
  data: 0x0006800f,
  attachmentProperties: 0x00069005,
} as const;
const Property = {
  body: 0x1000,
  html: 0x1013,
  compressedRtf: 0x1009,
  data: 0x3701,
  longName: 0x3707,
  mimeTag: 0x370e,
  contentId: 0x3712,
} as const;
const Type = {
  int16: 0x02,
  object: 0x0d,
  boolean: 0x0b,
  string: 0x1e,
  unicode: 0x1f,
  guid: 0x48,
  binary: 0x102,
} as const;
const EIGHT_BYTES: ReadonlySet<number> = new Set([0x05, 0x06, 0x07, 0x14, 0x40]);
/** 1 for the email, 2 for an attachment. Any other value begins bytes that a transport appended. */
const LEVELS: ReadonlySet<number | undefined> = new Set([1, 2]);
const MULTIPLE = 0x1000;
const NAMED_FROM = 0x8000;
const GUID_BYTES = 16;
const ATTACHMENTS_MAX = 1000;
const UNPACKED_MAX = 8; // for one email: the texts in them are compressed

const UNREADABLE: ParseWarning = {
  code: 'tnef_unreadable',
  message:
    'An attachment in the format of Outlook (winmail.dat) could not be unpacked and is shown as it is',
};

const isTnef = ({ contentType, filename }: ParsedAttachment) =>
  /^application\/(vnd\.)?ms-tnef$/i.test(contentType) || /^winmail\.dat$/i.test(filename ?? '');

/**
 * The attachments of the email, with those of winmail.dat in its place, and the bodies that it
 * contained.
 */
export function unpackTnef(
  attachments: ParsedAttachment[],
): Unpacked & { warnings: ParseWarning[] } {
  const result: Unpacked & { warnings: ParseWarning[] } = {
    attachments: [],
    text: null,
    html: null,
    warnings: [],
  };
  let left = UNPACKED_MAX;
  for (const attachment of attachments) {
    const unpacked = isTnef(attachment) && left-- > 0 ? readTnef(attachment.content) : undefined;
    result.attachments.push(...(unpacked?.attachments ?? [attachment]));
    result.text ??= unpacked?.text ?? null;
    result.html ??= unpacked?.html ?? null;
    if (isTnef(attachment) && unpacked === undefined && result.warnings.length === 0)
      result.warnings.push(UNREADABLE);
  }
  return result;
}

/** Undefined for bytes that are not complete TNEF, or contain nothing to show. */
export function readTnef(content: Uint8Array): Unpacked | undefined {
  try {
    return unpack(Buffer.from(content.buffer, content.byteOffset, content.byteLength));
  } catch (error) {
    if (error instanceof RangeError) return undefined; // a length points beyond the end
    throw error;
  }
}

function unpack(bytes: Buffer): Unpacked | undefined {
  if (bytes.readUInt32LE(0) !== SIGNATURE) return undefined;
  const unpacked: Unpacked = { attachments: [], text: null, html: null };
  let codepage: number | undefined;
  let rtf: Buffer | undefined;
  for (let at = 6; LEVELS.has(bytes[at]);) {
    const [id, length] = [bytes.readUInt32LE(at + 1), bytes.readUInt32LE(at + 5)];
    const value = slice(bytes, at + 9, length);
    at += 9 + length + 2; // level, id, length, value, checksum
    const attachment = unpacked.attachments.at(-1);
    if (id === Attribute.oemCodepage) codepage = value.readUInt32LE(0);
    else if (id === Attribute.body) unpacked.text ??= withLineFeeds(text(value, codepage));
    else if (id === Attribute.messageProperties) {
      const properties = readProperties(value, codepage);
      unpacked.text = withLineFeeds(
        textOf(properties.get(Property.body), codepage) ?? unpacked.text,
      );
      unpacked.html = htmlOf(properties.get(Property.html), codepage) ?? unpacked.html;
      const compressed = properties.get(Property.compressedRtf);
      rtf = typeof compressed === 'object' ? decompressRtf(compressed) : rtf;
    } else if (id === Attribute.newAttachment) {
      if (unpacked.attachments.length >= ATTACHMENTS_MAX) return undefined;
      unpacked.attachments.push({
        filename: null,
        contentType: 'application/octet-stream',
        contentId: null,
        disposition: null,
        method: null,
        content: Buffer.alloc(0),
      });
    } else if (attachment && id === Attribute.title)
      attachment.filename ??= oneLine(text(value, codepage)) || null;
    else if (attachment && id === Attribute.data) attachment.content = value;
    else if (attachment && id === Attribute.attachmentProperties)
      describe(attachment, readProperties(value, codepage), codepage);
  }
  if (rtf !== undefined && unpacked.html === null)
    unpacked.attachments.push({
      filename: 'message.rtf',
      contentType: 'application/rtf',
      contentId: null,
      disposition: null,
      method: null,
      content: rtf,
    });
  return unpacked.attachments.length > 0 || unpacked.text !== null || unpacked.html !== null
    ? unpacked
    : undefined;
}

type Properties = Map<number, Buffer | string>;

function describe(
  attachment: ParsedAttachment,
  properties: Properties,
  codepage: number | undefined,
): void {
  const string = (id: number) => textOf(properties.get(id), codepage);
  attachment.filename = oneLine(string(Property.longName) ?? attachment.filename ?? '') || null;
  attachment.contentType = oneLine(string(Property.mimeTag) ?? attachment.contentType);
  attachment.contentId =
    string(Property.contentId)?.trim().replace(/^<\s*/, '').replace(/>$/, '').trim() ||
    attachment.contentId;
  const data = properties.get(Property.data);
  if (typeof data === 'object' && data.byteLength > attachment.content.byteLength)
    attachment.content = data; // for an embedded object the other data is only a picture
}

/** Strings and bytes of a property list (section 2.1.3.4). Numbers are skipped. */
function readProperties(bytes: Buffer, codepage: number | undefined): Properties {
  const properties: Properties = new Map();
  let at = 4;
  for (let left = bytes.readUInt32LE(0); left > 0; left--) {
    const [type, id] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)];
    at += 4;
    if (id >= NAMED_FROM) at = afterName(bytes, at);
    const base = type & ~MULTIPLE;
    const isSized =
      base === Type.string || base === Type.unicode || base === Type.binary || base === Type.object;
    let values = isSized || type & MULTIPLE ? bytes.readUInt32LE(at) : 1;
    if (isSized || type & MULTIPLE) at += 4;
    for (; values > 0; values--) {
      const length = isSized
        ? bytes.readUInt32LE(at)
        : EIGHT_BYTES.has(base)
          ? 8
          : base === Type.guid
            ? GUID_BYTES
            : 4;
      if (isSized) at += 4;
      const value = slice(bytes, at, length);
      at += Math.ceil(length / 4) * 4;
      if (!isSized || properties.has(id)) continue;
      if (base === Type.string) properties.set(id, text(value, codepage));
      else if (base === Type.unicode) properties.set(id, withoutNul(value.toString('utf16le')));
      else properties.set(id, base === Type.object ? value.subarray(GUID_BYTES) : value);
    }
  }
  return properties;
}

/** The value of a named property follows its name, which is a number or a string. */
function afterName(bytes: Buffer, at: number): number {
  const isString = bytes.readUInt32LE(at + GUID_BYTES) === 1;
  const next = at + GUID_BYTES + 4;
  return isString ? next + 4 + Math.ceil(bytes.readUInt32LE(next) / 4) * 4 : next + 4;
}

/** @throws RangeError beyond the end */
function slice(bytes: Buffer, at: number, length: number): Buffer {
  if (at + length > bytes.byteLength) throw new RangeError('beyond the end');
  return bytes.subarray(at, at + length);
}

const textOf = (value: Buffer | string | undefined, codepage: number | undefined): string | null =>
  (typeof value === 'object' ? text(value, codepage) : value) || null;

/** HTML has its own charset; the code page applies to the other texts. */
const htmlOf = (value: Buffer | string | undefined, codepage: number | undefined): string | null =>
  withLineFeeds(
    (typeof value === 'object'
      ? withoutNul(
          decodeText(value, charsetOfHtml(value), (bytes) =>
            charsetOf(bytes, codepage === undefined ? undefined : `windows-${codepage}`),
          ),
        )
      : value) || null,
  );

const withLineFeeds = <Text extends string | null>(value: Text): Text =>
  (value?.replaceAll('\r\n', '\n') ?? null) as Text;

const text = (bytes: Buffer, codepage: number | undefined): string =>
  withoutNul(
    (codepage !== undefined && codepage !== 65001
      ? (decodeNamed(bytes, `windows-${codepage}`) ?? decodeNamed(bytes, `cp${codepage}`))
      : undefined) ?? decodeText(bytes, undefined),
  );

const withoutNul = (value: string) => value.split('\0', 1)[0] ?? '';

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
