/**
 * Leases emails to consumers of a pull receiver, and ends the leases. An acknowledgment and a return are
 * attempts in the record of the delivery, counted like a POST.
 */
import { randomBytes } from 'node:crypto';

import { createFreshCache } from '../../adapters/async/fresh-cache.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { EmailWithLease, UnreadEmail } from '../../adapters/mongo/delivery/leases.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import { type AddressScope, ownedBy } from '../../core/address/scope.ts';
import { AppError, orNotFound, RETRY_AFTER_SECONDS } from '../../core/error/app-error.ts';
import { attemptCount, revisionOf } from '../../core/delivery/delivery.ts';
import type { DispatchEvent } from '../../core/delivery/delivery-event.ts';
import {
  eventOfRecord,
  LEASE_TOTAL_MS,
  leaseAttempt,
  type LeaseEnd,
  leaseIdOf,
  LEASES_MAX,
  readLeaseId,
  unreadAfter,
} from '../../core/pull/lease.ts';
import type { LeaseResult } from '../../core/pull/leased-email.ts';
import { contentUntil } from '../../core/delivery/retention.ts';
import { nextStep, type Outcome } from '../../core/delivery/retry.ts';
import { base32, ID_RANDOM_BYTES } from '../../core/id/ids.ts';
import { takeFitting } from './leased-response.ts';

type LeaseIO = {
  deliveries: Pick<
    Deliveries,
    'leasable' | 'countLeased' | 'lease' | 'leased' | 'noteRequest' | 'record' | 'findAll'
  >;
  store: Pick<ReplayStore, 'removeFailed'>;
  target: (receiverId: string) => Promise<WebhookTarget | undefined>;
  scheduleMs: readonly number[];
  region: string | undefined;
  clock: () => Date;
  counted: (result: LeaseEnd, count: number) => void;
};

type End = { outcome: Outcome; error: string | null; as: LeaseEnd };

/** What a consumer does with what it has leased. */
export type LeaseChange = End | { renewedMs: number };

export const ACKNOWLEDGED: End = {
  outcome: { kind: 'accepted', status: 200 },
  error: null,
  as: 'acknowledged',
};

