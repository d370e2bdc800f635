/**
 * The stored payload as the formats of other services read it. The contents of attachments stay the
 * bytes that were stored, so that a large email is in memory once.
 */
import type { Attachment, WebhookPayload } from '../payload.ts';

/** Base64 in pieces. */
export type Base64 = readonly Uint8Array[];

export type StoredEmail = Omit<WebhookPayload, 'attachments'> & { files: StoredFile[] };

/** An attachment whose content is in the payload. */
export type StoredFile = Pick<
  Attachment,
  'filename' | 'content_type' | 'size_bytes' | 'content_id' | 'disposition'
> & { base64: Base64 };

/**
 * Only a key is followed by a colon, and a quote inside of a string is escaped: so this is always the
 * beginning of a value. Only an attachment has a `content` that is a string.
 */
const CONTENT = Buffer.from('"content":"');
const QUOTE = 0x22;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/; // RFC 6838 §4.2: senders write others
const EMPTY = Buffer.alloc(0);

/** @throws when the pieces are not a payload */
export function readStoredEmail(stored: readonly Uint8Array[]): StoredEmail {
  const { json, contents } = withoutContents(stored);
  const { attachments, ...email } = JSON.parse(json.toString()) as WebhookPayload;
  const inline = attachments.filter(({ content }) => content !== null);
  if (inline.length !== contents.length) throw new Error('payload has other strings as `content`');
  const files = inline.map((file, at) => ({
    filename: file.filename,
    content_type: MEDIA_TYPE.test(file.content_type)
      ? file.content_type
      : 'application/octet-stream',
    size_bytes: file.size_bytes,
    content_id: file.content_id,
    disposition: file.disposition,
    base64: contents[at] ?? [],
  }));
  return { ...withRecipient(email), files };
}

/** Payloads of earlier releases have no recipient. */
const withRecipient = (email: Omit<WebhookPayload, 'attachments'>) => {
  const [first = ''] = email.envelope.rcpt_to;
  const { recipient = first, recipients = [recipient] } = email as Partial<WebhookPayload>;
  return { ...email, recipient, recipients };
};

/** The payload with empty contents, and the contents in their order. */
function withoutContents(stored: readonly Uint8Array[]): {
  json: Buffer;
  contents: Uint8Array[][];
} {
  const json: Uint8Array[] = [];
  const contents: Uint8Array[][] = [];
  let isInContent = false;
  let heldBack: Buffer = EMPTY;
  for (const piece of stored) {
    const bytes = joined(heldBack, piece);
    heldBack = EMPTY;
    for (let at = 0; at < bytes.byteLength;) {
      if (isInContent) {
        const end = bytes.indexOf(QUOTE, at);
        isInContent = end === -1;
        const to = isInContent ? bytes.byteLength : end;
        contents.at(-1)?.push(bytes.subarray(at, to));
        at = to;
        continue;
      }
      const found = bytes.indexOf(CONTENT, at);
      if (found === -1) {
        const end = Math.max(at, bytes.byteLength - CONTENT.byteLength + 1);
        json.push(bytes.subarray(at, end));
        heldBack = bytes.subarray(end); // it may be the beginning of a content
        break;
      }
      const from = found + CONTENT.byteLength;
      json.push(bytes.subarray(at, from));
      contents.push([]);
      isInContent = true;
      at = from;
    }
  }
  return { json: Buffer.concat([...json, heldBack]), contents };
}

const joined = (before: Buffer, { buffer, byteOffset, byteLength }: Uint8Array): Buffer => {
  const piece = Buffer.from(buffer, byteOffset, byteLength);
  return before.byteLength === 0 ? piece : Buffer.concat([before, piece]);
};

const RECIPIENT = /^.{0,1024}?"recipient":("(?:[^"\\]|\\.)*")/su;
/** The recipient is in it: only ids and a time are before it, and RCPT bounds its length. */
const RECIPIENT_WITHIN_BYTES = 8 * 1024;

/**
 * The recipient of a payload, by its beginning. Undefined in a payload of an earlier release.
 * @param beginning at least 8 KiB, unless the payload is shorter
 */
export function recipientIn(beginning: Uint8Array): string | undefined {
  const { buffer, byteOffset, byteLength } = beginning;
  const text = Buffer.from(buffer, byteOffset, Math.min(byteLength, RECIPIENT_WITHIN_BYTES));
  const [, json] = RECIPIENT.exec(text.toString()) ?? [];
  return json === undefined ? undefined : (JSON.parse(json) as string);
}
