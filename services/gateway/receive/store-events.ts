/** Stores an email: one event for the first receiver of each recipient, and one for each further one. */
import { renewCpuTime } from '../../adapters/threads/job.ts';
import type { StoreMail } from '../../adapters/stream/store.ts';
import { digestOfRaw, receiverEventId } from '../../core/delivery/mail-event.ts';
import { createFilter, type EvaluateFilter } from '../../core/expression/filter.ts';
import { type Acceptance, heldBecause } from '../../core/decision/decision.ts';
import type { RecipientRefusal } from '../../core/refusal/decided-by.ts';
import { queueFull, SmtpRefusal } from '../../core/smtp/smtp-reply.ts';
import { encodePayload } from '../../core/webhook/payload-bytes.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import { type RecipientEmail, storedEvent, firstReceiver, type Receiver } from './stored-event.ts';
import { mapInGroups } from './limited-concurrency.ts';
import { createByteQueue } from './memory-budget.ts';
import type { KnownEmail } from './read-email.ts';
import type {
  FileLink,
  MailFiles,
  ReceivedMail,
  Repeat,
  Stored,
  StoredEvent,
} from './received-mail.ts';
import { inStage } from '../process/stage.ts';

export type StoreEventsIO = {
  storeMail: StoreMail;
  files: MailFiles;
  /** undefined where no links can be made. */
  link: FileLink | undefined;
  metrics: Pick<GatewayMetrics, 'durablyStored' | 'stored' | 'filterFailed'>;
};

export type StoreEvents = (
  received: ReceivedMail,
  known: KnownEmail,
  emails: readonly RecipientEmail[],
  /** For each email. */
  decided: readonly Acceptance[],
  /** Whether its repeats fold with it. */
  folds: boolean,
) => Promise<
  Omit<Stored, 'authors'> & {
    /** Ids of addresses whose own filter was not evaluated. */
    heldAt: ReadonlySet<string>;
  }
>;

const NOTHING_DECIDED: Acceptance = { tags: [], ruling: null };

/**
 * Raw bytes for which payloads are built and stored at the same time: an email to a hundred
 * recipients is a hundred payloads.
 */
const STORED_TOGETHER_BYTES = 4 * 1024 * 1024;
/** The same for all emails of this thread. Others wait: a payload takes up to six times as much. */
const WRITTEN_TOGETHER_BYTES = 16 * 1024 * 1024;

export function createStoreEvents(
  { storeMail, files, link, metrics }: StoreEventsIO,
  clock: () => Date,
): StoreEvents {
  const inQueue = createByteQueue(WRITTEN_TOGETHER_BYTES);

  return async function storeEvents(received, known, emails, decisions, folds) {
    const { raw, withReceived } = received;
    const { mail, bareLineEnds } = known;
    const rawDigest = folds ? digestOfRaw(raw) : undefined;
    const repeats: Repeat[] = [];

    const storeEvent = async (
      email: RecipientEmail,
      decidedForAll: Acceptance,
      receiver: Receiver,
    ): Promise<StoredEvent> => {
      const decided = receiver.isNotEvaluated
        ? heldBecause('not_evaluated', decidedForAll)
        : decidedForAll;
      renewCpuTime(); // an email to a hundred recipients takes a hundred times as much
      const {
        event,
        payload,
        digest,
        files: needed,
      } = inStage('storing', () =>
        storedEvent(email, receiver, decided, known, received, rawDigest, link),
      );
      const { id: addressId, account_id: accountId, content_key: key } = email.accepted.recipient;
      const owner = key && { accountId, key };
      if (needed.raw) await files.storeRaw(receiver.eventId, withReceived, owner);
      if (needed.attachments)
        await files.storeAttachments(receiver.eventId, mail.attachments, owner);
      const { stored, storedFrom, storeMs } = await inQueue(raw.byteLength, async () => {
        const pieces = inStage('storing', () => encodePayload(payload));
        const startedAt = clock();
        const startedMs = performance.now();
        const result = await storeMail(event, pieces, digest, key);
        if (result === 'full') throw new SmtpRefusal(queueFull);
        const ms = performance.now() - startedMs;
        return { stored: result, storedFrom: startedAt, storeMs: ms };
      });
      metrics.durablyStored(storeMs);
      if (receiver.email === undefined)
        metrics.stored({ isRepeat: stored.isRepeat, accountId, rawBytes: raw.byteLength });
      if (stored.isRepeat) repeats.push({ event, first: stored.first });
      return {
        eventId: (stored.isRepeat ? stored.first.eventId : undefined) ?? receiver.eventId,
        accountId,
        addressId,
        isRepeat: stored.isRepeat,
        storedFrom,
        storeMs,
      };
    };

    const together = Math.max(1, Math.floor(STORED_TOGETHER_BYTES / raw.byteLength));
    /** The ids of further receivers' events follow from that of the address, so it is stored first. */
    const storeFor = async (email: RecipientEmail, at: number): Promise<StoredEvent> => {
      const decided = decisions[at] ?? NOTHING_DECIDED;
      const filter = filterOf(email, decided, metrics);
      const first = inStage('rules', () => firstReceiver(email, filter, received.receivedAt));
      if (first.isNotEvaluated) heldAt.add(first.id);
      const stored = await storeEvent(email, decided, first);
      const further = inStage('rules', () => passing(email, filter, stored.eventId));
      await mapInGroups(further, together, (receiver) => storeEvent(email, decided, receiver));
      return stored;
    };
    const heldAt = new Set<string>();
    const refused: RecipientRefusal[] = [];
    const store = async (email: RecipientEmail, at: number): Promise<StoredEvent[]> => {
      try {
        return [await storeFor(email, at)];
      } catch (error) {
        if (!received.repliesEach || !(error instanceof SmtpRefusal)) throw error;
        refused.push({ addressId: email.accepted.recipient.id, reply: error.reply });
        return [];
      }
    };
    const events = (await mapInGroups(emails, together, store)).flat();
    return { events, refused, repeats, bareLineEnds, heldAt };
  };
}

/** The filters of all receivers read one email. Failures are counted. */
function filterOf(
  { facts }: RecipientEmail,
  { tags }: Acceptance,
  metrics: Pick<GatewayMetrics, 'filterFailed'>,
): EvaluateFilter {
  const filter = createFilter({ ...facts, tags });
  return function evaluateFilter(when) {
    const filtered = filter(when);
    if (filtered.error !== undefined) metrics.filterFailed();
    return filtered;
  };
}

/** The further receivers whose filter lets the email pass. */
function passing(
  { accepted: { recipient } }: RecipientEmail,
  filter: EvaluateFilter,
  eventId: string,
): Receiver[] {
  const { id: address_id, receivers = [] } = recipient;
  const email = { address_id, event_id: eventId };
  return receivers.flatMap(({ id, payload: settings, when, format }) => {
    const { passes, error: filterError, isNotEvaluated } = filter(when);
    if (!passes && !isNotEvaluated) return [];
    const own = { id, eventId: receiverEventId(eventId, id), settings, format, email };
    return [{ ...own, filterError, isNotEvaluated }];
  });
}
