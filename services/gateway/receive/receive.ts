/**
 * The end of DATA: a raw email becomes one event for each receiver of each accepted recipient. Inlet
 * is responsible for the email once the stream holds all of them (docs/architecture.md).
 */
import { parseMail, rescueMail } from '../../adapters/mime/parse.ts';
import type { StoreMail } from '../../adapters/stream/store.ts';
import { type PayloadSettings, SPEC_PAYLOAD } from '../../core/address/payload-settings.ts';
import {
  digestOfRaw,
  type EmailOf,
  eventDigest,
  eventIdOf,
  foldDigest,
  hasAttachments,
  headerForRecord,
  receiverEventId,
  recipientsForRecord,
} from '../../core/delivery/mail-event.ts';
import { redacted } from '../../core/delivery/retention.ts';
import type { ExpressionFacts } from '../../core/expression/variables.ts';
import type { AllExtracted } from '../../core/extract/extraction.ts';
import { buildPayload, type ParsedMail, type PayloadFacts } from '../../core/webhook/payload.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import { INLINE_PAYLOAD_MAX_BYTES } from '../../core/mail/mail-size.ts';
import { encodePayload, writtenLength } from '../../core/webhook/payload-bytes.ts';
import { storageOrder } from '../../core/bucket/storage-settings.ts';
import { hasBareLineEnds } from '../../core/mail/raw-mail.ts';
import { senderLists } from '../../core/expression/sender-list.ts';
import { replyView } from '../../core/reply/reply-view.ts';
import { spamOf } from '../../core/mail/spam.ts';
import { createFilter } from '../../core/receiver/filter.ts';
import type { Decided } from '../../core/rules/decision.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import { queueFull, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import type { GatewayMetrics } from '../metrics.ts';
import type { CheckSender, CheckSenderMetrics } from './check-sender.ts';
import { createDecideEmail } from './decide-email.ts';
import type { AskHook } from './hooks.ts';
import { extractFrom } from './extract-from.ts';
import { type ByteBudget, createReservation } from './memory-budget.ts';
import type {
  AcceptedRecipient,
  FileLink,
  MailFiles,
  Receive,
  ReceivedMail,
  Repeat,
  StoredEvent,
} from './received-mail.ts';
import { inGroups } from './in-groups.ts';
import { recordedNames, recordedReport, recordedRuling } from './recorded-facts.ts';
import type { VirusScan, VirusScanMetrics } from './virus-scan.ts';

export type ReceiveMetrics = CheckSenderMetrics &
  VirusScanMetrics &
  Pick<
    GatewayMetrics,
    | 'parsed'
    | 'judged'
    | 'virusJudged'
    | 'durablyStored'
    | 'stored'
    | 'filterFailed'
    | 'ruled'
    | 'hookAsked'
  > & {
    /** Parsing begins: nothing else runs in this thread until `parsed`. */
    parsing(): void;
  };

export type ReceiveIO = {
  checkSender: CheckSender;
  /** Names the infected files; undefined without clamd. */
  virusScan: Pick<VirusScan, 'withFiles'> | undefined;
  /** Lowest score with the verdict spam. */
  spamThreshold: number;
  /** Whether an email that its sender repeats is stored once (DUPLICATE_WINDOW). */
  foldsRepeats: boolean;
  askHook: AskHook;
  storeMail: StoreMail;
  files: MailFiles;
  /** undefined where no links can be made. */
  link: FileLink | undefined;
  /** Counts the bytes of payloads while they are in memory; undefined where a queue bounds them. */
  memory: ByteBudget | undefined;
  metrics: ReceiveMetrics;
};

const QUEUE_ID_BYTES = 8; // names the email in the log of rspamd
/**
 * Raw bytes for which payloads are built and stored at the same time: an email to a hundred
 * recipients is a hundred payloads.
 */
const STORED_TOGETHER_BYTES = 4 * 1024 * 1024;

/** An email, and what its receivers ask for in addition. */
type ReadMail = { mail: ParsedMail; extracted: AllExtracted | undefined };

const NOT_DECIDED: Decided = { tags: [], ruling: null };

