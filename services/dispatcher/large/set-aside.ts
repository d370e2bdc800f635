/**
 * Ends emails that Inlet itself cannot process: their stored content is damaged, a secret cannot be
 * decrypted, or something throws each time (D162). After a few deliveries they are recorded as failed
 * with the reason, and wait in FAILED. There they keep no other email from being purged, can be
 * erased, and be replayed once they are mended.
 */
import { causeChain, type Log } from '../../adapters/process/log.ts';
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import { type DeliveryState, resume } from '../../core/delivery/delivery.ts';
import { unprocessableReason, Unprocessable } from '../../core/delivery/unprocessable.ts';
import { Interrupted, isOutage } from '../../platform/servers/outages.ts';
import type { RecordOutcome } from './outcome-recorder.ts';
import type { Fault } from './thread-faults.ts';

/** An email is set aside after so many deliveries in this process. */
const DELIVERIES = 3;
const FIRST_NAK_DELAY_MS = 1_000;
/** A fault that ends within a few seconds does not come from the email. */
const FAULT_NAK_DELAY_MS = 15_000;
const OUTAGE_NAK_DELAY_MS = 3_000;
/** Emails with a fault that are remembered. */
const MAX_REMEMBERED = 10_000;

export type AfterError = {
  /** The delivery of the email threw this error. NAKs the email, or sets it aside. */
  failed(mail: QueuedMail, error: unknown): Promise<void>;
  /** Its delivery ended without an error. */
  succeeded(mail: Pick<QueuedMail, 'event'>): void;
};

export function createSetAside(
  io: {
    stateOf(eventId: string): Promise<DeliveryState | undefined>;
    record: RecordOutcome;
    counted(): void;
  },
  clock: () => Date,
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

  /** Not if its record says that something else is to be done, which failed this time. */
  const setAside = async (mail: QueuedMail, error: unknown): Promise<boolean> => {
    const { event, storedAt } = mail;
    const state = await io.stateOf(event.event_id);
    if (resume(state, clock(), mail.revision).kind !== 'attempt') return false;
    const reason = unprocessableReason(error);
    const attempt = {
      at: clock(),
      duration_ms: 0,
      outcome: 'blocked',
      status_code: null,
      error: `Inlet cannot process this email: ${reason}`,
      excerpt: null,
    } as const;
    const ended = { attempt, status: 'failed', nextAttemptAt: null } as const;
    const recorded = await io.record({ event, storedAt, found: state, ...ended });
    if (recorded === 'overtaken') return false;
    await mail.moveToFailed();
    io.counted();
    const { event_id, account_id } = event;
    log.error('mail.set_aside', { event_id, account_id, reason, error: causeChain(error) });
    return true;
  };

  return {
    failed: async (mail, error) => {
      const { event_id } = mail.event;
      if (isOutage(error))
        return mail.nak(mail.isRepeat ? OUTAGE_NAK_DELAY_MS : FIRST_NAK_DELAY_MS);
      const count = remember(event_id);
      if (count >= DELIVERIES && (await setAside(mail, error).catch(() => false)))
        return void faults.delete(event_id);
      mail.nak(count === 1 ? FIRST_NAK_DELAY_MS : FAULT_NAK_DELAY_MS);
    },
    succeeded: ({ event }) => void faults.delete(event.event_id),
  };
}

/** The result of a job in a thread. @throws Unprocessable when its email cannot be processed */
export async function unlessFault<T extends object | undefined>(
  job: Promise<T | Fault>,
): Promise<T> {
  const result = await job.catch((cause: unknown) => {
    throw new Interrupted('a job of a thread', { cause });
  });
  if (result === undefined || !('fault' in result)) return result;
  throw new Unprocessable(result.fault.reason, result.fault.detail);
}
