/** The calls of consumers: they lease emails of a pull receiver, and acknowledge or return them. */
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

import type { Offered } from '../../adapters/mongo/delivery/offers.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import { reaches } from '../../core/address/scope.ts';
import { type AddressCaller, may } from '../../core/token/token.ts';
import { AppError } from '../../core/app-error.ts';
import { exampleOf } from '../../core/api-reference.ts';
import { LeasedEmail, LeasedEmails, LeaseResult } from '../../core/pull/leased-email.ts';
import {
  LEASE_DEFAULT_SECONDS,
  LEASE_MAX_SECONDS,
  LEASE_MIN_SECONDS,
} from '../../core/delivery/offer.ts';
import type { ShownReceiver } from '../../core/receiver/receiver-view.ts';
import type { Cause } from '../../platform/audit.ts';
import type { RecordLeases } from '../email/email-views.ts';
import type { OneReceivers, ReceiverIds } from '../receiver/one-receiver.ts';
import { requirePermission } from '../http/authentication.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import type { Connection, Slots } from '../http/limits/slots.ts';
import { ServedFile } from '../http/output/served-file.ts';
import type { RecheckReach } from '../http/reach.ts';
import { readLeased, writeLeased } from './leased-response.ts';
import type { Leases } from './leases.ts';
import { RESPONSE_MAX_BYTES } from './response-size.ts';

type PullEndpointDependencies = {
  leases: Leases;
  one: Pick<OneReceivers, 'find'>;
  recordLeases: RecordLeases;
  store: Pick<ReplayStore, 'payload'>;
  /** Who waits. */
  slots: Slots;
  /** Who holds payloads. */
  downloads: Slots;
  recheck: RecheckReach;
  /** Aborted when the process stops: nobody waits any longer. */
  stopped: AbortSignal;
};

const PATH = '/addresses/{address_id}/receivers/{receiver_id}';
const tag = 'receivers';
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

type Ask = { max: number; leaseMs: number; waitMs: number };

