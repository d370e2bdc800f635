/**
 * Writes a payload as JSON in bytes. Where it is long, large contents become pieces that are turned
 * into bytes only when they are read, slice by slice: text is escaped and attachments become Base64
 * then.
 */
import { INLINE_PAYLOAD_MAX_BYTES } from '../mail/mail-size.ts';
import type { Base64Of, UnwrittenPayload, WebhookPayload } from './payload.ts';
import { isHighSurrogate, storableJson } from '../text/text.ts';

/**
 * Bytes as they are, bytes that are written in Base64, or text that is written as inside a JSON
 * string.
 */
export type PayloadPiece = Uint8Array | Base64Of | { jsonOf: string };

/** Texts up to this are written at the same time as the rest: most emails have no more. */
const WRITTEN_AT_ONCE_CHARS = 64 * 1024;
/** Contents up to this are written together with the JSON around them. */
const SMALL_MAX = 16 * 1024;
/** A multiple of three bytes, so that the slices join without padding. */
const BASE64_STEP_BYTES = 3 * 8 * 1024;
/** A character takes at most six bytes as JSON. */
const JSON_STEP_CHARS = 16 * 1024;

/**
 * The JSON of a payload, as the first attempt sends it, in pieces that need not be joined. A payload
 * that a message can hold is one piece of bytes.
 */
export function encodePayload(payload: UnwrittenPayload): PayloadPiece[] {
  const { content, attachments, reply_text, extracted } = payload;
  const chars = [content.text, content.html, reply_text, extracted?.markdown ?? null].reduce(
    (sum, text) => sum + (text?.length ?? 0),
    0,
  );
  return attachments.length === 0 && chars <= WRITTEN_AT_ONCE_CHARS
    ? [Buffer.from(storableJson(payload))]
    : joinedIfShort(piecesOf(payload));
}

/** Escapes each text once. Without this, each would be escaped for the length and for the bytes. */
function joinedIfShort(pieces: PayloadPiece[]): PayloadPiece[] {
  const slices: Uint8Array[] = [];
  let length = 0;
  for (const slice of slicesOf(pieces, INLINE_PAYLOAD_MAX_BYTES)) {
    length += slice.byteLength;
    if (length > INLINE_PAYLOAD_MAX_BYTES) return pieces;
    slices.push(slice);
  }
  return [Buffer.concat(slices, length)];
}

function piecesOf(payload: UnwrittenPayload): PayloadPiece[] {
  const pieces: PayloadPiece[] = [];
  let json = '';
  const writeContent = (piece: Exclude<PayloadPiece, Uint8Array>) => {
    pieces.push(Buffer.from(`${json}"`), piece);
    json = '"';
  };
  const writeText = (text: string | null) => {
    if (text === null || text.length <= SMALL_MAX) json += storableJson(text);
    else writeContent({ jsonOf: text });
  };
  const writeMarkdown = (markdown: string | undefined) => writeText(markdown ?? null);
  const writeBase64 = (content: Base64Of | null) => {
    if (content === null) json += 'null';
    else if (content.base64Of.byteLength > SMALL_MAX) writeContent(content);
    else json += `"${base64(content.base64Of)}"`;
  };
  /** Writes the members in their order, some by a function of `written`. */
  const writeObject = <T extends object>(object: T, written: Writers<T>) => {
    let separator = '{';
    for (const [key, value] of Object.entries(object)) {
      if (value === undefined) continue;
      json += `${separator}"${key}":`;
      separator = ',';
      const write = written[key as keyof T] as ((member: unknown) => void) | undefined;
      if (write) write(value);
      else json += storableJson(value);
    }
    json += '}';
  };
  const writeAttachments = (attachments: UnwrittenPayload['attachments']) => {
    json += '[';
    for (const [index, attachment] of attachments.entries()) {
      if (index > 0) json += ',';
      writeObject(attachment, { content: writeBase64 });
    }
    json += ']';
  };
  writeObject(payload, {
    content: (content) => writeObject(content, { text: writeText, html: writeText }),
    attachments: writeAttachments,
    reply_text: writeText,
    extracted: (extracted) => extracted && writeObject(extracted, { markdown: writeMarkdown }),
  });
  pieces.push(Buffer.from(json));
  return pieces;
}

type Writers<T> = { [Key in keyof T]?: (value: T[Key]) => void };

/** Length of all pieces in bytes, as they are written. */
export function writtenLength(pieces: readonly PayloadPiece[]): number {
  let length = 0;
  for (const piece of pieces) {
    if ('base64Of' in piece) length += Math.ceil(piece.base64Of.byteLength / 3) * 4;
    else if ('jsonOf' in piece)
      for (const slice of textSlices(piece.jsonOf)) length += Buffer.byteLength(escaped(slice));
    else length += piece.byteLength;
  }
  return length;
}

