/** The calls of consumers: they lease emails of a pull receiver, and acknowledge or return them. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import type { EmailWithLease, UnreadEmail } from '../../adapters/mongo/delivery/leases.ts';
import type { Stores } from '../../adapters/mongo/stores.ts';
import type { ApiStore } from '../content/store-for-api.ts';
import { reaches } from '../../core/address/scope.ts';
import { type AddressCaller, may } from '../../core/token/token.ts';
import { AppError } from '../../core/error/app-error.ts';
import { exampleOf } from '../../core/resource/api-reference.ts';
import { LeasedEmail, LeasedEmails, LeaseResult } from '../../core/pull/leased-email.ts';
import {
  LEASE_DEFAULT_SECONDS,
  LEASE_MAX_SECONDS,
  LEASE_MIN_SECONDS,
  type LeaseEnd,
} from '../../core/pull/lease.ts';
import type { Cause } from '../../platform/audit.ts';
import { createRecordLeases } from '../email/email-views.ts';
import type { OneReceivers, ReceiverIds } from '../receiver/one-receiver.ts';
import { requirePermission } from '../http/authentication.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { type Connection, createSlots, type Slots, watcherLimits } from '../http/limits/slots.ts';
import { ServedFile } from '../http/output/served-file.ts';
import type { RecheckReach } from '../http/reach.ts';
import type { ApiConfig } from '../process/config.ts';
import type { ApiMetrics } from '../process/metrics.ts';
import { readLeased, RESPONSE_MAX_BYTES, writeLeased } from './leased-response.ts';
import { ACKNOWLEDGED, createLeases, type LeaseChange, rejected, returned } from './leases.ts';
import { optional } from '../../core/resource/described.ts';

type PullDependencies = {
  stores: Pick<Stores, 'accounts' | 'deliveries' | 'events' | 'target'>;
  store: Pick<ApiStore, 'payload' | 'removeFailed'>;
  one: Pick<OneReceivers, 'find'>;
  /** Who holds payloads. */
  downloads: Slots;
  recheck: RecheckReach;
  metrics: Pick<ApiMetrics, 'leases'>;
  clock: () => Date;
  /** Consumers of this process that wait. */
  watchers: number;
};

const PATH = '/addresses/{address_id}/receivers/{receiver_id}';
const COMMON = {
  permission: 'deliveries:consume',
  reach: 'limited',
  tag: 'receivers',
  isPull: true,
} as const;
const EMAILS_MAX = 100;
const EMAILS_DEFAULT = 10;
const LEASES_A_CALL = 500;
const WAIT_MAX_SECONDS = 60;
/** An email often follows soon after those that a consumer has just acknowledged. */
const POLL_FIRST_MS = 50;
const POLL_MAX_MS = 1_000;
/** Payloads are in memory twice while they are written. */
const HELD_BYTES = 2 * RESPONSE_MAX_BYTES;
const REASON_MAX_CHARS = 500;

const LeaseIds = z
  .array(z.string().min(1).max(100))
  .min(1)
  .max(LEASES_A_CALL)
  .describe('lease_id of each email');
const LeaseSeconds = z.int().min(LEASE_MIN_SECONDS).max(LEASE_MAX_SECONDS);
/** For the examples. */
const lease_ids = ['evt_01k9x0v7n3m4q8r2s6t1w5y9za.5n8q2w4y6a9c1e3g'];

type Ask = { max: number; lease: number; wait: number };
type Asking = { request: IncomingMessage; connection: Connection; addressId: string };

