/**
 * Encrypts what emails contain, with a key for each account (D283). This is the only file that knows
 * the format.
 *
 * The content is cut into frames. Each is encrypted with AES-256-GCM: 524,272 bytes or fewer become
 * 16 bytes more. A frame is one chunk of an object, so objects are written and read frame by frame.
 * The *seal* is stored next to the content as text. It is not secret:
 *
 * | bytes | value |
 * | ----- | ------------------------------------------------------------------ |
 * | 1 | version of the format: 1 |
 * | 4 | id of the account's key |
 * | 8 | random, the beginning of each nonce |
 *
 * The nonce of a frame is these 8 bytes and 4 with its number, whose first bit marks the last frame.
 * So a frame that is missing, moved or repeated is found. The key of a content is made of the
 * account's key and the content's place, by HMAC-SHA-256. So content that was copied to another place
 * cannot be decrypted, and no key encrypts so much that random nonces could repeat.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
} from 'node:crypto';

import {
  type ContentKey,
  type ContentKeys,
  MissingContentKey,
} from '../../../core/secret/content-key.ts';
import { Unprocessable } from '../../../core/delivery/fault.ts';
import { pooledRandom } from '../../process/randomness.ts';

/** The keys of an account; undefined when they were deleted. */
export type KeyOf = (
  accountId: string,
) => ContentKeys | undefined | Promise<ContentKeys | undefined>;

/** Where a content is stored. */
export type ContentLocation = {
  /** The message of an event, in whichever lane it is, or a bucket. */
  store: 'message' | 'BODIES' | 'RAW';
  accountId: string;
  /** The event id, or the name of the object. */
  name: string;
};

const VERSION = 1;
const KEY_ID_BYTES = 4;
const PREFIX_BYTES = 8;
const SEAL_BYTES = 1 + KEY_ID_BYTES + PREFIX_BYTES;
const TAG_BYTES = 16;
/** A frame as it is stored. */
export const FRAME_BYTES = 512 * 1024;
const CLEAR_FRAME_BYTES = FRAME_BYTES - TAG_BYTES;
const LAST_FRAME = 0x80000000;

const CIPHER = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** Key objects: with keys as bytes, Node takes four times as long for a short content. */
const keyAt = ({ bytes }: ContentKey, { store, accountId, name }: ContentLocation): KeyObject =>
  createSecretKey(
    createHmac('sha256', createSecretKey(bytes))
      .update(`inlet content\0${store}\0${accountId}\0${name}`)
      .digest(),
  );

function nonceOf(head: Buffer, index: number, isLast: boolean): Buffer {
  const nonce = Buffer.allocUnsafe(PREFIX_BYTES + 4);
  head.copy(nonce, 0, SEAL_BYTES - PREFIX_BYTES);
  nonce.writeUInt32BE(isLast ? index + LAST_FRAME : index, PREFIX_BYTES);
  return nonce;
}

type Frame = { index: number; isLast: boolean };

/** Begins to encrypt a content. Each frame may be encrypted once. */
function startSealing(key: ContentKey, location: ContentLocation) {
  const head = Buffer.concat([
    Buffer.of(VERSION),
    Buffer.from(key.id, 'hex'),
    pooledRandom(PREFIX_BYTES),
  ]);
  const own = keyAt(key, location);
  return {
    seal: head.toString('base64url'),
    frame: (clear: Uint8Array, { index, isLast }: Frame): Buffer => {
      const cipher = createCipheriv(CIPHER, own, nonceOf(head, index, isLast), OPTIONS);
      cipher.setAAD(head);
      const sealed = cipher.update(clear);
      cipher.final();
      return Buffer.concat([sealed, cipher.getAuthTag()], clear.byteLength + TAG_BYTES);
    },
  };
}

/**
 * @throws Unprocessable, also when a frame is not what was encrypted for this place; MissingContentKey when the
 * account lacks the key that the seal names
 */
