/** Records how a delivery ends or waits without an attempt, and settles its message by that. */
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import type { StoredFiles } from '../../core/bucket/stored-files.ts';
import type { DeliveryState } from '../../core/delivery/delivery.ts';
import type { Settlement } from '../../core/delivery/delivery-event.ts';
import type { FailedEnd, Unsent } from '../../core/delivery/delivery-end.ts';
import { contentUntil } from '../../core/delivery/retention.ts';
import { unreadFrom } from '../../core/delivery/unread.ts';
import { type RecordOutcome, seenBy } from './outcome-recorder.ts';

export type EndingIO = {
  record: RecordOutcome;
  /** Removes the content of a delivered email. The janitor does it if this fails. */
  removeContent(mail: Pick<QueuedMail, 'event' | 'storedAt'>): Promise<void>;
  /** An email ended without an attempt. */
  gaveUp(mail: Pick<QueuedMail, 'event'>, as: FailedEnd): void;
};

type Found = DeliveryState | undefined;

export type Endings = {
  /** Rules hold or drop it, or no webhook is sent. A held email waits in FAILED for its release. */
  unattempted(
    mail: QueuedMail,
    found: Found,
    end: { kind: 'held' | 'dropped' } | { kind: 'unsent'; as: Unsent },
    retention: number | undefined,
  ): Promise<void>;
  /**
   * Ends the email as failed. Its copy goes to FAILED, unless it would fill the disk of the backlog:
   * then the one in the MAIL lane, which makes room when that is needed, is the only one.
   */
  failed(mail: QueuedMail, found: Found, as: 'expired' | 'backlog_full'): Promise<void>;
  /** Its content waits in FAILED, and its record for a consumer. */
  forConsumer(mail: QueuedMail, found: Found, files: StoredFiles | undefined): Promise<void>;
};

/** @param keptMs how long FAILED stores an email */
export function createEndings(
  io: EndingIO,
  { keptMs, clock }: { keptMs: number; clock: () => Date },
): Endings {
  return {
    unattempted: async function endUnattempted(mail, found, end, retention) {
      const until = contentUntil(clock(), retention);
      const event =
        end.kind === 'held'
          ? { ...seenBy(mail, found), kind: end.kind }
          : { ...seenBy(mail, found), ...end, contentUntil: until };
      const settlement = await io.record(event);
      await acknowledge(mail, settlement ?? { kind: 'redeliver' }, clock());
      if (settlement?.kind === 'acknowledge' && retention === 0) await io.removeContent(mail);
    },

    failed: async function endFailed(mail, found, as) {
      const event = { ...seenBy(mail, found), kind: 'given_up', as } as const;
      const settlement = (await io.record(event)) ?? { kind: 'redeliver' };
      if (settlement.kind !== 'redeliver') io.gaveUp(mail, as);
      await acknowledge(mail, settlement, clock());
    },

    forConsumer: async function keepForConsumer(mail, found, storedFiles) {
      const unread = unreadFrom(mail.event, found?.unread, clock(), keptMs);
      const seen = { ...seenBy(mail, found), found: found?.unread };
      const settlement = await io.record({ ...seen, kind: 'kept', unread, storedFiles });
      await acknowledge(mail, settlement ?? { kind: 'keep' }, clock());
    },
  };
}

/** What is recorded says it. After a crash before this, `resume` repeats it. */
export async function acknowledge(mail: QueuedMail, as: Settlement, now: Date): Promise<void> {
  if (as.kind === 'acknowledge') return mail.done();
  if (as.kind === 'keep') return mail.moveToFailed();
  return as.kind === 'retry' ? mail.retryAt(as.at, now) : mail.nak();
}
