/**
 * A stored email as a page shows it: its payload without the HTML and the attachments' contents. The
 * long strings are cut while the payload is read, so that a large email takes little memory.
 */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';
import { Attachment, WebhookPayload } from './payload.ts';
import { cutText } from '../text/text.ts';

/** Longer texts are cut: a page stays responsive, and the payload has the rest. */
export const TEXT_MAX_CHARS = 256 * 1024;
/** Bounds the work of a reader's browser and the memory of the process. */
export const HTML_MAX_CHARS = 1024 * 1024;

/** Response of GET /deliveries/{event_id}/email. */
export const ShownEmail = WebhookPayload.extend({
  recipient: WebhookPayload.shape.recipient
    .nullable()
    .describe('as in the webhook; null for emails of earlier versions'),
  recipients: WebhookPayload.shape.recipients.describe(
    'as in the webhook; empty for emails of earlier versions',
  ),
  content: WebhookPayload.shape.content.omit({ html: true }).extend({
    is_cut: z.boolean().describe('true when text is longer than 262,144 characters and was cut'),
    has_html: z.boolean().describe('whether the email has an HTML body'),
  }),
  attachments: z.array(Attachment.omit({ content: true })),
});
export type ShownEmail = z.infer<typeof ShownEmail>;
describeSchema(ShownEmail, 'Email');

/** Payloads of earlier releases have no recipient. */
type StoredPayload = Omit<WebhookPayload, 'recipient' | 'recipients'> &
  Partial<Pick<WebhookPayload, 'recipient' | 'recipients'>>;

export function shownEmail({ content, ...payload }: StoredPayload): ShownEmail {
  const { html, text, ...rest } = content;
  return {
    ...payload,
    recipient: payload.recipient ?? null,
    recipients: payload.recipients ?? [],
    content: {
      ...rest,
      text: text && cutText(text, TEXT_MAX_CHARS),
      is_cut: (text?.length ?? 0) > TEXT_MAX_CHARS,
      has_html: html !== null,
    },
  };
}

/** How many characters of each are read; 0 leaves an empty string. null stays null. */
export type ReadChars = { text: number; html: number; content: number };

/**
 * Only keys are followed by a colon, and a quote inside of a string is escaped. So this is always
 * the beginning of a value. Only an attachment has a `content` that is a string.
 */
const BEGINNING = /"(text|html|content)":"/g;
const BEGINNING_MAX_BYTES = '"content":"'.length;
const [QUOTE, BACKSLASH, U] = [0x22, 0x5c, 0x75];
const EMPTY = Buffer.alloc(0);

/** The bytes of a payload with shorter strings. */
export async function* cutPayload(
  payload: AsyncIterable<Uint8Array>,
  read: ReadChars,
): AsyncGenerator<Uint8Array> {
  let heldBack = EMPTY;
  let cutter: Cutter | undefined; // for the string that the bytes are in
  for await (const chunk of payload) {
    const bytes = Buffer.concat([heldBack, chunk]);
    const text = bytes.toString('latin1');
    heldBack = EMPTY;
    let at = 0;
    while (at < bytes.byteLength) {
      if (cutter !== undefined) {
        const { kept, end } = cutter(bytes, at);
        yield bytes.subarray(at, kept);
        if (end !== undefined) cutter = undefined;
        at = end ?? bytes.byteLength;
        continue;
      }
      BEGINNING.lastIndex = at;
      const found = BEGINNING.exec(text);
      if (found === null) {
        const end = Math.max(at, bytes.byteLength - BEGINNING_MAX_BYTES + 1);
        yield bytes.subarray(at, end);
        heldBack = bytes.subarray(end); // it may be the beginning of a value
        break;
      }
      yield bytes.subarray(at, BEGINNING.lastIndex);
      at = BEGINNING.lastIndex;
      cutter = createCutter(read[found[1] as keyof ReadChars]);
    }
  }
  yield heldBack;
}

/**
 * Bytes from `from` to `kept` remain. `end` is the place of the quote that ends the string;
 * undefined when the string continues in the next chunk.
 */
type Cutter = (bytes: Buffer, from: number) => { kept: number; end: number | undefined };

/** Never cuts within a character of UTF-8 or an escape (RFC 8259 §7). */
function createCutter(maxChars: number): Cutter {
  let chars = 0;
  let escape: 'begins' | number = 0; // hexadecimal digits of \uXXXX that follow

  return (bytes, from) => {
    let kept = from;
    for (let at = from; at < bytes.byteLength; at++) {
      const byte = bytes[at] as number;
      if (escape === 'begins') escape = byte === U ? 4 : 0;
      else if (escape > 0) escape--;
      else if (byte === QUOTE) return { kept, end: at };
      else if ((byte & 0xc0) !== 0x80) {
        chars++;
        if (byte === BACKSLASH) escape = 'begins';
      }
      if (chars <= maxChars) kept = at + 1;
    }
    return { kept, end: undefined };
  };
}
