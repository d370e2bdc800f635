/**
 * A payload as bytes. Contents of large mails are encoded once, in another thread: the payload that is built here holds a mark in the place of each, and
 * the encoded bytes take the mark's place when the payload is written.
 */
import type { EncodedMail, ParsedMail, WebhookPayload } from './payload.ts';

/** The JSON of one large string, quotes included. */
export type LargeText = { mark: string; json: Uint8Array<ArrayBuffer> };

/** A mail as payloads show it, and the texts that its marks stand for. */
export type MailEncoding = { mail: EncodedMail; larges: LargeText[] };

/** Shorter texts are not worth a mark. */
const LARGE_CHARS = 16 * 1024;
const BASE64_STEP_BYTES = 3 * 64 * 1024; // whole groups of three bytes, so that the pieces join without padding

/** @param nonce what no mail can contain, since nobody could know it; without one nothing is set apart */
export function encodeMail(mail: ParsedMail, nonce?: string): MailEncoding {
  const larges: LargeText[] = [];
  const setApart = (json: Uint8Array<ArrayBuffer>): string => {
    const mark = `${nonce}-${larges.length}`;
    larges.push({ mark, json });
    return mark;
  };
  const isLarge = (chars: number) => nonce !== undefined && chars > LARGE_CHARS;
  const text = (value: string | null) => (value !== null && isLarge(value.length) ? setApart(jsonOf(value)) : value);
  return {
    mail: {
      ...mail,
      text: text(mail.text),
      html: text(mail.html),
      attachments: mail.attachments.map(({ content, ...part }) => ({
        ...part, sizeBytes: content.byteLength, base64: isLarge(content.byteLength) ? setApart(base64Json(content)) : buffer(content).toString('base64'),
      })),
      replyText: text(mail.replyText),
    },
    larges,
  };
}

/** The bytes of a payload as the first attempt sends them, in pieces that need not be joined. */
export function encodePayload(payload: WebhookPayload, larges: readonly LargeText[] = []): Uint8Array[] {
  const json = JSON.stringify(payload);
  const pieces: Uint8Array[] = [];
  let from = 0;
  const places = larges.map((large) => ({ large, at: json.indexOf(`"${large.mark}"`) })).filter(({ at }) => at !== -1); // an address may want attachments left out
  for (const { large, at } of places.toSorted((one, other) => one.at - other.at)) {
    pieces.push(Buffer.from(json.slice(from, at)), large.json);
    from = at + large.mark.length + 2;
  }
  return [...pieces, Buffer.from(json.slice(from))];
}

/** Pieces of no more than so many bytes: what is done to one at once holds up everything else. */
export function* slicesOf(pieces: Iterable<Uint8Array>, maxBytes: number): Generator<Uint8Array> {
  for (const piece of pieces) for (let from = 0; from < piece.byteLength; from += maxBytes) yield piece.subarray(from, from + maxBytes);
}

const jsonOf = (text: string): Uint8Array<ArrayBuffer> => ownBytes(Buffer.from(JSON.stringify(text)));

/** Base64 between quotes, made in steps: a string of all of it would weigh on the heap. */
function base64Json(content: Uint8Array): Uint8Array<ArrayBuffer> {
  const json = Buffer.from(new ArrayBuffer(Math.ceil(content.byteLength / 3) * 4 + 2));
  let at = json.write('"', 0, 'latin1');
  for (let from = 0; from < content.byteLength; from += BASE64_STEP_BYTES) at += json.write(buffer(content.subarray(from, from + BASE64_STEP_BYTES)).toString('base64'), at, 'latin1');
  json.write('"', at, 'latin1');
  return json;
}

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Not a part of Node's pool, so that it can be handed to another thread. */
const ownBytes = (bytes: Buffer): Uint8Array<ArrayBuffer> => (bytes.byteLength === bytes.buffer.byteLength ? (bytes as Buffer<ArrayBuffer>) : new Uint8Array(bytes));