const BARE_LINE_ENDS: ParseWarning = {
  code: 'bare_line_ends',
  message: 'A CR or LF is not part of a CRLF: other programs may see other lines in this email',
};

export function createReceive(
  {
    checkSender,
    virusScan,
    spamThreshold,
    foldsRepeats,
    askHook,
    storeMail,
    files,
    link,
    memory,
    metrics,
  }: ReceiveIO,
  clock: () => Date,
  random: (bytes: number) => Uint8Array,
): Receive {
  const assertInTime = ({ replyBy }: ReceivedMail) => {
    if (clock() >= replyBy) throw new Error('dequeued after the reply deadline');
  };
  const parse = (received: ReceivedMail, bareLineEnds: boolean): ReadMail => {
    const { withReceived, unparsed } = received;
    const startedAt = performance.now();
    metrics.parsing();
    const mail = unparsed ? rescueMail(withReceived, unparsed) : parseMail(withReceived);
    const { extracted, fault } = unparsed ? {} : extractFrom(mail, received);
    metrics.parsed(performance.now() - startedAt);
    const added = [...(bareLineEnds ? [BARE_LINE_ENDS] : []), ...(fault ? [fault] : [])];
    return {
      mail: added.length > 0 ? { ...mail, warnings: [...mail.warnings, ...added] } : mail,
      extracted,
    };
  };

  const decideEmail = createDecideEmail(askHook, metrics);

  return async function receive(received) {
    assertInTime(received);
    const { raw, withReceived, envelope, recipients, receivedAt } = received;
    const { authentication, rspamd, ...scanned } = await checkSender(raw, {
      envelope,
      recipients: recipients.flatMap(recordedNames),
      queueId: Buffer.from(random(QUEUE_ID_BYTES)).toString('hex'),
    });
    assertInTime(received);
    const bareLineEnds = hasBareLineEnds(raw);
    const { mail, extracted } = parse(received, bareLineEnds);
    const spam = spamOf({ authentication, headers: mail.headers }, rspamd, spamThreshold);
    metrics.judged(spam);
    const virus =
      scanned.virus &&
      ((await virusScan?.withFiles(scanned.virus, mail.attachments)) ?? scanned.virus);
    if (virus) metrics.virusJudged(virus);
    const payloadFacts = (recipient: Recipient): Omit<PayloadFacts, 'eventId'> => ({
      addressId: recipient.id,
      envelope,
      rcptTo: recipients
        .filter((other) => other.recipient.account_id === recipient.account_id)
        .flatMap((accepted) => [...accepted.named.values()]), // each account sees only its own recipients (D22)
      plusTag: recipient.plus_tag,
      reply:
        recipient.reply &&
        replyView(recipient.reply, { headers: mail.headers, authentication }, receivedAt),
      mail,
      sizeBytes: raw.byteLength,
      spam,
      virus,
      authentication,
      receivedAt,
      now: clock(),
    });
    const decision = await decideEmail(
      received,
      { ...mail, authentication, spamScore: spam.score, virus },
      payloadFacts,
    );
    assertInTime(received);
    if (decision.refusal) throw new SmtpRefusal(decision.refusal);
    metrics.ruled([...decision.decided.values()].flatMap(({ ruling }) => ruling ?? []));
    // an email without a Message-ID may be sent again on purpose, for example by a device (D32)
    const rawDigest =
      foldsRepeats && mail.headers.message_id !== null ? digestOfRaw(raw) : undefined;
    const repeats: Repeat[] = [];

    /** @param further the further receiver that gets the event; undefined for the address itself */
    const storeEvent = async (
      { recipient, named }: AcceptedRecipient,
      eventId: string,
      settings: PayloadSettings,
      { tags, ruling }: Decided,
      further?: { id: string; email: EmailOf; filterError: string | undefined },
    ): Promise<StoredEvent & { facts: ExpressionFacts }> => {
      const receiverId = further?.id ?? recipient.id;
      const hasFiles = mail.attachments.length > 0;
      const storage = storageOrder(settings.storage, hasFiles);
      if ((link && settings.raw) || storage?.raw) await files.storeRaw(eventId, withReceived);
      if ((link && settings.attachments === 'url' && hasFiles) || storage?.attachments)
        await files.storeAttachments(eventId, mail.attachments);
      const payload = buildPayload({
        ...payloadFacts(recipient),
        eventId,
        tags,
        extracted,
        settings,
        linkTo: link && ((file) => link(eventId, file, receivedAt)),
      });
      const report =
        further === undefined
          ? recordedReport(recipient, payload.extracted, receivedAt)
          : undefined;
      const verdict = { ...spam.details, spam: spam.verdict };
      const facts = {
        event_id: eventId,
        account_id: recipient.account_id,
        environment: recipient.environment,
        address_id: receiverId,
        ...(further && { email: further.email }),
        ...(further?.filterError !== undefined && { filter_error: further.filterError }),
        mail_from: envelope.mailFrom,
        from: headerForRecord(mail.headers.from),
        subject: headerForRecord(mail.headers.subject),
        size_bytes: raw.byteLength,
        received_at_ms: receivedAt.getTime(),
        recipients: recipientsForRecord(recordedNames({ recipient, named })),
        verdict,
        ...(payload.thread_id !== undefined && { thread_id: payload.thread_id }),
        ...(report && { report }),
        ...(tags.length > 0 && { tags }),
        ...(hasAttachments(mail.attachments) && { has_attachments: true as const }),
        ...(ruling && { ruling: recordedRuling(recipient, ruling) }),
        ...(storage && { storage }),
      };
      const event = redacted(facts, recipient.redact);
      const pieces = encodePayload(payload);
      using reservation = memory && createReservation(memory);
      reservation?.add(Math.min(writtenLength(pieces), INLINE_PAYLOAD_MAX_BYTES)); // larger ones are written in slices
      const storedFrom = clock();
      const startedMs = performance.now();
      const digest =
        rawDigest === undefined
          ? eventDigest(eventId)
          : foldDigest(receiverId, [...named.keys()], envelope.mailFrom, rawDigest, verdict);
      const stored = await storeMail(event, pieces, digest);
      if (stored === 'full') throw new SmtpRefusal(queueFull);
      const storeMs = performance.now() - startedMs;
      metrics.durablyStored(storeMs);
      if (further === undefined)
        metrics.stored({
          isRepeat: stored.isRepeat,
          accountId: recipient.account_id,
          rawBytes: raw.byteLength,
        });
      if (stored.isRepeat) repeats.push({ event, first: stored.first });
      return {
        eventId: (stored.isRepeat ? stored.first.eventId : undefined) ?? eventId,
        accountId: recipient.account_id,
        addressId: recipient.id,
        isRepeat: stored.isRepeat,
        storedFrom,
        storeMs,
        facts: payload,
      };
    };
    const together = Math.max(1, Math.floor(STORED_TOGETHER_BYTES / raw.byteLength));
    /** The ids of further receivers' events follow from that of the address, so it is stored first. */
    const store = async (accepted: AcceptedRecipient): Promise<StoredEvent> => {
      const { id: address_id, payload, lists, receivers = [] } = accepted.recipient;
      const decided = decision.decided.get(accepted.recipient) ?? NOT_DECIDED;
      const eventId = eventIdOf(received.transactionId, address_id, receivedAt);
      const { facts, ...own } = await storeEvent(
        accepted,
        eventId,
        payload ?? SPEC_PAYLOAD,
        decided,
      );
      const email = { address_id, event_id: own.eventId };
      const filter = createFilter({ ...facts, lists: lists && senderLists(lists) });
      const passing = receivers.flatMap((receiver) => {
        const { passes, error } = filter(receiver.when);
        if (error !== undefined) metrics.filterFailed();
        return passes ? [{ ...receiver, filterError: error }] : [];
      });
      await inGroups(passing, together, ({ id, payload: settings, filterError }) =>
        storeEvent(accepted, receiverEventId(own.eventId, id), settings, decided, {
          id,
          email,
          filterError,
        }),
      );
      return own;
    };
    return { events: await inGroups(recipients, together, store), repeats, bareLineEnds };
  };
}
