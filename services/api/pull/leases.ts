/**
 * Leases emails to consumers of a pull receiver, and ends the leases. Each end is an attempt in the
 * record of the delivery, counted like a POST. Its message sleeps in the RETRY lane: a dispatcher
 * that pulls it finds in the record what has become of it.
 */
import { randomBytes } from 'node:crypto';

import { createFreshCache } from '../../adapters/async/fresh-cache.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { DeliveryChange } from '../../adapters/mongo/delivery/changes.ts';
import type { LeaseOf, Offered, OfferScope } from '../../adapters/mongo/delivery/offers.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import { type AddressScope, ownedBy } from '../../core/address/scope.ts';
import { AppError, notFound, RETRY_AFTER_SECONDS } from '../../core/app-error.ts';
import { attemptCount, statusAfter } from '../../core/delivery/delivery.ts';
import { eventOfRecord } from '../../core/pull/event-of-record.ts';
import {
  expiredLease,
  LEASE_TOTAL_MS,
  LEASES_MAX,
  scheduledBy,
} from '../../core/delivery/offer.ts';
import { leaseAttempt, type LeaseEnd, leaseIdOf, readLeaseId } from '../../core/pull/lease.ts';
import { contentUntil } from '../../core/delivery/retention.ts';
import { nextStep, type Outcome, type Step } from '../../core/delivery/retry.ts';
import { base32, ID_RANDOM_BYTES } from '../../core/ids.ts';
import { takeFitting } from './response-size.ts';

type LeaseIO = {
  deliveries: Pick<
    Deliveries,
    | 'offered'
    | 'countLeased'
    | 'lease'
    | 'leased'
    | 'renew'
    | 'unlease'
    | 'noteRequest'
    | 'record'
    | 'findAll'
  >;
  target: (receiverId: string) => Promise<WebhookTarget | undefined>;
  scheduleMs: readonly number[];
  region: string | undefined;
  clock: () => Date;
  /** In [0, 1). */
  random: () => number;
  counted: (result: LeaseEnd, count: number) => void;
};

type Result = { count: number; lost: string[] };

/** Why a consumer returns emails. */
type Return = {
  reason: string | undefined;
  /** Not before this time has passed; undefined for when the schedule says. */
  retryAfterMs: number | undefined;
  /** No later attempt would succeed. */
  isFinal: boolean;
};

export type Leases = {
  /** @throws AppError `conflict` when consumers hold as many as they may */
  next(scope: AddressScope, receiverId: string, max: number, leaseMs: number): Promise<Offered[]>;
  acknowledge(scope: AddressScope, receiverId: string, ids: readonly string[]): Promise<Result>;
  giveBack(
    scope: AddressScope,
    receiverId: string,
    ids: readonly string[],
    why: Return,
  ): Promise<Result>;
  renew(
    scope: AddressScope,
    receiverId: string,
    ids: readonly string[],
    leaseMs: number,
  ): Promise<Result>;
  /** The content of a leased email is gone. */
  fail(receiverId: string, gone: readonly Offered[]): Promise<void>;
  /** What was leased has not reached the consumer. */
  undo(scope: AddressScope, receiverId: string, leased: readonly Offered[]): Promise<void>;
};

/** `asked` is written once in a while: accurate to the minute. */
const NOTED_EVERY_MS = 30_000;
const NOTED_MAX = 10_000;
/** Leases that have ended may be the oldest offers: each round ends some of them. */
const ROUNDS_MAX = 3;

