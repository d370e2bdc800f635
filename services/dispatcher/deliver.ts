/** An accepted mail becomes a signed POST. consume.ts takes it off the stream, this file makes one attempt, core/delivery/retry decides what follows. */
import type { Directory } from '../platform/address-directory.ts';
import type { Log } from '../adapters/process/log.ts';
import type { QueuedMail } from '../adapters/stream/mail-lanes.ts';
import type { WebhookResult, Webhooks } from '../adapters/http/webhook.ts';
import { signingSecrets, type WebhookTarget } from '../core/account/address.ts';
import {
  type Attempt,
  type DeliveryState,
  resume,
  statusAfter,
} from '../core/delivery/delivery.ts';
import { nextStep, type Step } from '../core/delivery/retry.ts';
import { type SigningKeys, signingKeys } from '../core/delivery/signature.ts';
import type { AddressGates, Pass, Taught } from './address-gates.ts';
import type { LargePosts } from './large-posts.ts';
import type { DispatcherMetrics } from './metrics.ts';
import type { RecordOutcome } from './outcome-recorder.ts';
import { postSigned } from './signed-post.ts';

export type DeliverIO = {
  targets: Directory<WebhookTarget>;
  webhooks: Pick<Webhooks, 'post'>;
  largePosts: Pick<LargePosts, 'post'>;
  gates: Pick<AddressGates, 'enter'>;
  /** Where an event stands; undefined without a record. */
  stateOf(eventId: string): Promise<DeliveryState | undefined>;
  record: RecordOutcome;
  metrics: DispatcherMetrics;
};

export type DeliverOptions = {
  scheduleMs: readonly number[];
  userAgent: string;
  clock: () => Date;
  /** In [0, 1). */
  random: () => number;
};

/** An older mail is looked up, though the stream says that it was never delivered: a consumer that was lost and made anew says so of all. */
const SURELY_NEW_MS = 5_000;

/** Takes one mail as far as it goes now: delivered, asleep until its next attempt, given up, or handed back. */
export function createDeliver(
  io: DeliverIO,
  { scheduleMs, userAgent, clock, random }: DeliverOptions,
  log: Log,
) {
  const keyCache = new WeakMap<WebhookTarget, Map<string, SigningKeys>>(); // as long as the directory remembers the target

  const keysOf = (target: WebhookTarget): SigningKeys[] => {
    const known = keyCache.get(target) ?? new Map<string, SigningKeys>();
    keyCache.set(target, known);
    return signingSecrets(target, clock()).map((secret) => {
      const keys = known.get(secret) ?? signingKeys(secret);
      known.set(secret, keys);
      return keys;
    });
  };

  return async function deliver(mail: QueuedMail): Promise<void> {
    const { event } = mail;
    if (!mail.isRepeat && mail.dueAt !== undefined && mail.dueAt > clock())
      return mail.retryAt(mail.dueAt);

    const isKnownNew =
      mail.lane === 'mail' &&
      !mail.isRepeat &&
      clock().getTime() - event.received_at_ms < SURELY_NEW_MS;
    const state = isKnownNew ? undefined : await io.stateOf(event.event_id);
    const resumption = resume(state, clock());
    if (resumption.kind === 'settle') return settle(mail, resumption.step);
    const target = await io.targets.get(event.address_id);

    const entry = await io.gates.enter(event.address_id, {
      hadTurn: mail.lane === 'retry',
      payloadBytes: event.payload_bytes,
    });
    if (entry.kind === 'closed') return mail.handBack();
    if (entry.kind === 'later') {
      io.metrics.delayed();
      return mail.retryAt(entry.at);
    }
    const startedAt = clock();
    if (resumption.retryCount === 0)
      io.metrics.firstAttempt(startedAt.getTime() - event.received_at_ms);
    else if (state?.next_attempt_at)
      io.metrics.retried(startedAt.getTime() - state.next_attempt_at.getTime());
    const answer = await attempt(mail, target, resumption.retryCount, entry.pass);
    const schedule = scheduleMs.slice(0, target?.webhook_retry_attempts); // D12
    const step = nextStep(answer.outcome, resumption.attempt, schedule, clock(), random());
    io.metrics.attempted(answer.outcome, answer.durationMs, event.account_id);
    log.info('delivery.attempted', {
      event_id: event.event_id,
      address_id: event.address_id,
      attempt: resumption.retryCount + 1,
      duration_ms: answer.durationMs,
      outcome: answer.outcome.kind,
      status: 'status' in answer.outcome ? answer.outcome.status : undefined,
      reason: answer.error ?? undefined,
      next: step.kind,
      unusual_port: answer.unusualPort,
    });
    await io.record({
      event,
      storedAt: mail.storedAt,
      attempt: attemptRecord(answer, startedAt),
      status: statusAfter(step),
      nextAttemptAt: step.kind === 'retry' ? step.at : null,
    });
    if (step.kind !== 'retry')
      io.metrics.ended(step.kind === 'done' ? 'delivered' : 'failed', event.account_id);
    await settle(mail, step);
  };

  /** Whatever happens, the gate is left. */
  async function attempt(
    { event, payload }: QueuedMail,
    target: WebhookTarget | undefined,
    retryCount: number,
    pass: Pass,
  ): Promise<WebhookResult> {
    let taught: Taught | undefined; // an attempt that was not made teaches nothing about the receiver
    io.metrics.inFlight.inc();
    try {
      if (target === undefined) return impossible('the address is gone');
      const post = {
        eventId: event.event_id,
        retryCount,
        url: target.webhook_url,
        userAgent,
        keys: keysOf(target),
      };
      const answer =
        event.payload_in === 'bucket'
          ? await io.largePosts.post(post, pass.called)
          : await postSigned([payload], post, io.webhooks, clock(), pass.called);
      if (answer === undefined) return impossible('the payload is gone');
      taught = {
        durationMs: answer.durationMs,
        isFailure: answer.outcome.kind === 'busy' || answer.outcome.kind === 'unreachable',
      };
      return answer;
    } finally {
      io.metrics.inFlight.dec();
      pass.leave(taught);
    }
  }
}

const impossible = (reason: string): WebhookResult => ({
  outcome: { kind: 'blocked', reason },
  durationMs: 0,
  excerpt: null,
  error: reason,
});

/** The record stands; now the stream follows it. A crash before this is repeated by `resume`. */
async function settle(mail: QueuedMail, step: Step): Promise<void> {
  if (step.kind === 'done') return mail.done();
  return step.kind === 'retry' ? mail.retryAt(step.at) : mail.keepFailed();
}

const attemptRecord = (
  { outcome, durationMs, excerpt, error }: WebhookResult,
  at: Date,
): Attempt => ({
  at,
  duration_ms: durationMs,
  outcome: outcome.kind,
  status_code: 'status' in outcome ? outcome.status : null,
  error,
  excerpt,
});