export function pullEndpoints(dependencies: PullEndpointDependencies): Endpoint[] {
  const { leases, one, store, slots, downloads, recheck, recordLeases, stopped } = dependencies;

  const pulledReceiver = async (caller: AddressCaller, ids: ReceiverIds, now: Date) => {
    const receiver = await one.find(caller, ids, now);
    requirePull(receiver);
    return receiver.id;
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
    { max, leaseMs, waitMs }: Ask,
    { request, connection, addressId }: Asking,
  ): Promise<Offered[]> => {
    const gone = new AbortController();
    connection.onClose(() => gone.abort());
    const signal = AbortSignal.any([gone.signal, stopped]);
    const endMs = performance.now() + waitMs;
    for (let pollMs = POLL_FIRST_MS; ; pollMs = Math.min(2 * pollMs, POLL_MAX_MS)) {
      const leased = await leases.next(caller, receiverId, max, leaseMs);
      if (gone.signal.aborted) await leases.undo(caller, receiverId, leased);
      const leftMs = endMs - performance.now();
      if (leased.length > 0 || leftMs <= 0 || signal.aborted) return leased;
      await sleep(Math.min(pollMs, leftMs), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return [];
      await requireStillReached(request, addressId);
    }
  };

  return [
    defineEndpoint({
      method: 'GET',
      path: `${PATH}/next`,
      operationId: 'leaseEmails',
      summary:
        'Lease the next emails of a receiver with the mode pull; those that are not acknowledged ' +
        'come again',
      permission: 'deliveries:write',
      reach: 'limited',
      tag,
      isPull: true,
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
        const ask = { max: query.max, leaseMs: query.lease * 1_000, waitMs: query.wait * 1_000 };
        const asking = { request, connection, addressId: params.address_id };
        const leased = await leaseWithin(caller, receiverId, ask, asking);
        const content = await written({ ...cause, connection }, receiverId, leased);
        return {
          content,
          size: content.byteLength,
          contentType: 'application/json',
          filename: null,
        };
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: `${PATH}/ack`,
      operationId: 'acknowledgeEmails',
      summary: 'Acknowledge leased emails: their deliveries have ended',
      permission: 'deliveries:write',
      reach: 'limited',
      tag,
      isPull: true,
      example: { request: { lease_ids: [EXAMPLE_LEASE] } },
      body: z.strictObject({ lease_ids: LeaseIds }),
      response: LeaseResult,
      handle: async ({ caller, params, body, now }) =>
        leases.acknowledge(caller, await pulledReceiver(caller, params, now), body.lease_ids),
    }),
    defineEndpoint({
      method: 'POST',
      path: `${PATH}/nack`,
      operationId: 'returnEmails',
      summary: 'Return leased emails: they come again as the schedule says, or have failed',
      permission: 'deliveries:write',
      reach: 'limited',
      tag,
      isPull: true,
      example: { request: { lease_ids: [EXAMPLE_LEASE], reason: 'the warehouse is closed' } },
      body: z.strictObject({
        lease_ids: LeaseIds,
        reason: z
          .string()
          .max(REASON_MAX_CHARS)
          .optional()
          .describe('shown as the error of the attempt'),
        retry_after: z
          .int()
          .min(0)
          .max(LEASE_MAX_SECONDS)
          .optional()
          .describe('they come again after so many seconds at the earliest'),
        is_final: z
          .boolean()
          .default(false)
          .describe('true: no later attempt would succeed, so the deliveries have failed'),
      }),
      response: LeaseResult,
      handle: async ({ caller, params, body, now }) =>
        leases.giveBack(caller, await pulledReceiver(caller, params, now), body.lease_ids, {
          reason: body.reason,
          retryAfterMs: body.retry_after === undefined ? undefined : body.retry_after * 1_000,
          isFinal: body.is_final,
        }),
    }),
    defineEndpoint({
      method: 'POST',
      path: `${PATH}/renew`,
      operationId: 'renewLeases',
      summary: 'Renew leases from now on, for work that takes longer; for 12 hours at most',
      permission: 'deliveries:write',
      reach: 'limited',
      tag,
      isPull: true,
      example: { request: { lease_ids: [EXAMPLE_LEASE], lease: 300 } },
      body: z.strictObject({
        lease_ids: LeaseIds,
        lease: LeaseSeconds.default(LEASE_DEFAULT_SECONDS).describe('seconds from now'),
      }),
      response: LeaseResult,
      handle: async ({ caller, params, body, now }) =>
        leases.renew(
          caller,
          await pulledReceiver(caller, params, now),
          body.lease_ids,
          body.lease * 1_000,
        ),
    }),
  ];

  /** The response. Emails that cannot be read now are leased to nobody. */
  async function written(
    cause: Cause & { caller: AddressCaller; connection: Connection },
    receiverId: string,
    leased: readonly Offered[],
  ): Promise<Buffer> {
    const { caller, connection } = cause;
    try {
      if (leased.length > 0) downloads.take(connection.source, connection, HELD_BYTES);
      const read = await readLeased(store, leased);
      const isGone = ({ payload }: (typeof read)[number]) => payload === 'gone';
      await leases.fail(
        receiverId,
        read.filter(isGone).map((email) => email.leased),
      );
      const shown = read.filter((email) => !isGone(email));
      await recordLeases(
        cause,
        shown.map((email) => email.leased),
      );
      return writeLeased(shown);
    } catch (error) {
      await leases.undo(caller, receiverId, leased);
      throw error;
    }
  }
}

/** The slot is free when the wait has ended: `using` gives it back. */
const whileHandled = { onClose: () => undefined };

type Asking = { request: IncomingMessage; connection: Connection; addressId: string };

const EXAMPLE_LEASE = 'evt_01k9x0v7n3m4q8r2s6t1w5y9za.5n8q2w4y6a9c1e3g';

const mayLease = (caller: AddressCaller): boolean =>
  may(caller, 'deliveries:write') && may(caller, 'deliveries:read');

function requirePull({ mode }: ShownReceiver): void {
  if (mode !== 'pull')
    throw new AppError(
      'conflict',
      'Inlet posts to this receiver. Set its mode to pull to lease its emails',
    );
}
