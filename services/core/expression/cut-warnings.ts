/** What expressions do not see of an email. */
import { READ_MAX_CHARS } from '../extract/extraction.ts';
import type { WebhookPayload } from '../webhook/payload.ts';
import { isLongContent } from './content-facts.ts';
import { isLong, SEEN_MAX, TEXT_MAX_CHARS } from './content-bounds.ts';

type WholeEmail = Pick<WebhookPayload, 'headers' | 'envelope'> & {
  attachments: readonly Pick<WebhookPayload['attachments'][number], 'filename'>[];
  content: Partial<Pick<WebhookPayload['content'], 'text' | 'html'>>;
};

/** In words. */
export function cutWarnings({ headers, envelope, attachments, content }: WholeEmail): string[] {
  const texts = [
    headers.subject,
    headers.to,
    headers.cc,
    ...headers.all.map(({ value }) => value),
    ...attachments.map(({ filename }) => filename),
  ];
  const found: [boolean, string][] = [
    [texts.some(isLong), `Of a text, only the first ${TEXT_MAX_CHARS} characters are seen`],
    [
      new Set(headers.all.map(({ name }) => name.toLowerCase())).size > SEEN_MAX.headers,
      `Only the first ${SEEN_MAX.headers} names of headers are seen`,
    ],
    [
      attachments.length > SEEN_MAX.attachments,
      `Only the first ${SEEN_MAX.attachments} attachments are seen`,
    ],
    [
      envelope.rcpt_to.length > SEEN_MAX.recipients,
      `Only the first ${SEEN_MAX.recipients} recipients are seen`,
    ],
    [
      isLongContent(content),
      `Of the content, only the first ${READ_MAX_CHARS} characters are seen`,
    ],
  ];
  return found.filter(([applies]) => applies).map(([, warning]) => warning);
}
