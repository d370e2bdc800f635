/** DATA: a raw mail becomes one event for each accepted recipient; it is ours once the stream holds them all. */
import type { MailQueue } from '../../adapters/stream/mail-queue.ts';
import type { Recipient } from '../../core/smtp/admission.ts';
import { SPEC_PAYLOAD } from '../../core/account/address.ts';
import type { LinkedFile } from '../../core/mail/file-link.ts';
import { ID_RANDOM_BYTES, newId } from '../../core/ids.ts';
import type { ReadMail } from '../../adapters/mime/reader.ts';
import { foldDigest, headerForRecord } from '../../core/delivery/mail-event.ts';
import { buildPayload, type Envelope, needsRawMail } from '../../core/mail/payload.ts';
import { encodePayload } from '../../core/mail/payload-bytes.ts';
import { queueFull, SmtpRefusal, spamRefused } from '../../core/smtp/smtp-reply.ts';
import { everyoneRefuses, spamOf } from '../../core/mail/spam.ts';
import type { Examine, Findings } from './examine.ts';
import { type ByteQueue, createByteQueue } from './memory-budget.ts';
import type { GatewayMetrics } from '../metrics.ts';

/** A recipient that was accepted, and the mailboxes by which the client named it, as it wrote each first: several reach one catch-all. */
export type AcceptedRecipient = { recipient: Recipient; named: Map<string, string> };

const QUEUE_ID_BYTES = 8; // by which a mail is found in the log of rspamd

export type ReceivedMail = {
  /** As it came: what signatures and digests are about, and what counts as its size. */
  raw: Buffer;
  /** The same under our trace headers, in the same memory: what is parsed and kept. */
  kept: Buffer;
  envelope: Envelope;
  recipients: readonly AcceptedRecipient[];
  /** End of DATA. */
  receivedAt: Date;
  /** When the client is told 451 if the mail is not stored by then. */
  replyBy: Date;
};

export type ReceiveIO = {
  read: ReadMail;
  examine: Examine;
  /** Lowest score with the verdict spam. */
  spamThreshold: number;
  queue: MailQueue;
  /** Where small mails wait for their turn to be read and stored. */
  atWork: ByteQueue;
  /** undefined where no links can be made. */
  links: RawMailLinks | undefined;
  metrics: Pick<GatewayMetrics, 'parsed' | 'judged' | 'durablyStored' | 'stored'>;
};

/** Raw mails that payloads link to. */
export type RawMailLinks = {
  keep(eventId: string, raw: Uint8Array): Promise<void>;
  link(eventId: string, file: LinkedFile, receivedAt: Date): string;
};

export type Taken = {
  eventIds: string[];
  /** Whether a CR or a LF stands alone in the mail. */ bareLineEnds: boolean;
};

/** Resolves once all events are on disk. @throws SmtpRefusal when every recipient refuses such spam */
export type Receive = (received: ReceivedMail) => Promise<Taken>;

/** Raw bytes for which payloads are built and stored at once: a large mail to a hundred recipients is a hundred payloads. */
const STORED_AT_ONCE_BYTES = 16 * 1024 * 1024;

export function createReceive(
  { read, examine, spamThreshold, queue, atWork, links, metrics }: ReceiveIO,
  clock: () => Date,
  random: (bytes: number) => Uint8Array,
): Receive {
  const assertInTime = ({ replyBy }: ReceivedMail) => {
    if (clock() >= replyBy) throw new Error('its turn came after the reply');
  };
  const takeIn = async (
    received: ReceivedMail,
    { authentication, rspamd }: Findings,
  ): Promise<Taken> => {
    assertInTime(received);
    const { raw, kept, envelope, recipients, receivedAt } = received;
    const readingFrom = performance.now();
    const { mail, rawDigest, bareLineEnds } = await read(kept, raw.byteLength);
    metrics.parsed(performance.now() - readingFrom);
    const spam = spamOf({ authentication, headers: mail.headers }, rspamd, spamThreshold);
    metrics.judged(spam);
    if (
      everyoneRefuses(
        recipients.map(({ recipient }) => recipient),
        spam.score,
      )
    )
      throw new SmtpRefusal(spamRefused);

    const store = async ({ recipient, named }: AcceptedRecipient): Promise<string> => {
      const eventId = newId('evt', receivedAt, random(ID_RANDOM_BYTES));
      const settings = recipient.payload ?? SPEC_PAYLOAD;
      if (links && needsRawMail(settings, mail)) await links.keep(eventId, kept);
      const payload = buildPayload({
        eventId,
        addressId: recipient.id,
        envelope,
        rcptTo: recipients
          .filter((other) => other.recipient.account_id === recipient.account_id)
          .flatMap((accepted) => [...accepted.named.values()]), // D22
        plusTag: recipient.plus_tag,
        mail,
        sizeBytes: raw.byteLength,
        spam,
        authentication,
        receivedAt,
        now: clock(),
        settings,
        linkTo: links && ((file) => links.link(eventId, file, receivedAt)),
      });
      const event = {
        event_id: eventId,
        account_id: recipient.account_id,
        environment: recipient.environment,
        address_id: recipient.id,
        mail_from: envelope.mailFrom,
        from: headerForRecord(mail.headers.from),
        subject: headerForRecord(mail.headers.subject),
        size_bytes: raw.byteLength,
        received_at_ms: receivedAt.getTime(),
      };
      const storedFrom = performance.now();
      const stored = await queue.store(
        event,
        encodePayload(payload),
        foldDigest(recipient.id, [...named.keys()], envelope.mailFrom, rawDigest),
      );
      if (stored === 'full') throw new SmtpRefusal(queueFull);
      metrics.durablyStored(performance.now() - storedFrom);
      metrics.stored({
        isRepeat: stored.isRepeat,
        accountId: recipient.account_id,
        rawBytes: raw.byteLength,
      });
      return stored.eventId;
    };
    return { eventIds: await storeEach(recipients, raw.byteLength, store), bareLineEnds };
  };

  return async function receive(received) {
    assertInTime(received); // or mails that are too late would make those behind them late
    const { raw, envelope, recipients } = received;
    const question = {
      envelope,
      recipients: recipients.flatMap(({ named }) => [...named.values()]),
      queueId: Buffer.from(random(QUEUE_ID_BYTES)).toString('hex'),
    };
    const findings = await examine(raw, question); // before its turn: a mail that waits for the DNS keeps no other waiting
    return atWork(raw.byteLength, () => takeIn(received, findings));
  };
}

/** One after the other where the mail is large. After a failure no more are begun; what has begun is waited for, since it holds the mail. */
async function storeEach(
  recipients: readonly AcceptedRecipient[],
  bytes: number,
  store: (recipient: AcceptedRecipient) => Promise<string>,
): Promise<string[]> {
  const turn = createByteQueue(STORED_AT_ONCE_BYTES);
  let failure: { error: unknown } | undefined;
  const eventIds = recipients.map((recipient) =>
    turn(bytes, async () => {
      if (failure) return '';
      return await store(recipient).catch((error: unknown) => {
        failure ??= { error };
        return '';
      });
    }),
  );
  const stored = await Promise.all(eventIds);
  if (failure) throw failure.error;
  return stored;
}
