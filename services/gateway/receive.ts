/** DATA: a raw mail becomes one event for each accepted recipient; it is ours once the stream holds them all (design §3). */
import type { MailQueue } from '../adapters/mail-queue.ts';
import type { Recipient } from '../core/admission.ts';
import { SPEC_PAYLOAD } from '../core/address.ts';
import type { LinkedFile } from '../core/file-link.ts';
import { ID_RANDOM_BYTES, newId } from '../core/ids.ts';
import type { ReadMail } from '../adapters/mime-reader.ts';
import { foldDigest, headerForRecord } from '../core/mail-event.ts';
import { buildPayload, type Envelope, needsRawMail } from '../core/payload.ts';
import { encodePayload } from '../core/payload-bytes.ts';
import { SmtpRefusal, spamRefused } from '../core/smtp-reply.ts';
import { everyoneRefuses, spamOf } from '../core/spam.ts';
import type { Examine } from './examine.ts';
import type { GatewayMetrics } from './metrics.ts';

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
};

export type ReceiveIO = {
  read: ReadMail;
  examine: Examine;
  /** Lowest score with the verdict spam. */
  spamThreshold: number;
  queue: MailQueue;
  /** undefined where no links can be made. */
  links: RawMailLinks | undefined;
  metrics: Pick<GatewayMetrics, 'parsed' | 'judged' | 'durablyStored' | 'stored'>;
};

/** Raw mails that payloads link to. */
export type RawMailLinks = {
  keep(eventId: string, raw: Uint8Array): Promise<void>;
  link(eventId: string, file: LinkedFile, receivedAt: Date): string;
};

/** Resolves once all events are on disk. @throws SmtpRefusal when every recipient refuses such spam */
export type Receive = (received: ReceivedMail) => Promise<{ eventIds: string[]; /** Whether a CR or a LF stands alone in the mail. */ bareLineEnds: boolean }>;

export function createReceive({ read, examine, spamThreshold, queue, links, metrics }: ReceiveIO, clock: () => Date, random: (bytes: number) => Uint8Array): Receive {
  return async function receive({ raw, kept, envelope, recipients, receivedAt }) {
    const reading = async () => {
      const startedAt = performance.now();
      const found = await read(kept, raw.byteLength);
      metrics.parsed(performance.now() - startedAt);
      return found;
    };
    const question = { envelope, recipients: recipients.flatMap(({ named }) => [...named.values()]), queueId: Buffer.from(random(QUEUE_ID_BYTES)).toString('hex') };
    const [{ mail, larges, rawDigest, bareLineEnds }, { authentication, rspamd }] = await Promise.all([reading(), examine(raw, question)]);
    const spam = spamOf({ authentication, headers: mail.headers }, rspamd, spamThreshold);
    metrics.judged(spam);
    if (everyoneRefuses(recipients.map(({ recipient }) => recipient), spam.score)) throw new SmtpRefusal(spamRefused);

    const store = async ({ recipient, named }: AcceptedRecipient): Promise<string> => {
      const eventId = newId('evt', receivedAt, random(ID_RANDOM_BYTES));
      const settings = recipient.payload ?? SPEC_PAYLOAD;
      if (links && needsRawMail(settings, mail)) await links.keep(eventId, kept);
      const payload = buildPayload({
        eventId,
        addressId: recipient.id,
        envelope,
        rcptTo: recipients.filter((other) => other.recipient.account_id === recipient.account_id).flatMap(({ named }) => [...named.values()]), // D22
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
      const stored = await queue.store(event, encodePayload(payload, larges), foldDigest(recipient.id, [...named.keys()], envelope.mailFrom, rawDigest));
      metrics.durablyStored(performance.now() - storedFrom);
      metrics.stored({ isRepeat: stored.isRepeat, accountId: recipient.account_id, rawBytes: raw.byteLength });
      return stored.eventId;
    };
    return { eventIds: await Promise.all(recipients.map(store)), bareLineEnds };
  };
}
