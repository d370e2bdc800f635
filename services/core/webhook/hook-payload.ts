/**
 * What a deciding hook is sent (D61): the payload without contents of attachments and long texts. It
 * always fits into a message of NATS, so that no email is too long to be asked about.
 */
import { questionId } from '../id/ids.ts';
import { INLINE_PAYLOAD_MAX_BYTES } from '../mail/mail-size.ts';
import { encodePayload, writtenBytes } from './payload-bytes.ts';
import { payloadFor } from './build-payload.ts';
import { type UnwrittenPayload } from './payload.ts';
import { cutText, storableJson } from '../text/text.ts';

/** Each text is cut after so many characters: the whole must fit into a message of NATS. */
const TEXT_MAX_CHARS = 64 * 1024;

/**
 * The body of the question.
 * @param email what the receivers of the address share
 * @param tags that rules added
 */
export function hookBody(email: UnwrittenPayload, tags: readonly string[] | undefined): Buffer {
  const whole = writtenBytes(encodePayload(hookPayload(email, tags)));
  if (whole.byteLength <= INLINE_PAYLOAD_MAX_BYTES) return whole;
  const payload = JSON.parse(whole.toString()) as WholePayload;
  for (let chars = TEXT_MAX_CHARS / 2; ; chars /= 2) {
    const cut = shortenedAll(payload, chars) as WholePayload;
    const parse_warnings = [...cut.parse_warnings, { code: CUT_WARNING.code, message: LISTS_CUT }];
    const body = Buffer.from(storableJson({ ...cut, parse_warnings }));
    if (body.byteLength <= INLINE_PAYLOAD_MAX_BYTES || chars <= CHARS_MIN) return body;
  }
}

type WholePayload = { parse_warnings: readonly object[] };

/** With this, no payload is too long. */
const CHARS_MIN = 64;
/** For each text, a list may have this part of its characters as elements. */
const CHARS_PER_ELEMENT = 16;
const ELEMENTS_MIN = 16;
const LISTS_CUT =
  'Texts, headers and attachments are cut so that the hook can be asked; the webhook has all';

function shortenedAll(value: unknown, chars: number): unknown {
  if (typeof value === 'string') return cutText(value, chars);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value
      .slice(0, Math.max(chars / CHARS_PER_ELEMENT, ELEMENTS_MIN))
      .map((one) => shortenedAll(one, chars));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, shortenedAll(one, chars)]),
  );
}

const hookPayload = (
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

const cut = (text: string | null): string | null => text && cutText(text, TEXT_MAX_CHARS);
