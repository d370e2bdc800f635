/** What is stored of an email for one receiver. */
import { type PayloadSettings, SPEC_PAYLOAD } from '../../core/receiver/payload-settings.ts';
import { type ExpectedEmail, expectedEmail } from '../../core/address/expectation.ts';
import type { WebhookFormat } from '../../core/receiver/webhook-format.ts';
import { storageOrder } from '../../core/bucket/storage-settings.ts';
import {
  type EmailOf,
  eventDigest,
  eventIdOf,
  foldDigest,
  hasAttachments,
  headerForRecord,
  type MailFacts,
  recipientsForRecord,
} from '../../core/delivery/mail-event.ts';
import { senderLists } from '../../core/expression/sender-list.ts';
import type { Budget } from '../../core/expression/budget.ts';
import type { ExpressionFacts } from '../../core/expression/variables.ts';
import type { EvaluateFilter } from '../../core/expression/filter.ts';
import type { Unsent } from '../../core/delivery/delivery-end.ts';
import { redacted } from '../../core/delivery/retention.ts';
import { fittingWords } from '../../core/mail/text-words.ts';
import { replyView } from '../../core/reply/reply-view.ts';
import type { RecipientAuthor } from '../../core/decision/first-seen.ts';
import type { Acceptance } from '../../core/decision/decision.ts';
import { emailPayload, payloadFor } from '../../core/webhook/build-payload.ts';
import { NOT_EVALUATED } from '../../core/webhook/parse-warning.ts';
import { type UnwrittenPayload } from '../../core/webhook/payload.ts';
import type { KnownEmail } from './read-email.ts';
import type { AcceptedRecipient, FileLink, ReceivedMail } from './received-mail.ts';
import { searchesText } from './text-words.ts';
import { recordedNames, recordedRuling } from './recorded-facts.ts';

/** An email at one of its recipients. */
export type RecipientEmail = {
  accepted: AcceptedRecipient;
  eventId: string;
  /** Shared by all receivers of the address. */
  payload: UnwrittenPayload;
  /** Read by its rules and filters. */
  facts: ExpressionFacts;
};

export function recipientEmail(
  accepted: AcceptedRecipient,
  { envelope, raw, recipients, receivedAt, transactionId }: ReceivedMail,
  { mail, contentFacts, sender: { authentication, virus }, spam }: KnownEmail,
  { firstSeen }: RecipientAuthor,
  budget: Budget,
  now: Date,
): RecipientEmail {
  const { id: addressId, account_id, plus_tag: plusTag, reply, lists } = accepted.recipient;
  const eventId = eventIdOf(transactionId, addressId, receivedAt);
  const payload = emailPayload({
    eventId,
    addressId,
    envelope,
    named: [...accepted.named.values()],
    rcptTo: recipients
      .filter(({ recipient }) => recipient.account_id === account_id)
      .flatMap(({ named }) => [...named.values()]), // each account sees only its own recipients (D22)
    plusTag,
    reply: reply && replyView(reply, { headers: mail.headers, authentication }, receivedAt),
    mail,
    sizeBytes: raw.byteLength,
    spam,
    virus,
    authentication,
    receivedAt,
    now,
  });
  const known = { contentFacts, firstSeen, lists: lists && senderLists(lists), budget };
  const facts = { ...payload, ...known };
  return { accepted, eventId, payload, facts };
}

/** The first receiver of an address, or a further one. */
export type Receiver = {
  id: string;
  eventId: string;
  settings: PayloadSettings;
  /** Undefined for `inlet`. */
  format?: WebhookFormat | undefined;
  /** Why its filter failed; undefined when it did not. */
  filterError: string | undefined;
  /** Its filter was not evaluated, so its email is held. */
  isNotEvaluated?: true | undefined;
  /** Undefined for the first receiver. */
  email?: EmailOf;
  /** Why no webhook is sent; only of the first receiver. */
  unsent?: Unsent | undefined;
  /** Only of the first receiver, when its address expects the email. */
  expected?: ExpectedEmail | undefined;
};