/** @param retryAfterMs undefined for when the schedule says */
export const returned = (why: string | undefined, retryAfterMs: number | undefined): End => ({
  outcome: { kind: 'busy', status: 503, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  error: `the consumer returned it${why ? `: ${why}` : ''}`,
  as: 'returned',
});

/** No later attempt would succeed. */
export const rejected = (why: string | undefined): End => ({
  outcome: { kind: 'refused', status: 422 },
  error: `the consumer rejected it${why ? `: ${why}` : ''}`,
  as: 'rejected',
});

const GONE = 'the payload is no longer stored';

export type Leases = {
  /** @throws AppError `conflict` when consumers hold as many as they may */
  next(scope: AddressScope, receiverId: string, max: number, ms: number): Promise<EmailWithLease[]>;
  /** Ends or renews leases. */
  change(
    scope: AddressScope,
    receiverId: string,
    ids: readonly string[],
    how: LeaseChange,
  ): Promise<LeaseResult>;
  /** The contents of leased emails are gone. */
  fail(receiverId: string, gone: readonly UnreadEmail[]): Promise<void>;
};

/** `last_pulled_at` is written once in a while: accurate to the minute. */
const NOTED_EVERY_MS = 30_000;
const NOTED_MAX = 10_000;
/** Requests to NATS in flight for one call. */
const TOGETHER = 8;

export function createLeases({ deliveries, store, region, clock, ...io }: LeaseIO): Leases {
  const noted = createFreshCache<{ at: Date }>({
    maxSize: NOTED_MAX,
    freshMs: () => NOTED_EVERY_MS,
    nowMs: () => clock().getTime(),
  });

  const begin = async (scope: AddressScope, receiverId: string) => {
    await noted.get(receiverId, async () => {
      const at = clock();
      await deliveries.noteRequest(receiverId, at);
      return { at };
    });
    return { of: { ...ownedBy(scope), receiverId, region }, now: clock() };
  };

  const changeOf = (
    one: UnreadEmail,
    { outcome, error }: Omit<End, 'as'>,
    target: WebhookTarget,
    now: Date,
  ): DispatchEvent => {
    const schedule = io.scheduleMs.slice(0, target.webhook_retry_attempts); // D12
    const number = attemptCount(one) - one.attempts_before_replay + 1;
    const step = nextStep(outcome, number, schedule, now, Math.random());
    return {
      kind: 'attempted',
      mail: eventOfRecord(one),
      storedAt: one.stored_at,
      revision: revisionOf(one),
      found: one.unread,
      attempt: leaseAttempt(one.unread, { outcome: outcome.kind, error }, now),
      step,
      unread: unreadAfter(step, one.unread),
      contentUntil: step.kind === 'done' ? contentUntil(now, target.retention_hours) : undefined,
    };
  };

  /** @returns those that nothing else has ended */
  const end = async (leased: readonly UnreadEmail[], how: Omit<End, 'as'>, receiverId: string) => {
    if (leased.length === 0) return [];
    const target = orNotFound(await io.target(receiverId), 'receiver');
    const now = clock();
    const changes = leased.map((one) => changeOf(one, how, target, now));
    const settled = await deliveries.record(changes, now);
    const ended = leased.filter(({ event_id }) => settled.get(event_id)?.kind !== 'redeliver');
    // what cannot be removed now ends with FAILED_RETENTION
    if (how.outcome.kind === 'accepted')
      for (let from = 0; from < ended.length; from += TOGETHER)
        await Promise.allSettled(ended.slice(from, from + TOGETHER).map(store.removeFailed));
    return ended;
  };

  const renew = (leased: readonly UnreadEmail[], ms: number, now: Date) => {
    const sinceMs = now.getTime() - LEASE_TOTAL_MS;
    const fresh = leased
      .filter(hasLease)
      .filter(({ unread }) => unread.lease.since.getTime() > sinceMs);
    return deliveries.lease(fresh, new Date(now.getTime() + ms), now);
  };

  return {
    next: async function leaseNext(scope, receiverId, max, ms) {
      const { of, now } = await begin(scope, receiverId);
      const found = await deliveries.leasable(of, now, max);
      if (found.length === 0) return [];
      const room = LEASES_MAX - (await deliveries.countLeased(of, now, LEASES_MAX));
      if (room <= 0) throw tooManyLeases();
      const lease = { id: base32(randomBytes(ID_RANDOM_BYTES)), since: now };
      const wanted = takeFitting(found.slice(0, room)).map((one) => ({
        ...one,
        unread: { ...one.unread, lease },
      }));
      const leased = await deliveries.lease(wanted, new Date(now.getTime() + ms), now);
      io.counted('leased', leased.length);
      return leased;
    },

    change: async function changeLeases(scope, receiverId, ids, how) {
      const { of, now } = await begin(scope, receiverId);
      const names = new Map(ids.map((id) => [id, readLeaseId(id)]));
      const found = await deliveries.leased(of, [...names.values()], now);
      const isRenewal = 'renewedMs' in how;
      const changed = isRenewal
        ? await renew(found, how.renewedMs, now)
        : await end(found, how, receiverId);
      if (!isRenewal) io.counted(how.as, changed.length);
      const done = new Set(changed.map(({ event_id, unread }) => leaseIdOf(event_id, unread)));
      if (!isRenewal) for (const { event_id } of changed) done.add(event_id);
      let lost = [...names.keys()].filter((id) => !done.has(id));
      if (!isRenewal && how.as === 'acknowledged' && lost.length > 0) {
        // an answer that got lost is asked for again: what is delivered counts as done
        const eventIds = lost.map((id) => readLeaseId(id).eventId);
        const delivered = (await deliveries.findAll(scope, eventIds)).flatMap((one) =>
          one.status === 'delivered' ? [one.event_id] : [],
        );
        lost = lost.filter((id) => !delivered.includes(readLeaseId(id).eventId));
      }
      return { count: names.size - lost.length, lost };
    },

    fail: async function failLeased(receiverId, gone) {
      const blocked = { outcome: { kind: 'blocked', reason: GONE }, error: GONE } as const;
      await end(gone, blocked, receiverId);
    },
  };
}

const hasLease = (one: UnreadEmail): one is EmailWithLease => one.unread.lease !== undefined;

const tooManyLeases = () =>
  new AppError(
    'conflict',
    `Consumers of this receiver hold ${LEASES_MAX} emails. Acknowledge or return some of them first`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