/** Disposing it ends the waits of consumers. */
export function pullEndpoints(
  { RETRY_SCHEDULE: scheduleMs, REGION: region }: Pick<ApiConfig, 'RETRY_SCHEDULE' | 'REGION'>,
  { stores, store, one, downloads, recheck, metrics, clock, watchers }: PullDependencies,
): Disposable & { endpoints: Endpoint[] } {
  const { deliveries, target } = stores;
  const stop = new AbortController();
  const counted = (result: LeaseEnd, count: number) => metrics.leases.inc({ result }, count);
  const leases = createLeases({ deliveries, store, target, scheduleMs, region, clock, counted });
  const recordLeases = createRecordLeases(stores);
  const slots = createSlots(watcherLimits(watchers, 'consumers'));

  const pulledReceiver = async (caller: AddressCaller, ids: ReceiverIds, now: Date) => {
    const { id, mode } = await one.find(caller, ids, now);
    if (mode === 'pull') return id;
    throw new AppError(
      'conflict',
      'Inlet posts to this receiver. Set its mode to pull to lease its emails',
    );
  };

  /** The caller may have lost the receiver during the wait. @throws AppError `unauthorized` */
  const requireStillReached = async (request: IncomingMessage, addressId: string) => {
    const now = await recheck(request);
    const mayPull =
      now && !now.accountIsSuspended && mayLease(now.identity) && reaches(now.identity, addressId);
    if (!mayPull)
      throw new AppError('unauthorized', 'The token can no longer lease emails of this receiver');
  };

  /** Leases what is there, or what comes within the wait. */
  const leaseWithin = async (
    caller: AddressCaller,
    receiverId: string,
    { max, lease, wait }: Ask,
    { request, connection, addressId }: Asking,
  ): Promise<EmailWithLease[]> => {
    const gone = new AbortController();
    connection.onClose(() => gone.abort());
    const signal = AbortSignal.any([gone.signal, stop.signal]);
    const endMs = performance.now() + wait * 1_000;
    for (let pollMs = POLL_FIRST_MS; ; pollMs = Math.min(2 * pollMs, POLL_MAX_MS)) {
      const leased = await leases.next(caller, receiverId, max, lease * 1_000);
      const leftMs = endMs - performance.now();
      if (leased.length > 0 || leftMs <= 0 || signal.aborted) return leased;
      await sleep(Math.min(pollMs, leftMs), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return [];
      await requireStillReached(request, addressId);
    }
  };

  /** What cannot be read now comes again when its lease ends. */
  const written = async (
    cause: Cause & { caller: AddressCaller; connection: Connection },
    receiverId: string,
    leased: readonly EmailWithLease[],
  ): Promise<Buffer> => {
    const { caller, connection } = cause;
    if (leased.length > 0) downloads.take(caller.account_id, connection, HELD_BYTES);
    const read = await readLeased(store, leased);
    const gone = read.filter(({ payload }) => payload === undefined);
    await leases.fail(receiverId, gone.map(emailOf));
    const shown = read.flatMap(({ leased: email, payload }) =>
      payload === undefined ? [] : [{ leased: email, payload }],
    );
    return writeLeased(shown, await recordLeases(cause, shown.map(emailOf)));
  };

  /** A call that ends or renews leases. */
  const change = <Body extends z.ZodObject>(
    call: 'ack' | 'nack' | 'renew',
    about: { operationId: string; summary: string; example: z.input<Body> },
    body: Body,
    read: (body: z.output<Body>) => { lease_ids: string[]; how: LeaseChange },
  ): Endpoint =>
    defineEndpoint({
      ...COMMON,
      call: `POST ${PATH}/${call}`,
      operationId: about.operationId,
      summary: about.summary,
      example: { request: about.example },
      body,
      response: LeaseResult,
      handle: async ({ caller, params, now, body: asked }) => {
        const receiverId = await pulledReceiver(caller, params, now);
        const { lease_ids: ids, how } = read(asked);
        return leases.change(caller, receiverId, ids, how);
      },
    });

  const endpoints: Endpoint[] = [
    defineEndpoint({
      ...COMMON,
      call: `GET ${PATH}/next`,
      operationId: 'leaseEmails',
      summary:
        'Lease the next emails of a receiver with the mode pull; those that are not acknowledged ' +
        'come again',
      errors: ['not_found', 'conflict'],
      example: { response: { data: [exampleOf(LeasedEmail)] } },
      query: z.strictObject({
        max: z
          .int()
          .min(1)
          .max(EMAILS_MAX)
          .default(EMAILS_DEFAULT)
          .describe('emails at most; a response has fewer when their payloads exceed 4 MiB'),
        wait: z
          .int()
          .min(0)
          .max(WAIT_MAX_SECONDS)
          .default(0)
          .describe('longest wait for an email, in seconds'),
        lease: LeaseSeconds.default(LEASE_DEFAULT_SECONDS).describe(
          'length of the leases, in seconds',
        ),
      }),
      response: ServedFile,
      file: { mediaType: 'application/json', schema: LeasedEmails },
      handle: async ({ params, query, request, connection, ...cause }) => {
        const { caller, now } = cause;
        requirePermission(caller, 'deliveries:read');
        const receiverId = await pulledReceiver(caller, params, now);
        using _slot = slots.take(caller.account_id, whileHandled);
        const asking = { request, connection, addressId: params.address_id };
        const leased = await leaseWithin(caller, receiverId, query, asking);
        const content = await written({ ...cause, connection }, receiverId, leased);
        const size = content.byteLength;
        return { content, size, contentType: 'application/json', filename: null };
      },
    }),
    change(
      'ack',
      {
        operationId: 'acknowledgeEmails',
        summary: 'Acknowledge leased emails: their deliveries have ended',
        example: { lease_ids },
      },
      z.strictObject({
        lease_ids: LeaseIds.describe(
          'lease_id of each email, or the event_id of one that nobody has leased',
        ),
      }),
      (asked) => ({ ...asked, how: ACKNOWLEDGED }),
    ),
    change(
      'nack',
      {
        operationId: 'returnEmails',
        summary: 'Return leased emails: they come again as the schedule says, or have failed',
        example: { lease_ids, reason: 'the warehouse is closed' },
      },
      z.strictObject({
        lease_ids: LeaseIds,
        reason: optional(z.string().max(REASON_MAX_CHARS), 'shown as the error of the attempt'),
        retry_after: optional(
          z.int().min(0).max(LEASE_MAX_SECONDS),
          'they come again after so many seconds at the earliest',
        ),
        is_final: z
          .boolean()
          .default(false)
          .describe('true: no later attempt would succeed, so the deliveries have failed'),
      }),
      ({ reason, retry_after: after, is_final, ...asked }) => ({
        ...asked,
        how: is_final ? rejected(reason) : returned(reason, after && after * 1_000),
      }),
    ),
    change(
      'renew',
      {
        operationId: 'renewLeases',
        summary: 'Renew leases from now on, for work that takes longer; for 12 hours at most',
        example: { lease_ids, lease: 300 },
      },
      z.strictObject({
        lease_ids: LeaseIds,
        lease: LeaseSeconds.default(LEASE_DEFAULT_SECONDS).describe('seconds from now'),
      }),
      ({ lease_ids: ids, lease }) => ({ lease_ids: ids, how: { renewedMs: lease * 1_000 } }),
    ),
  ];
  return { endpoints, [Symbol.dispose]: () => stop.abort() };
}

const emailOf = ({ leased }: { leased: UnreadEmail }) => leased;

/** The slot is free when the wait has ended: `using` gives it back. */
const whileHandled = { onClose: () => undefined };

const mayLease = (caller: AddressCaller): boolean =>
  may(caller, 'deliveries:consume') && may(caller, 'deliveries:read');
