/** Reads a bounce: from its part for programs, else from the words of the server. */
import { mailKind } from '../../mail/mail-kind.ts';
import type { Bounce } from './bounce.ts';
import { writtenBounce, writtenRecipients } from './bounce-text.ts';
import { type BouncedRecipient, recipientOf } from './bounced-recipient.ts';
import { deliveryStatus } from './delivery-status.ts';
import {
  reportedAddress,
  type FieldGroup,
  fieldGroups,
  fieldOf,
  messageIdOf,
  partText,
} from './report-fields.ts';

const MAX_RECIPIENTS = 100;

/** The parts of an email from which its report is read. */
export type MailParts = {
  /** Envelope sender; empty for the null sender. */
  mailFrom: string;
  headers: readonly { name: string; value: string }[];
  text: string | null;
  attachments: readonly { contentType: string; content: Uint8Array }[];
};

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];
const ORIGINAL_TYPES = [
  'message/rfc822',
  'text/rfc822-headers',
  'message/rfc822-headers',
  'message/global',
  'message/global-headers',
];

/** Null for an email that is not a bounce, or names no recipient. */
export function bounceOf(mail: MailParts): Bounce | null {
  const partsOf = (types: readonly string[]) =>
    mail.attachments.filter(({ contentType }) => types.includes(contentType));
  const reported = partsOf(STATUS_TYPES).map(({ content }) => deliveryStatus(partText(content)));
  const found = reported.find(({ recipients }) => recipients.length > 0);
  if (!found && !mailKind(mail).is_bounce) return null;
  const returned = partsOf(ORIGINAL_TYPES)[0];
  const written = writtenBounce(mail.text ?? '');
  const original = headOf(returned ? partText(returned.content) : written.original);
  const inWords = () =>
    writtenRecipients(written, {
      named: failedRecipients(mail),
      to: toOf(original),
      senders: sendersOf(mail, original),
    });
  const recipients = found ? withReasons(found.recipients, inWords) : inWords();
  if (recipients.length === 0) return null;
  return {
    recipients: recipients.slice(0, MAX_RECIPIENTS),
    recipients_left_out: Math.max(0, recipients.length - MAX_RECIPIENTS),
    original_message_id:
      messageIdOf(fieldOf(original, 'message-id')) ??
      messageIdOf(written.lines.find((line) => /^\W*message-?\s?id: *</i.test(line))) ??
      messageIdOf(headerOf(mail, 'in-reply-to')),
    original_recipient: found?.originalRecipient ?? toOf(original) ?? null,
  };
}

/** Some write the reply of the server in the text alone. */
function withReasons(
  recipients: readonly BouncedRecipient[],
  inWords: () => readonly BouncedRecipient[],
): BouncedRecipient[] {
  if (recipients.every(({ diagnostic }) => diagnostic !== null)) return [...recipients];
  const reasons = new Map(
    inWords().map(({ address, diagnostic }) => [address.toLowerCase(), diagnostic]),
  );
  return recipients.map((recipient) =>
    recipientOf({
      ...recipient,
      status: recipient.status ?? undefined,
      diagnostic: recipient.diagnostic ?? reasons.get(recipient.address.toLowerCase()) ?? undefined,
    }),
  );
}

const headerOf = ({ headers }: MailParts, name: string): string | undefined =>
  headers.find((header) => header.name.toLowerCase() === name)?.value;

/** Exim and Gmail name the recipients in a header. */
const failedRecipients = (mail: MailParts): string[] =>
  (headerOf(mail, 'x-failed-recipients') ?? '')
    .slice(0, HEADER_READ_CHARS)
    .split(/[,\s]+/)
    .flatMap((value) => reportedAddress(value) ?? []);

const HEADER_READ_CHARS = 32 * 1024;
const ADDRESSES = /[^\s<>()"',;:@]{1,64}@[^\s<>()"',;:@]{1,255}/g;

const addressesIn = (...values: readonly (string | undefined)[]): string[] =>
  values.flatMap(
    (value) => value?.slice(0, HEADER_READ_CHARS).toLowerCase().match(ADDRESSES) ?? [],
  );

/** Whom the bounce is sent to, and who wrote the returned email, unless it was to themselves. */
function sendersOf(mail: MailParts, original: FieldGroup): ReadonlySet<string> {
  const originals = (...names: readonly string[]) =>
    addressesIn(...names.map((name) => fieldOf(original, name)));
  const recipients = new Set([
    ...originals('to', 'cc'),
    ...addressesIn(headerOf(mail, 'x-failed-recipients')),
  ]);
  const senders = [
    ...addressesIn(headerOf(mail, 'to')),
    ...originals('from', 'sender', 'return-path', 'reply-to'),
  ];
  return new Set(senders.filter((address) => !recipients.has(address)));
}

const headOf = (text: string): FieldGroup => fieldGroups(text)[0] ?? new Map();

/** The only address of the To header. */
function toOf(head: FieldGroup): string | undefined {
  const to = fieldOf(head, 'to') ?? '';
  return to.split('@').length === 2 ? reportedAddress(/<([^<>]*)>/.exec(to)?.[1] ?? to) : undefined;
}