/** All pieces as they are written. */
export function writtenBytes(pieces: readonly PayloadPiece[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only instanceof Uint8Array
    ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
    : Buffer.concat([...slicesOf(pieces, Infinity)]);
}

/** The payload that a receiver reads. */
export const writtenPayload = (payload: UnwrittenPayload): Omit<WebhookPayload, 'is_test'> =>
  JSON.parse(writtenBytes(encodePayload(payload)).toString()) as WebhookPayload;

/**
 * Pieces as they are written, in slices of at most `maxBytes`: hashing or sending a larger one
 * would block the event loop.
 */
export function* slicesOf(pieces: Iterable<PayloadPiece>, maxBytes: number): Generator<Uint8Array> {
  for (const piece of pieces) {
    if ('base64Of' in piece) yield* base64Slices(piece.base64Of, maxBytes);
    else if ('jsonOf' in piece)
      for (const slice of textSlices(piece.jsonOf))
        yield* byteSlices(Buffer.from(escaped(slice)), maxBytes);
    else yield* byteSlices(piece, maxBytes);
  }
}

function* byteSlices(bytes: Uint8Array, maxBytes: number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.byteLength; from += maxBytes)
    yield bytes.subarray(from, from + maxBytes);
}

/** @param maxBytes at least as much as a step makes */
function* base64Slices(content: Uint8Array, maxBytes: number): Generator<Uint8Array> {
  const stepBytes =
    BASE64_STEP_BYTES * Math.max(1, Math.floor(maxBytes / ((BASE64_STEP_BYTES / 3) * 4)));
  for (let from = 0; from < content.byteLength; from += stepBytes)
    yield base64Bytes(content.subarray(from, from + stepBytes));
}

function base64Bytes(content: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(Math.ceil(content.byteLength / 3) * 4);
  let at = 0;
  for (let from = 0; from < content.byteLength; from += BASE64_STEP_BYTES)
    at += bytes.write(base64(content.subarray(from, from + BASE64_STEP_BYTES)), at, 'latin1');
  return bytes;
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** Slices that do not cut a surrogate pair: JSON escapes half of one. */
function* textSlices(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + JSON_STEP_CHARS, text.length);
    while (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++;
    yield text.slice(from, to);
    from = to;
  }
}

const escaped = (text: string): string => storableJson(text).slice(1, -1);

/** `retry_count` is last in a payload, so that no attempt needs to parse it. */
const FIRST_ATTEMPT_END = '"retry_count":0}}';

/** What differs between the payloads of a delivery's attempts. */
export type AttemptFacts = {
  /** Number of attempts before this one. */
  retryCount: number;
  /** JSON of `metadata.storage`; absent unless files are stored in a bucket. */
  storage?: string | undefined;
};

const attemptEnd = ({ retryCount, storage }: AttemptFacts): string =>
  `${storage === undefined ? '' : `"storage":${storage},`}"retry_count":${retryCount}}}`;

/** The payload of an attempt is longer than the stored one by this. */
export const growthBytes = (attempt: AttemptFacts): number =>
  Buffer.byteLength(attemptEnd(attempt)) - FIRST_ATTEMPT_END.length;

/**
 * The payload of an attempt, made from the stored pieces. Only the last ones are copied.
 * @throws when the pieces are not a payload of {@link encodePayload}
 */
export function piecesOfAttempt(
  stored: readonly Uint8Array[],
  attempt: AttemptFacts,
): Uint8Array[] {
  if (attempt.retryCount === 0 && attempt.storage === undefined) return [...stored];
  const tail = stored.findLastIndex(
    (_, index) => byteLengthOf(stored.slice(index)) >= FIRST_ATTEMPT_END.length,
  );
  const end = Buffer.concat(stored.slice(Math.max(tail, 0)));
  const head = end.subarray(0, end.byteLength - FIRST_ATTEMPT_END.length);
  if (!end.subarray(head.byteLength).equals(Buffer.from(FIRST_ATTEMPT_END)))
    throw new Error('payload does not end with its retry count');
  return [...stored.slice(0, Math.max(tail, 0)), head, Buffer.from(attemptEnd(attempt))];
}

/** The same for a stream. */
export async function* streamOfAttempt(
  stored: AsyncIterable<Uint8Array>,
  attempt: AttemptFacts,
): AsyncGenerator<Uint8Array> {
  const held: Uint8Array[] = []; // the last pieces so far, with the retry count if no other follows
  for await (const piece of stored) {
    if (piece.byteLength >= FIRST_ATTEMPT_END.length) yield* held.splice(0);
    held.push(piece);
  }
  yield* piecesOfAttempt(held, attempt);
}

export const byteLengthOf = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
