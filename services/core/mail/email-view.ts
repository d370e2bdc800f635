/** A stored email as a page shows it: its payload without the HTML and the attachments' contents. */
import { z } from 'zod';

import { Attachment, WebhookPayload } from './payload.ts';

/** Longer texts are cut: a page stays responsive, and the payload has the rest. */
export const TEXT_MAX_CHARS = 256 * 1024;

/** Response of GET /deliveries/{event_id}/email. */
export const EmailView = WebhookPayload.extend({
  content: WebhookPayload.shape.content.omit({ html: true }).extend({
    is_cut: z.boolean().describe('true when text is longer than 262,144 characters and was cut'),
    has_html: z.boolean().describe('whether the email has an HTML body'),
  }),
  attachments: z.array(Attachment.omit({ content: true })),
});
export type EmailView = z.infer<typeof EmailView>;

export function emailView({ content, ...payload }: WebhookPayload): EmailView {
  const { html, text, ...rest } = content;
  return {
    ...payload,
    content: {
      ...rest,
      text: text?.slice(0, TEXT_MAX_CHARS) ?? null,
      is_cut: (text?.length ?? 0) > TEXT_MAX_CHARS,
      has_html: html !== null,
    },
  };
}

const CONTENT = Buffer.from('"content":"');
const NO_CONTENT = Buffer.from('"content":null');
const QUOTE = 0x22;
const EMPTY = Buffer.alloc(0);

/**
 * The bytes of a payload with `null` for the content of each attachment. Only an attachment has a
 * `content` that is a string, Base64 has no quote, and a quote inside of other strings is escaped.
 */
export async function* withoutContents(
  payload: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let heldBack = EMPTY;
  let isInContent = false;
  for await (const chunk of payload) {
    let rest = Buffer.concat([heldBack, chunk]);
    heldBack = EMPTY;
    while (rest.byteLength > 0) {
      if (isInContent) {
        const end = rest.indexOf(QUOTE);
        isInContent = end === -1;
        rest = isInContent ? EMPTY : rest.subarray(end + 1);
        continue;
      }
      const start = rest.indexOf(CONTENT);
      if (start === -1) {
        const end = Math.max(0, rest.byteLength - CONTENT.byteLength + 1);
        yield rest.subarray(0, end);
        heldBack = rest.subarray(end); // it may be the beginning of a content
        rest = EMPTY;
      } else {
        yield rest.subarray(0, start);
        yield NO_CONTENT;
        isInContent = true;
        rest = rest.subarray(start + CONTENT.byteLength);
      }
    }
  }
  yield heldBack;
}