/** The email is stored for the first receiver even if none is sent to it: there it is read. */
export function firstReceiver(
  { accepted: { recipient }, eventId }: RecipientEmail,
  filter: EvaluateFilter,
  receivedAt: Date,
): Receiver {
  const { passes, error: filterError, isNotEvaluated } = filter(recipient.when);
  return {
    id: recipient.id,
    eventId,
    settings: recipient.payload ?? SPEC_PAYLOAD,
    format: recipient.format,
    filterError,
    isNotEvaluated,
    expected: expectedEmail(recipient.expects, filter, receivedAt),
    unsent: recipient.unsent ?? (passes || isNotEvaluated ? undefined : 'filtered'),
  };
}

type EventToStore = {
  event: MailFacts;
  payload: UnwrittenPayload;
  digest: string;
  /** Files that must be stored before the event. */
  files: { raw: boolean; attachments: boolean };
};

/** @param rawDigest undefined for an email that does not fold with its repeats */
export function storedEvent(
  { accepted, payload: email, facts: { budget } }: RecipientEmail,
  receiver: Receiver,
  { tags, ruling }: Acceptance,
  known: Pick<KnownEmail, 'mail' | 'extracted' | 'spam' | 'textWords'>,
  { envelope: { mailFrom }, receivedAt, raw }: ReceivedMail,
  rawDigest: string | undefined,
  link: FileLink | undefined,
): EventToStore {
  const { recipient, named } = accepted;
  const { id, eventId, settings, email: emailOf, unsent, expected } = receiver;
  const { filterError, isNotEvaluated } = receiver;
  const { mail, extracted, spam, textWords } = known;
  const payload = payloadFor(
    { ...email, event_id: eventId, ...(budget?.isIncomplete() && notEvaluated(email)) },
    { settings, linkTo: link && ((file) => link(eventId, file, receivedAt)), tags, extracted },
  );
  const hasFiles = mail.attachments.length > 0;
  const storage = storageOrder(settings.storage, mail.attachments.length);
  const verdict = { ...spam.details, spam: spam.verdict };
  const event: MailFacts = {
    event_id: eventId,
    account_id: recipient.account_id,
    environment: recipient.environment,
    address_id: id,
    ...(emailOf && { email: emailOf }),
    ...(unsent && { unsent }),
    ...(filterError !== undefined && !isNotEvaluated && { filter_error: filterError }),
    mail_from: mailFrom,
    from: headerForRecord(mail.headers.from),
    subject: headerForRecord(mail.headers.subject),
    size_bytes: raw.byteLength,
    received_at_ms: receivedAt.getTime(),
    recipients: recipientsForRecord(recordedNames(accepted)),
    verdict,
    ...(payload.thread_id !== undefined && { thread_id: payload.thread_id }),
    ...(tags.length > 0 && { tags }),
    ...(hasAttachments(mail.attachments) && { has_attachments: true as const }),
    ...(ruling && { ruling: recordedRuling(recipient, ruling) }),
    ...(storage && { storage }),
    ...(expected && { expected }),
  };
  const words = textWords && searchesText(recipient) && fittingWords(textWords, event);
  return {
    event: redacted(words ? { ...event, text_words: words } : event, recipient.redact),
    payload,
    digest:
      rawDigest === undefined
        ? eventDigest(eventId)
        : foldDigest(id, [...named.keys()], mailFrom, rawDigest, verdict),
    files: {
      raw:
        (link !== undefined && settings.raw) || storage?.raw === true || receiver.format === 'raw',
      attachments:
        (link !== undefined && settings.attachments === 'url' && hasFiles) ||
        storage?.attachments === true,
    },
  };
}

/** Also for programs that read the format of another service. */
function notEvaluated({ parse_warnings: before }: UnwrittenPayload) {
  const isSaid = before.some(({ code }) => code === NOT_EVALUATED.code);
  return { parse_warnings: isSaid ? before : [...before, NOT_EVALUATED] };
}
