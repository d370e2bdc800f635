/** What a deciding hook is sent (D61): the payload without contents of attachments and long texts. */
import { questionId } from '../hook/question-id.ts';
import {
  buildPayload,
  type ParsedMail,
  type PayloadFacts,
  type UnwrittenPayload,
} from './payload.ts';

/** Of each text. The whole has to fit into a message of NATS. */
const TEXT_MAX_CHARS = 64 * 1024;

export const hookPayload = (facts: PayloadFacts): UnwrittenPayload =>
  buildPayload({
    ...facts,
    eventId: questionId(facts.eventId),
    mail: shortened(facts.mail),
    settings: { attachments: 'omit', raw: false, extract: [], storage: null },
  });

function shortened(mail: ParsedMail): ParsedMail {
  const { text, html, replyText } = mail;
  if ([text, html, replyText].every((one) => (one?.length ?? 0) <= TEXT_MAX_CHARS)) return mail;
  return {
    ...mail,
    text: cut(text),
    html: cut(html),
    replyText: cut(replyText),
    warnings: [...mail.warnings, CUT_WARNING],
  };
}

const CUT_WARNING = {
  code: 'cut_for_hook',
  message: `Each text ends after ${TEXT_MAX_CHARS} characters; the webhook has all of it`,
};

const cut = (text: string | null): string | null => text && text.slice(0, TEXT_MAX_CHARS);
