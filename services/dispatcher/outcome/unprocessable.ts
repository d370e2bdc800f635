/**
 * What becomes of an email whose delivery threw an error. A fault of Inlet delays it, within its
 * lifetime (D290). If the email is the cause, because its content is damaged or something throws each
 * time, it is recorded as failed with the reason after a few deliveries, and waits in FAILED (D162).
 * There it keeps no other email from being purged, can be erased, and be replayed once it is mended.
 */
import { causeChain, type Log } from '../../adapters/process/log.ts';
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import type { DeliveryState } from '../../core/delivery/delivery.ts';
import { unprocessableReason, whoseFault } from '../../core/delivery/fault.ts';
import { resume } from '../../core/delivery/resume.ts';
import { beginningOf } from '../../core/delivery/retry.ts';
import { causeOf } from '../../platform/servers/outages.ts';
import { acknowledge } from './endings.ts';
import { type RecordOutcome, seenBy } from './outcome-recorder.ts';

/** An email is set aside after so many deliveries in this process. */
const DELIVERIES = 3;
const FIRST_NAK_DELAY_MS = 1_000;
/** A fault that ends within a few seconds does not come from the email. */
const FAULT_NAK_DELAY_MS = 15_000;
const OUTAGE_NAK_DELAY_MS = 3_000;
/** Until the next try of an email whose key is missing, from its second delivery on. */
const KEY_WAITS_MS = [15_000, 60_000, 300_000];
/** Emails with a fault that are remembered. */
const MAX_REMEMBERED = 10_000;

export type AfterError = {
  /** The delivery of the email threw this error. NAKs the email, delays it, or sets it aside. */
  failed(mail: QueuedMail, error: unknown): Promise<void>;
  /** Its delivery ended without an error. */
  succeeded(mail: Pick<QueuedMail, 'event'>): void;
};

type AfterErrorIO = {
  stateOf(eventId: string): Promise<DeliveryState | undefined>;
  record: RecordOutcome;
  isBacklogFull(accountId: string): Promise<boolean>;
  counted(): void;
  expired(mail: QueuedMail, found: DeliveryState | undefined): Promise<void>;
};

export function createUnprocessable(
  io: AfterErrorIO,
  { lifetimeMs, clock }: { lifetimeMs: number; clock: () => Date },
  log: Log,
): AfterError {
  const faults = new Map<string, number>();

  const remember = (eventId: string): number => {
    const count = (faults.get(eventId) ?? 0) + 1;
    faults.delete(eventId);
    faults.set(eventId, count);
    const [oldest] = faults.keys();
    if (faults.size > MAX_REMEMBERED && oldest !== undefined) faults.delete(oldest);
    return count;
  };

  const setAside = async (
    mail: QueuedMail,
    found: DeliveryState | undefined,
    error: unknown,
  ): Promise<boolean> => {
    const reason = unprocessableReason(error);
    const attempt = {
      at: clock(),
      duration_ms: 0,
      outcome: 'blocked',
      status_code: null,
      error: `Inlet cannot process this email: ${reason}`,
      excerpt: null,
    } as const;
    const seen = { ...seenBy(mail, found), found: found?.unread };
    const step = { kind: 'give-up' } as const;
    const settlement = await io.record({ ...seen, kind: 'attempted', attempt, step });
    if (settlement?.kind === 'redeliver') return false;
    await acknowledge(mail, settlement ?? { kind: 'keep' }, clock());
    io.counted();
    const { event_id, account_id } = mail.event;
    log.error('mail.set_aside', { event_id, account_id, reason, error: causeChain(error) });
    return true;
  };

  /** In the RETRY lane, where it keeps no other email from being purged, until its time is over. */
  const putToSleep = async (
    mail: QueuedMail,
    found: DeliveryState | undefined,
    deliveries: number,
  ): Promise<boolean> => {
    const { event } = mail;
    const now = clock();
    const began = { began_at: found?.began_at, isFirst: false };
    const beganAt = beginningOf(event.received_at_ms, began, now);
    if (now.getTime() >= beganAt.getTime() + lifetimeMs) {
      await io.expired(mail, found);
      return true;
    }
    if (mail.lane === 'mail' && (await io.isBacklogFull(event.account_id))) return false;
    const waitMs = KEY_WAITS_MS[deliveries - 2] ?? Math.max(...KEY_WAITS_MS);
    const at = new Date(now.getTime() + waitMs);
    const seen = { ...seenBy(mail, found), foundDueAt: found?.next_attempt_at ?? null };
    const settlement = await io.record({ ...seen, kind: 'delayed', until: at });
    if (settlement?.kind === 'redeliver') return false;
    await acknowledge(mail, settlement ?? { kind: 'retry', at, revision: seen.revision }, now);
    return true;
  };

  /** @returns false if its record says that something else is to be done, which failed this time */
  const handled = async (mail: QueuedMail, error: unknown, deliveries: number) => {
    const isOurs = whoseFault(causeOf(error)) === 'ours';
    if (!isOurs && deliveries < DELIVERIES) return false;
    const found = await io.stateOf(mail.event.event_id);
    if (resume(found, clock(), mail.revision).kind !== 'attempt') return false;
    if (isOurs) return putToSleep(mail, found, deliveries);
    if (!(await setAside(mail, found, error))) return false;
    faults.delete(mail.event.event_id);
    return true;
  };

  return {
    failed: async (mail, error) => {
      const cause = causeOf(error);
      if (whoseFault(cause) === 'ours' && cause !== 'key_missing')
        return mail.nak(mail.isRepeat ? OUTAGE_NAK_DELAY_MS : FIRST_NAK_DELAY_MS);
      const deliveries = remember(mail.event.event_id);
      if (deliveries === 1) return mail.nak(FIRST_NAK_DELAY_MS); // another dispatcher may succeed
      if (!(await handled(mail, error, deliveries).catch(() => false)))
        mail.nak(FAULT_NAK_DELAY_MS);
    },
    succeeded: ({ event }) => void faults.delete(event.event_id),
  };
}
