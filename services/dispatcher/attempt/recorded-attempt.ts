/** Makes one attempt, records its outcome, and settles the message by the step that follows. */
import type { QueuedMail } from '../../adapters/stream/pull.ts';
import { contentUntil } from '../../core/delivery/retention.ts';
import { settlementAfter } from '../../core/delivery/resume.ts';
import { nextStep, unrecordedStep } from '../../core/delivery/retry.ts';
import { type EndingIO, type Endings, acknowledge } from '../outcome/endings.ts';
import { seenBy } from '../outcome/outcome-recorder.ts';
import type { Permit } from '../pacing/arrival.ts';
import { type AfterFreeingSlot, isSurelyNew, type Prepared } from '../pacing/prepared.ts';
import { SHOWN_AFTER_MS } from '../pacing/visibility.ts';
import { attemptRecord, type MakeAttempt } from './attempt.ts';
import type { Observe } from './attempt-observation.ts';

export type RecordedAttemptIO = Pick<EndingIO, 'record' | 'removeContent'> & {
  attempt: MakeAttempt;
  observe: Observe;
};

export const createRecordedAttempt = (
  io: RecordedAttemptIO,
  endings: Pick<Endings, 'forConsumer'>,
  {
    scheduleMs,
    clock,
    random,
  }: { scheduleMs: readonly number[]; clock: () => Date; random: () => number },
) =>
  async function recordedAttempt(
    mail: QueuedMail,
    { isNew, state, resumption, target }: Prepared,
    permit: Permit,
    afterFreeingSlot: AfterFreeingSlot,
  ): Promise<void> {
    const { event, revision } = mail;
    const { retryCount } = resumption;
    const startedAt = clock();
    const begun = { retryCount, target, dueAt: state?.next_attempt_at ?? null };
    const observation = io.observe(mail, begun);
    const { traceparent } = observation;
    const sent = { retryCount, traceparent, storedFiles: state?.stored_files };
    const result = await io.attempt(mail, target, sent, permit);
    if (result.isForConsumer)
      return afterFreeingSlot(() => endings.forConsumer(mail, state, result.storedFiles));
    const schedule = scheduleMs.slice(0, target?.webhook_retry_attempts); // D12
    const step = nextStep(result.outcome, resumption.attempt, schedule, clock(), random());
    observation.attempted(result, step);
    const retention = step.kind === 'done' ? target?.retention_hours : undefined;
    await afterFreeingSlot(async () => {
      const settlement = await io.record({
        ...seenBy(mail, state),
        kind: 'attempted',
        found: state?.unread,
        isNew: isNew && isSurelyNew(mail, SHOWN_AFTER_MS, clock()),
        attempt: attemptRecord(result, startedAt),
        headers: result.headers,
        step,
        contentUntil: contentUntil(clock(), retention),
        storedFiles: result.storedFiles,
      });
      // a request decided what is next: the stream redelivers the email, and its record says it
      if (settlement?.kind === 'redeliver') return mail.nak();
      observation.recorded(step);
      const unrecorded = () => unrecordedStep(step, event.received_at_ms, schedule, clock());
      await acknowledge(mail, settlement ?? settlementAfter(unrecorded(), revision), clock());
      if (retention === 0) await io.removeContent(mail);
    });
  };
