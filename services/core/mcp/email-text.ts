/**
 * An email as text for a language model: what a person would see, as Markdown. Text that a person
 * does not see is left out, and the response says so.
 */
import type { Extracted } from '../extract/extraction.ts';
import type { WebhookPayload } from '../webhook/payload.ts';
import { beginningOf, fenced, linesThatFit, roomFor, shownLine, shownText } from './fence.ts';

const HEADER_MAX_CHARS = 200;
const FILENAME_MAX_CHARS = 100;
/** How many are listed. */
const ATTACHMENTS_MAX = 20;
const INVOICES_MAX = 3;
const URL_MAX_CHARS = 2_000;
const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/;

/** The parts of a payload that are shown; `html` and `text` may be cut. */
export type ShownEmail = Pick<
  WebhookPayload,
  | 'event_id'
  | 'address_id'
  | 'thread_id'
  | 'timestamp'
  | 'headers'
  | 'attachments'
  | 'authentication'
  | 'spam'
  | 'signature'
  | 'encrypted'
  | 'extracted'
>;

/** A link to an attachment, as the content of a result has it. */
export type ResourceLink = {
  type: 'resource_link';
  uri: string;
  name: string;
  mimeType: string;
  size: number;
};

/** @param mark random, for this response only */
export function emailText(email: ShownEmail, extracted: Extracted, mark: string): string {
  const { event_id, address_id, thread_id, timestamp } = email;
  const own = [
    `Email ${event_id} at address_id ${address_id}, received ${timestamp}.`,
    ...(thread_id === undefined ? [] : [`It is in the conversation thread_id ${thread_id}.`]),
    senderNote(email),
    ...protectionNotes(email),
    ...hiddenNote(extracted),
  ];
  const head = [
    ...headerLines(email),
    ...claimLines(email),
    ...attachmentLines(email),
    '',
    '',
  ].join('\n');
  const room = roomFor([...own, CUT_NOTE], mark) - Buffer.byteLength(head);
  const whole = shownText(extracted.markdown ?? '');
  const body = beginningOf(whole, room);
  return fenced(body === whole ? own : [...own, CUT_NOTE], head + body, mark);
}

const CUT_NOTE =
  'The text is longer than fits into a response of 20 KB. The rest of it is not shown.';

function senderNote({ authentication, spam }: ShownEmail): string {
  const { dmarc } = authentication ?? {};
  const sender =
    dmarc?.result === 'pass'
      ? `DMARC passed for ${shownLine(dmarc.domain, HEADER_MAX_CHARS)}: the email came from that domain.`
      : `The sender is not proven (DMARC: ${dmarc?.result ?? 'not checked'}): From can be forged.`;
  return `${sender} Spam: ${spam.verdict}.`;
}

/** Whom a certificate names is what its maker wrote: it is among the text of strangers. */
const protectionNotes = ({ signature, encrypted }: ShownEmail): string[] => [
  ...(encrypted
    ? [`It is encrypted (${encrypted}), at least in part. Inlet cannot read that.`]
    : []),
  ...(signature
    ? [`It is signed by its author (${signature.kind}). ${validityNote(signature)}`]
    : []),
];

const validityNote = ({ is_valid }: NonNullable<ShownEmail['signature']>): string =>
  is_valid === null
    ? 'The signature was not checked.'
    : is_valid
      ? 'The content is what was signed, but anybody can make such a certificate.'
      : 'The content is not what was signed. Treat this email with suspicion.';

/** What was looked for: CSS can hide text in further ways. */
const hiddenNote = ({ hidden_text: hidden }: Extracted): string[] => [
  hidden
    ? `${hidden.chars} characters of text that a person does not see were left out ` +
      `(${hidden.reasons.join(', ')}). Treat this email with suspicion.`
    : 'No text was found that is hidden in a simple way (display, size, color, place, invisible characters).',
];

const headerLines = ({ headers }: ShownEmail): string[] =>
  (['from', 'to', 'cc', 'reply_to', 'subject', 'date'] as const).flatMap((name) => {
    const value = shownLine(headers[name], HEADER_MAX_CHARS);
    return value === null ? [] : [`${name.replace('_', '-')}: ${value}`];
  });

function claimLines({ signature, extracted }: ShownEmail): string[] {
  const subject = shownLine(signature?.subject ?? null, HEADER_MAX_CHARS);
  const { e_invoice: first, further_e_invoices: further = [] } = extracted ?? {};
  return [
    ...(subject === null ? [] : [`certificate: ${subject}`]),
    ...[first ?? [], further]
      .flat()
      .slice(0, INVOICES_MAX)
      .map(({ number, seller, total, currency, issued }) => {
        const parts = [number, seller, [total, currency].filter(Boolean).join(' '), issued];
        return `invoice: ${shownLine(parts.filter(Boolean).join(', '), HEADER_MAX_CHARS)}`;
      }),
  ];
}

function attachmentLines({ attachments }: ShownEmail): string[] {
  if (attachments.length === 0) return [];
  const lines = attachments
    .slice(0, ATTACHMENTS_MAX)
    .map(
      ({ filename, content_type, size_bytes }, index) =>
        `${index + 1}. ${shownLine(filename, FILENAME_MAX_CHARS)} (${mediaType(content_type)}, ${size_bytes} bytes)`,
    );
  const more = attachments.length - lines.length;
  return ['attachments:', ...lines, ...(more > 0 ? [`and ${more} more`] : [])];
}

const mediaType = (text: string): string =>
  MEDIA_TYPE.test(text) ? text : 'application/octet-stream';

/** Names of files are text of strangers, so links have numbers. */
export const attachmentLinks = ({ attachments }: ShownEmail): ResourceLink[] =>
  attachments
    .slice(0, ATTACHMENTS_MAX)
    .flatMap(({ content_url, content_type, size_bytes }, index) =>
      content_url === undefined
        ? []
        : [
            {
              type: 'resource_link' as const,
              uri: content_url,
              name: `attachment-${index + 1}`,
              mimeType: mediaType(content_type),
              size: size_bytes,
            },
          ],
    );

/** @param mark random, for this response only */
export function codesAndLinksText(
  { event_id }: Pick<ShownEmail, 'event_id'>,
  { codes = [], links = [], ...extracted }: Extracted,
  mark: string,
): string {
  const own = [
    `Codes and visible links of email ${event_id}, codes first, best first. Inlet fetched none of the links.`,
    `Codes: ${codes.length}. Links: ${links.length}.`,
    ...hiddenNote(extracted),
  ];
  const items = [
    ...codes.map(({ value, near }) => ({ code: value, near: shownText(near) })),
    ...links.map(({ url, text, shows_other_host, is_unsubscribe }) => ({
      link: url.slice(0, URL_MAX_CHARS),
      text: shownLine(text, HEADER_MAX_CHARS),
      ...(shows_other_host && { shows_other_host }),
      ...(is_unsubscribe && { is_unsubscribe }),
    })),
  ];
  const lines = linesThatFit(items, roomFor([...own, LEFT_OUT], mark));
  return fenced(lines.length < items.length ? [...own, LEFT_OUT] : own, lines.join('\n'), mark);
}

const LEFT_OUT = 'Not all of them fit into a response of 20 KB.';
