/** Emails that a dispatcher has pulled: each is delivered once, and its acknowledgment wait extended. */
import { createInterruptionLog } from '../adapters/process/interruption-log.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Lane, QueuedMail } from '../adapters/stream/pull.ts';
import type { SharedLimit } from '../core/delivery/claim.ts';
import { mailTrace } from '../core/id/trace-context.ts';
import type { AfterError } from './outcome/unprocessable.ts';
import type { AfterFreeingSlot } from './pacing/prepared.ts';
import type { Visibility } from './pacing/visibility.ts';

export type HandlingOptions = {
  /** @param slots of the email's partition and lane */
  deliver: (
    mail: QueuedMail,
    slots: SharedLimit,
    afterFreeingSlot: AfterFreeingSlot,
  ) => Promise<void>;
  ackWaitMs: number;
  visibility: Pick<Visibility, 'begin'>;
  inProgress: { inc(of: { lane: Lane }): void; dec(of: { lane: Lane }): void };
  /** The delivery of an email threw an error, so it is NAKed or set aside. */
  onNak: (lane: Lane) => void;
  afterError: AfterError;
};

type Handling = AsyncDisposable & {
  /** Resolves when the email is settled or NAKed. */
  handle(mail: QueuedMail, ofLane: SharedLimit, freeSlot: () => void): Promise<void>;
};

/** Bounds for emails that gave their slot back: a crash repeats their attempts. */
const WITHOUT_SLOT_MAX = 512;
const WITHOUT_SLOT_MAX_BYTES = 32 * 1024 * 1024;

/** Disposing it waits for the emails in progress. */
export function handleEmails(
  { deliver, ackWaitMs, visibility, inProgress, onNak, afterError }: HandlingOptions,
  log: Log,
): Handling {
  const pulled = new Map<string, { mail: QueuedMail; sinceMs: number; ended: Promise<void> }>();
  const interruptions = createInterruptionLog(log);
  const withoutSlot = { emails: 0, bytes: 0 };

  const afterFreeing =
    (freeSlot: () => void, { byteLength }: Uint8Array): AfterFreeingSlot =>
    async (work) => {
      const { emails, bytes } = withoutSlot;
      if (emails < WITHOUT_SLOT_MAX && bytes < WITHOUT_SLOT_MAX_BYTES) freeSlot();
      withoutSlot.emails++;
      withoutSlot.bytes += byteLength;
      try {
        await work();
      } finally {
        withoutSlot.emails--;
        withoutSlot.bytes -= byteLength;
      }
    };

  const heartbeat = setInterval(() => {
    for (const { mail, sinceMs } of pulled.values())
      if (performance.now() - sinceMs > ackWaitMs / 3) mail.working();
  }, ackWaitMs / 3);

  return {
    handle: async function handleEmail(mail, ofLane, freeSlot) {
      const id = `${mail.lane} ${mail.event.event_id}`; // an email can be in both lanes for a moment
      if (pulled.has(id)) return; // the same message again: settling the first copy settles both
      inProgress.inc({ lane: mail.lane });
      const end = mail.lane === 'mail' ? visibility.begin(mail) : undefined;
      const ended = deliver(mail, ofLane, afterFreeing(freeSlot, mail.payload))
        .then(() => afterError.succeeded(mail))
        .catch((error: unknown) => {
          const { event_id } = mail.event;
          const facts = { event_id, trace_id: mailTrace(event_id).traceId, lane: mail.lane };
          const isLogged = interruptions.report('error', 'mail.handed_back', { ...facts, error });
          if (!isLogged) log.debug('mail.handed_back', { ...facts, error });
          onNak(mail.lane);
          return afterError.failed(mail, error);
        })
        .finally(() => {
          end?.();
          pulled.delete(id);
          inProgress.dec({ lane: mail.lane });
        });
      pulled.set(id, { mail, sinceMs: performance.now(), ended });
      await ended;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled([...pulled.values()].map(({ ended }) => ended));
      clearInterval(heartbeat);
      interruptions[Symbol.dispose]();
    },
  };
}
