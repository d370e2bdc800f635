/** Moves an email to the RETRY lane because of a limit. It needs no slot. */
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import { type Endings, acknowledge } from '../outcome/endings.ts';
import { type RecordOutcome, seenBy } from '../outcome/outcome-recorder.ts';
import type { Prepared } from './prepared.ts';

export type SleepIO = {
  record: RecordOutcome;
  /** An email moves to the RETRY lane. */
  delayed(): void;
  /** Whether the RETRY lane takes no more emails of this account. */
  isBacklogFull(accountId: string): Promise<boolean>;
};

/** A shorter wait for a receiver ends before a request could change it, so it is not recorded. */
const LONG_WAIT_MS = 5_000;

export const isLongWait = (until: Date, now: Date): boolean =>
  until.getTime() - now.getTime() >= LONG_WAIT_MS;

export const createPutToSleep = (
  io: SleepIO,
  endings: Pick<Endings, 'failed'>,
  clock: () => Date,
) =>
  async function putToSleep(
    mail: QueuedMail,
    { state, beganAt }: Pick<Prepared, 'state' | 'beganAt'>,
    at: Date,
  ): Promise<void> {
    const { event } = mail;
    io.delayed();
    if (mail.lane === 'mail' && (await io.isBacklogFull(event.account_id)))
      return endings.failed(mail, state, 'backlog_full');
    // D34: an email has a record. D35: a request may change a longer wait.
    if (state !== undefined && !isLongWait(at, clock())) return mail.retryAt(at, clock());
    const settlement = await io.record({
      ...seenBy(mail, state),
      kind: 'delayed',
      until: at,
      foundDueAt: state?.next_attempt_at ?? null,
      ...(beganAt.getTime() !== event.received_at_ms && { beganAt }),
    });
    await acknowledge(mail, settlement ?? { kind: 'retry', at, revision: mail.revision }, clock());
  };
