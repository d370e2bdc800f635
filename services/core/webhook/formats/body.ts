/** A body in pieces that become bytes only when they are sent, slice by slice. */
import type { Base64 } from './stored-payload.ts';
import { storableJson } from '../../text/text.ts';

/** Bytes as they are, or Base64 whose bytes are sent. */
export type BodyPiece = Uint8Array | { bytesOf: Base64 };
export type WrittenBody = { contentType: string; pieces: BodyPiece[] };

type JsonFile = { fields: object; content: Base64 };

/**
 * JSON with the attachments last. Their Base64 is not copied.
 * @param contentKey the member of an attachment that has its content
 */
export function jsonBody(
  fields: object,
  filesKey: string,
  contentKey: string,
  files: readonly JsonFile[],
): WrittenBody {
  const pieces: BodyPiece[] = [];
  let json = `${opened(fields)}${storableJson(filesKey)}:[`;
  for (const [at, file] of files.entries()) {
    json += `${at > 0 ? ',' : ''}${opened(file.fields)}${storableJson(contentKey)}:"`;
    pieces.push(Buffer.from(json), ...file.content);
    json = '"}';
  }
  pieces.push(Buffer.from(`${json}]}`));
  return { contentType: 'application/json', pieces };
}

/** The JSON of an object with members, without its closing brace. */
const opened = (object: object): string => `${storableJson(object).slice(0, -1)},`;

/** A multiple of four characters. */
const STEP_CHARS = 64 * 1024;

/** Slices of at most `maxBytes`, which is at least 48 KiB. */
export function* slicesOfBody(
  pieces: Iterable<BodyPiece>,
  maxBytes: number,
): Generator<Uint8Array> {
  for (const piece of pieces) {
    if ('bytesOf' in piece) yield* decoded(piece.bytesOf);
    else
      for (let from = 0; from < piece.byteLength; from += maxBytes)
        yield piece.subarray(from, from + maxBytes);
  }
}

function* decoded(base64: Base64): Generator<Uint8Array> {
  let rest = ''; // less than four characters, which end in the next piece
  for (const { buffer, byteOffset, byteLength } of base64) {
    const piece = Buffer.from(buffer, byteOffset, byteLength);
    for (let from = 0; from < byteLength; from += STEP_CHARS) {
      const text = rest + piece.toString('latin1', from, Math.min(from + STEP_CHARS, byteLength));
      const whole = text.length - (text.length % 4);
      rest = text.slice(whole);
      if (whole > 0) yield Buffer.from(text.slice(0, whole), 'base64');
    }
  }
  if (rest !== '') yield Buffer.from(rest, 'base64');
}
