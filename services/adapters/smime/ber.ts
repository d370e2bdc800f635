/**
 * Reads the BER of strangers (X.690) where it lies: nothing is copied, and no tree is built. A reader
 * looks only at what it asks for, so time is linear and memory is constant, whatever the bytes.
 */

/** A value by its place in the bytes: `start` is its first byte, `end` the one after the last. */
export type Ber = {
  bytes: Buffer;
  /** With class and form: 0x30 for a SEQUENCE. High tag numbers do not occur in what is read. */
  tag: number;
  start: number;
  /** Its content. */
  from: number;
  to: number;
  end: number;
  isIndefinite: boolean;
};

type Header = { tag: number; from: number; length: number | undefined };

const CONSTRUCTED = 0x20;
const HIGH_TAG = 0x1f;
const INDEFINITE = 0x80;
const LENGTH_MAX_BYTES = 4;
const MAX_DEPTH = 64;
/** Programs write a long string in chunks of a thousand bytes and more. */
const MAX_CHUNKS = 100_000;
const CHUNK_MAX_DEPTH = 4;

export const TAGS = {
  integer: 0x02,
  octets: 0x04,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
  chunks: 0x24,
} as const;

/** The value at that place; undefined where none ends before `limit`. */
export function berAt(bytes: Buffer, start: number, limit = bytes.byteLength): Ber | undefined {
  const header = headerAt(bytes, start, limit);
  if (header === undefined) return undefined;
  const { tag, from, length } = header;
  const isIndefinite = length === undefined;
  const to = isIndefinite ? endOfContents(bytes, from, limit) : from + length;
  if (to === undefined || to > limit) return undefined;
  return { bytes, tag, start, from, to, end: isIndefinite ? to + 2 : to, isIndefinite };
}

function headerAt(bytes: Buffer, start: number, limit: number): Header | undefined {
  const [tag, first] = [bytes[start], bytes[start + 1]];
  if (start + 2 > limit || tag === undefined || first === undefined) return undefined;
  if ((tag & HIGH_TAG) === HIGH_TAG) return undefined;
  if (first < INDEFINITE) return { tag, from: start + 2, length: first };
  const count = first & 0x7f;
  if (count === 0)
    return (tag & CONSTRUCTED) === 0 ? undefined : { tag, from: start + 2, length: undefined };
  const from = start + 2 + count;
  if (count > LENGTH_MAX_BYTES || from > limit) return undefined;
  return { tag, from, length: bytes.readUIntBE(start + 2, count) };
}

/** The place of the two zero bytes that end a value without a length (X.690 §8.1.5). */
function endOfContents(bytes: Buffer, from: number, limit: number): number | undefined {
  let depth = 1;
  for (let at = from; at + 2 <= limit;) {
    if (bytes[at] === 0 && bytes[at + 1] === 0) {
      if (--depth === 0) return at;
      at += 2;
      continue;
    }
    const header = headerAt(bytes, at, limit);
    if (header === undefined) return undefined;
    if (header.length === undefined && ++depth > MAX_DEPTH) return undefined;
    at = header.from + (header.length ?? 0);
  }
  return undefined;
}

/** The values in a value, up to the first that cannot be read. */
export function* childrenOf(value: Ber | undefined): Generator<Ber, undefined> {
  if (value === undefined || (value.tag & CONSTRUCTED) === 0) return;
  for (let at = value.from; at < value.to;) {
    const child = berAt(value.bytes, at, value.to);
    if (child === undefined) return;
    yield child;
    at = child.end;
  }
}

/** At most `max`. */
export function firstChildren(value: Ber | undefined, max: number): Ber[] {
  const found: Ber[] = [];
  for (const child of childrenOf(value)) {
    if (found.length >= max) break;
    found.push(child);
  }
  return found;
}

export const berContent = ({ bytes, from, to }: Ber): Buffer => bytes.subarray(from, to);
export const wholeOf = ({ bytes, start, end }: Ber): Buffer => bytes.subarray(start, end);

/** The content of an object identifier, in hexadecimal. */
export const oidOf = (value: Ber | undefined): string | undefined =>
  value?.tag === TAGS.oid ? berContent(value).toString('hex') : undefined;

/** The bytes of an OCTET STRING, which may be in chunks (X.690 §8.7.3). */
export function octetsOf(value: Ber | undefined): Buffer | undefined {
  if (value?.tag === TAGS.octets) return berContent(value);
  if (value?.tag !== TAGS.chunks) return undefined;
  const joined = Buffer.allocUnsafe(value.to - value.from);
  let [length, chunks] = [0, 0];
  const add = (parent: Ber, depth: number): boolean => {
    for (const child of childrenOf(parent)) {
      if (++chunks > MAX_CHUNKS) return false;
      if (child.tag === TAGS.octets)
        length += child.bytes.copy(joined, length, child.from, child.to);
      else if (child.tag !== TAGS.chunks || depth >= CHUNK_MAX_DEPTH || !add(child, depth + 1))
        return false;
    }
    return true;
  };
  return add(value, 1) ? joined.subarray(0, length) : undefined;
}
