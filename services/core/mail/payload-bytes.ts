/**
 * A payload as bytes. Contents of large mails are set apart, in memory that threads share: the payload that is built holds a mark in the place of each, and
 * they take the mark's place when the payload is written, base64 being made only then.
 */
import type { EncodedMail, ParsedMail, WebhookPayload } from './payload.ts';

/** Bytes as they are, or bytes that are written in base64. */
export type PayloadPiece = Uint8Array | { base64Of: Uint8Array };

/** One large string of a payload, as it stands between its quotes. */
export type LargeText = { mark: string; piece: PayloadPiece };

/** A mail as payloads show it, and the texts that its marks stand for. */
export type MailEncoding = { mail: EncodedMail; larges: LargeText[] };

/** Shorter texts are not worth a mark. */
const LARGE_CHARS = 16 * 1024;
/** Whole groups of three bytes, so that what is made of them joins without padding; larger strings would weigh on the heap. */
const BASE64_STEP_BYTES = 3 * 8 * 1024;

/** @param nonce what no mail can contain, since nobody could know it; without one nothing is set apart */
export function encodeMail(mail: ParsedMail, nonce?: string): MailEncoding {
  const larges: LargeText[] = [];
  const setApart = (piece: PayloadPiece): string => {
    const mark = `${nonce}-${larges.length}`;
    larges.push({ mark, piece });
    return mark;
  };
  const isLarge = (chars: number) => nonce !== undefined && chars > LARGE_CHARS;
  const text = (value: string | null) =>
    value !== null && isLarge(value.length)
      ? setApart(shared(Buffer.from(JSON.stringify(value).slice(1, -1))))
      : value;
  return {
    mail: {
      ...mail,
      text: text(mail.text),
      html: text(mail.html),
      attachments: mail.attachments.map(({ content, ...part }) => ({
        ...part,
        sizeBytes: content.byteLength,
        base64: isLarge(content.byteLength)
          ? setApart({ base64Of: shared(content) })
          : base64(content),
      })),
      replyText: text(mail.replyText),
    },
    larges,
  };
}

/** The bytes of a payload as the first attempt sends them, in pieces that need not be joined. */
export function encodePayload(
  payload: WebhookPayload,
  larges: readonly LargeText[] = [],
): PayloadPiece[] {
  const json = JSON.stringify(payload);
  const pieces: PayloadPiece[] = [];
  let from = 0;
  const places = larges
    .map(({ mark, piece }) => ({ mark, piece, at: json.indexOf(`"${mark}"`) + 1 }))
    .filter(({ at }) => at > 0); // an address may want attachments left out
  for (const { mark, piece, at } of places.toSorted((one, other) => one.at - other.at)) {
    pieces.push(Buffer.from(json.slice(from, at)), piece);
    from = at + mark.length;
  }
  return [...pieces, Buffer.from(json.slice(from))];
}

/** Of all pieces as they are written. */
export const writtenLength = (pieces: readonly PayloadPiece[]): number =>
  pieces.reduce(
    (sum, piece) =>
      sum + ('base64Of' in piece ? Math.ceil(piece.base64Of.byteLength / 3) * 4 : piece.byteLength),
    0,
  );

/** All pieces as they are written. */
export const writtenBytes = (pieces: readonly PayloadPiece[]): Buffer =>
  Buffer.concat([...slicesOf(pieces, Infinity)]);

/** Pieces as they are written, in slices of no more than so many bytes: what is done to one at once holds up everything else. */
export function* slicesOf(pieces: Iterable<PayloadPiece>, maxBytes: number): Generator<Uint8Array> {
  for (const piece of pieces) {
    if ('base64Of' in piece) yield* base64Slices(piece.base64Of, maxBytes);
    else
      for (let from = 0; from < piece.byteLength; from += maxBytes)
        yield piece.subarray(from, from + maxBytes);
  }
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

function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.buffer instanceof SharedArrayBuffer) return bytes;
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  copy.set(bytes);
  return copy;
}
