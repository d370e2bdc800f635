/** What a deciding hook is sent (D61): the payload without contents of attachments and long texts. */
import { questionId } from '../ids.ts';
import { payloadFor, type UnwrittenPayload } from './payload.ts';

/** Of each text. The whole has to fit into a message of NATS. */
const TEXT_MAX_CHARS = 64 * 1024;

/** @param email what the receivers of the address share. @param tags that rules added */
export const hookPayload = (
  email: UnwrittenPayload,
  tags: readonly string[] | undefined,
): UnwrittenPayload =>
  payloadFor(
    { ...shortened(email), event_id: questionId(email.event_id) },
    {
      settings: { attachments: 'omit', raw: false, extract: [], storage: null },
      tags,
    },
  );

function shortened(email: UnwrittenPayload): UnwrittenPayload {
  const { content, reply_text, parse_warnings } = email;
  const { text, html } = content;
  if ([text, html, reply_text].every((one) => (one?.length ?? 0) <= TEXT_MAX_CHARS)) return email;
  return {
    ...email,
    content: { ...content, text: cut(text), html: cut(html) },
    reply_text: cut(reply_text),
    parse_warnings: [...parse_warnings, CUT_WARNING],
  };
}

const CUT_WARNING = {
  code: 'cut_for_hook',
  message: `Each text ends after ${TEXT_MAX_CHARS} characters; the webhook has all of it`,
};

const cut = (text: string | null): string | null => text && text.slice(0, TEXT_MAX_CHARS);