export function createLeases({ deliveries, ...io }: LeaseIO): Leases {
  const { clock, region } = io;
  const noted = createFreshCache<{ at: Date }>({
    maxSize: NOTED_MAX,
    freshMs: () => NOTED_EVERY_MS,
    nowMs: () => clock().getTime(),
  });
  const scopeOf = (scope: AddressScope, receiverId: string): OfferScope => ({
    ...ownedBy(scope),
    receiverId,
    region,
  });

  /** A consumer is there: its receiver is not one that does not answer. */
  const note = (receiverId: string): Promise<unknown> =>
    noted.get(receiverId, async () => {
      const at = clock();
      await deliveries.noteRequest(receiverId, at);
      return { at };
    });

  const targetOf = async (receiverId: string): Promise<WebhookTarget> => {
    const target = await io.target(receiverId);
    if (target === undefined) throw notFound('receiver');
    return target;
  };

  const stepOf = (one: Offered, outcome: Outcome, target: WebhookTarget): Step => {
    const schedule = io.scheduleMs.slice(0, target.webhook_retry_attempts); // D12
    const number = attemptCount(one) - one.attempts_before_replay + 1;
    return nextStep(outcome, number, schedule, clock(), io.random());
  };

  const changeOf = (
    one: Offered,
    { outcome, error }: { outcome: Outcome; error: string | null },
    target: WebhookTarget,
  ): DeliveryChange => {
    const now = clock();
    const step = stepOf(one, outcome, target);
    return {
      event: eventOfRecord(one),
      storedAt: one.stored_at,
      found: one,
      attempt: leaseAttempt(one.offer, { outcome: outcome.kind, error }, now),
      status: statusAfter(step),
      ...scheduledBy(step, one.offer),
      contentUntil: step.kind === 'done' ? contentUntil(now, target.retention_hours) : undefined,
    };
  };

  /** @returns the ids of those that something else has ended */
  const end = async (
    ended: readonly Offered[],
    how: { outcome: Outcome; error: string | null },
    receiverId: string,
    as: LeaseEnd,
  ): Promise<ReadonlySet<string>> => {
    if (ended.length === 0) return new Set();
    const target = await targetOf(receiverId);
    const late = await deliveries.record(
      ended.map((one) => changeOf(one, how, target)),
      clock(),
    );
    io.counted(as, ended.length - late.size);
    return late;
  };

  const expire = (ended: readonly Offered[], receiverId: string) => {
    const [first] = ended;
    return first ? end(ended, expiredLease(first.offer), receiverId, 'expired') : undefined;
  };

  /** An answer that got lost is asked for again: what is delivered counts as done. */
  const delivered = async (scope: AddressScope, leases: readonly LeaseOf[]) => {
    if (leases.length === 0) return new Set<string>();
    const found = await deliveries.findAll(
      scope,
      leases.map(({ eventId }) => eventId),
    );
    return new Set(
      found.filter(({ status }) => status === 'delivered').map(({ event_id }) => event_id),
    );
  };

  const endNamed = async (
    scope: AddressScope,
    receiverId: string,
    ids: readonly string[],
    how: { outcome: Outcome; error: string | null },
    as: LeaseEnd,
  ): Promise<Result> => {
    await note(receiverId);
    const leases = named(ids);
    const held = await deliveries.leased(scopeOf(scope, receiverId), [...leases.values()]);
    const late = await end(held, how, receiverId, as);
    const done = new Set(held.filter(({ event_id }) => !late.has(event_id)).map(idOf));
    if (as === 'acknowledged') {
      const rest = [...leases].filter(([id]) => !done.has(id));
      const already = await delivered(
        scope,
        rest.map(([, lease]) => lease),
      );
      for (const [id, { eventId }] of rest) if (already.has(eventId)) done.add(id);
    }
    return resultOf(ids, done);
  };

  return {
    next: async function leaseNext(scope, receiverId, max, leaseMs) {
      const of = scopeOf(scope, receiverId);
      await note(receiverId);
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const now = clock();
        const found = await deliveries.offered(of, now, max);
        if (found.length === 0) return [];
        const ended = found.filter(({ offer }) => offer.lease !== undefined);
        await expire(ended, receiverId);
        const fresh = found.filter(({ offer }) => offer.lease === undefined);
        if (fresh.length === 0) continue;
        const room = LEASES_MAX - (await deliveries.countLeased(of, now, LEASES_MAX));
        if (room <= 0) throw tooManyLeases();
        const lease = { id: base32(randomBytes(ID_RANDOM_BYTES)), since: now };
        const until = new Date(now.getTime() + leaseMs);
        const leased = await deliveries.lease(of, takeFitting(fresh.slice(0, room)), lease, until);
        io.counted('leased', leased.length);
        if (leased.length > 0) return leased;
      }
      return [];
    },

    acknowledge: (scope, receiverId, ids) =>
      endNamed(
        scope,
        receiverId,
        ids,
        { outcome: { kind: 'accepted', status: 200 }, error: null },
        'acknowledged',
      ),

    giveBack: (scope, receiverId, ids, { reason, retryAfterMs, isFinal }) => {
      const error = `the consumer ${isFinal ? 'rejected' : 'returned'} it${reason ? `: ${reason}` : ''}`;
      const outcome: Outcome = isFinal
        ? { kind: 'refused', status: 422 }
        : { kind: 'busy', status: 503, ...(retryAfterMs !== undefined && { retryAfterMs }) };
      const as = isFinal ? 'rejected' : 'returned';
      return endNamed(scope, receiverId, ids, { outcome, error }, as);
    },

    renew: async function renewLeases(scope, receiverId, ids, leaseMs) {
      await note(receiverId);
      const leases = named(ids);
      const now = clock();
      const renewed = await deliveries.renew(
        scopeOf(scope, receiverId),
        [...leases.values()],
        new Date(now.getTime() - LEASE_TOTAL_MS),
        new Date(now.getTime() + leaseMs),
      );
      const done = [...leases].filter(([, { eventId }]) => renewed.has(eventId));
      return resultOf(ids, new Set(done.map(([id]) => id)));
    },

    fail: async function failLeased(receiverId, gone) {
      const reason = 'the payload is no longer stored';
      await end(
        gone,
        { outcome: { kind: 'blocked', reason }, error: reason },
        receiverId,
        'expired',
      );
    },

    undo: (scope, receiverId, leased) =>
      deliveries.unlease(scopeOf(scope, receiverId), leased, clock()),
  };
}

const named = (ids: readonly string[]) =>
  new Map(
    ids.flatMap((id): [string, LeaseOf][] => {
      const lease = readLeaseId(id);
      return lease ? [[id, lease]] : [];
    }),
  );

const idOf = ({ event_id, offer: { lease } }: Offered): string =>
  leaseIdOf(event_id, lease?.id ?? '');

const resultOf = (ids: readonly string[], done: ReadonlySet<string>): Result => {
  const lost = [...new Set(ids)].filter((id) => !done.has(id));
  return { count: done.size, lost };
};

const tooManyLeases = () =>
  new AppError(
    'conflict',
    `Consumers of this receiver hold ${LEASES_MAX} emails. Acknowledge or return some of them first`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
