/** A stored email as a page shows it: its payload without the HTML and the attachments' contents. */
import { z } from 'zod';

import { describeSchema } from '../api-reference.ts';
import { Attachment, WebhookPayload } from './payload.ts';

/** Longer texts are cut: a page stays responsive, and the payload has the rest. */
export const TEXT_MAX_CHARS = 256 * 1024;
/** Bounds the work of a reader's browser and the memory of the process. */
export const HTML_MAX_CHARS = 1024 * 1024;

/** Response of GET /deliveries/{event_id}/email. */
export const EmailView = WebhookPayload.extend({
  content: WebhookPayload.shape.content.omit({ html: true }).extend({
    is_cut: z.boolean().describe('true when text is longer than 262,144 characters and was cut'),
    has_html: z.boolean().describe('whether the email has an HTML body'),
  }),
  attachments: z.array(Attachment.omit({ content: true })),
});
export type EmailView = z.infer<typeof EmailView>;
describeSchema(EmailView, 'Email');

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