function startOpening(seal: string, keys: ContentKeys, location: ContentLocation) {
  const head = Buffer.from(seal, 'base64url');
  if (head.byteLength !== SEAL_BYTES || head[0] !== VERSION)
    throw unreadable(location, 'its seal is of another version of Inlet');
  const id = head.toString('hex', 1, 1 + KEY_ID_BYTES);
  const key = keys.find((one) => one.id === id);
  if (key === undefined)
    throw new MissingContentKey(`the content keys of ${location.accountId} lack ${id}`);
  const own = keyAt(key, location);
  return (sealed: Uint8Array, { index, isLast }: Frame): Buffer => {
    try {
      const tagAt = sealed.byteLength - TAG_BYTES;
      const decipher = createDecipheriv(CIPHER, own, nonceOf(head, index, isLast), OPTIONS);
      decipher.setAAD(head).setAuthTag(sealed.subarray(tagAt));
      const clear = decipher.update(sealed.subarray(0, tagAt));
      decipher.final();
      return clear;
    } catch (cause) {
      throw unreadable(location, `frame ${index} was changed, or is of another content`, cause);
    }
  };
}

const unreadable = ({ store, accountId, name }: ContentLocation, detail: string, cause?: unknown) =>
  new Unprocessable(
    'the stored content of the email cannot be decrypted',
    `decrypt ${store} ${name} of ${accountId}: ${detail}`,
    { cause },
  );

/** Length of the content in so many stored bytes. */
export const clearLength = (sealedBytes: number): number =>
  sealedBytes - TAG_BYTES * Math.ceil(sealedBytes / FRAME_BYTES);

/** Encrypts slices of any length into frames, each when it is read. */
export function sealSlices(
  slices: Iterable<Uint8Array>,
  key: ContentKey,
  location: ContentLocation,
): { seal: string; frames: Iterable<Buffer> } {
  const { seal, frame } = startSealing(key, location);
  function* frames(): Generator<Buffer> {
    let index = 0;
    let held: Uint8Array | undefined;
    for (const clear of cut(slices)) {
      if (held) yield frame(held, { index: index++, isLast: false });
      held = clear;
    }
    yield frame(held ?? new Uint8Array(), { index, isLast: true });
  }
  return { seal, frames: frames() };
}

/** Slices of exactly the length of a frame, except the last one. */
function* cut(slices: Iterable<Uint8Array>): Generator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const joined = (): Uint8Array => {
    const [only] = parts;
    const whole = parts.length === 1 && only ? only : Buffer.concat(parts, length);
    [parts, length] = [[], 0];
    return whole;
  };
  for (const slice of slices)
    for (let from = 0; from < slice.byteLength;) {
      const part = slice.subarray(from, from + CLEAR_FRAME_BYTES - length);
      parts.push(part);
      length += part.byteLength;
      from += part.byteLength;
      if (length === CLEAR_FRAME_BYTES) yield joined();
    }
  if (length > 0) yield joined();
}

/** Encrypts a content that fits into memory. */
export function sealBytes(
  clear: Uint8Array,
  key: ContentKey,
  location: ContentLocation,
): { seal: string; sealed: Buffer } {
  if (clear.byteLength > CLEAR_FRAME_BYTES) {
    const { seal, frames } = sealSlices([clear], key, location);
    return { seal, sealed: Buffer.concat([...frames]) };
  }
  const { seal, frame } = startSealing(key, location);
  return { seal, sealed: frame(clear, { index: 0, isLast: true }) };
}

/** @throws Unprocessable when the content was changed, or is that of another place; MissingContentKey */
export function openBytes(
  sealed: Uint8Array,
  seal: string,
  keys: ContentKeys,
  location: ContentLocation,
): Buffer {
  const open = startOpening(seal, keys, location);
  const count = Math.max(1, Math.ceil(sealed.byteLength / FRAME_BYTES));
  const frames = Array.from({ length: count }, (_, index) =>
    open(sealed.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES), {
      index,
      isLast: index === count - 1,
    }),
  );
  const [only] = frames;
  return frames.length === 1 && only ? only : Buffer.concat(frames);
}

/** Decrypts the chunks of an object, each when it is read. @param count of all chunks */
export async function* openChunks(
  chunks: AsyncIterable<Uint8Array>,
  count: number,
  seal: string,
  keys: ContentKeys,
  location: ContentLocation,
): AsyncGenerator<Uint8Array> {
  const open = startOpening(seal, keys, location);
  let index = 0;
  for await (const chunk of chunks) {
    yield open(chunk, { index, isLast: index === count - 1 });
    index++;
  }
}
