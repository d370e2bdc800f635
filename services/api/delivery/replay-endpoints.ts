/** The calls that start deliveries again, make them due, or end them. */
import { z } from 'zod';

import { EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import { type Audit, type Cause, originOf } from '../../platform/audit.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import { DeliveryView, deliveryView, REPLAY_STATUSES } from '../../core/delivery/delivery-view.ts';
import { AttemptView } from '../../core/delivery/attempt-view.ts';
import type { AddressCaller } from '../../core/token/token.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import { hasNoTarget } from '../../core/receiver/webhook-mode.ts';
import { AppError } from '../../core/error/app-error.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import {
  addressIdOfEvent,
  furtherReceiverFields,
  isNotification,
} from '../../core/delivery/mail-event.ts';
import { noLongerStored, replayableMs } from '../../core/delivery/retention.ts';
import { RecordId } from '../http/input/record-id.ts';
import { dateFields } from '../http/input/date-fields.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import type { Replays } from './replays.ts';
import { type ReceiverFilter, receiverFields } from './receiver-filter.ts';
import { searchFields, type TermsOf } from './search-fields.ts';

type ReplayEndpointDependencies = {
  replays: Replays;
  store: Pick<ReplayStore, 'keptFrom' | 'copyOf'>;
  audit: Audit;
  receiversOf: ReceiverFilter;
  termsOf: TermsOf;
  /** Where webhooks of a receiver go. */
  target: (receiverId: string) => Promise<Pick<WebhookTarget, 'webhook_url' | 'mode'> | undefined>;
};

type CallerRequest = { caller: AddressCaller; params: { event_id: string } };

type Settings = {
  /** How long delivered emails should be stored for replay, in milliseconds. */
  REPLAY_RETENTION: number;
};

const REPLAYS_MAX = 2_000;
const REPLAYS_DEFAULT = 1_000;

const ReplayBody = z.strictObject({
  ...receiverFields,
  status: z
    .enum(REPLAY_STATUSES)
    .default('failed')
    .describe(
      'status of the deliveries to replay; retrying makes their next attempt due instead; held ' +
        'releases them',
    ),
  ...searchFields,
  ...dateFields,
  limit: z
    .int()
    .min(1)
    .max(REPLAYS_MAX)
    .default(REPLAYS_DEFAULT)
    .describe('maximum number of deliveries that this call considers'),
  cursor: RecordId.optional().describe('next_cursor of the previous call'),
});

const ReplayReport = z.object({
  queued: z.int().describe('deliveries that will be sent again'),
  skipped: z.object({
    no_longer_kept: z.int().describe('their email is no longer stored, or only in another region'),
    under_way: z.int().describe('an attempt is due or in flight'),
  }),
  next_cursor: z
    .string()
    .nullable()
    .describe('send it as cursor to continue; null when no deliveries are left'),
});

const busy = {
  ...exampleOf(DeliveryView),
  outcome: 'busy',
  attempts: [{ ...exampleOf(AttemptView), outcome: 'busy', status_code: 503 }],
};

const hours = (ms: number): number => Math.round(ms / 36_000) / 100;

const decides = { permission: 'deliveries:decide', reach: 'limited' } as const;

export function replayEndpoints(
  { replays, store, audit, receiversOf, termsOf, target }: ReplayEndpointDependencies,
  { REPLAY_RETENTION: retentionMs }: Settings,
): Endpoint[] {
  /** Records who made an attempt due, and shows the delivery. */
  const replayed = async (cause: Cause, delivery: Delivery) => {
    const { event_id } = delivery;
    const address_id = isNotification(event_id) ? null : addressIdOfEvent(delivery);
    const data = { event_id, ...furtherReceiverFields(delivery) };
    await audit(cause, { type: 'delivery.replayed', address_id, data });
    return deliveryView(delivery);
  };

  /** Without a URL, the replay is only an event of the stream: `inlet listen` posts the email. */
  const announced = async (cause: Cause, delivery: Delivery) => {
    if (delivery.ended_as !== 'no_url')
      throw new AppError(
        'conflict',
        'The address of this email has no webhook URL. It can be replayed once it has one',
      );
    if ((await store.copyOf(delivery)) === undefined) throw noLongerStored(delivery);
    return replayed(cause, delivery);
  };

  const repeat = async ({ caller, params }: CallerRequest) =>
    deliveryView(await replays.existing(caller, params.event_id));

  return [
    defineEndpoint({
      call: 'POST /deliveries/{event_id}/replay',
      operationId: 'replayDelivery',
      summary: 'Replay a delivery that has ended, or is held, while its email is stored',
      ...decides,
      example: {
        response: { ...exampleOf(DeliveryView), status: 'pending', next_attempt_at: EXAMPLE.now },
      },
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) => {
        const delivery = await replays.existing(cause.caller, event_id);
        const found = await target(delivery.address_id);
        if (found !== undefined && hasNoTarget(found)) return announced(cause, delivery);
        return replayed(cause, await replays.one(cause.caller, event_id, originOf(cause)));
      },
      repeat,
    }),
    defineEndpoint({
      call: 'POST /deliveries/{event_id}/retry',
      operationId: 'retryDelivery',
      summary: 'Make the next attempt of a waiting delivery due now',
      ...decides,
      example: { response: { ...busy, status: 'retrying', next_attempt_at: EXAMPLE.now } },
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) =>
        replayed(cause, await replays.retryNow(cause.caller, event_id, originOf(cause))),
      repeat,
    }),
    defineEndpoint({
      call: 'POST /deliveries/{event_id}/cancel',
      operationId: 'cancelDelivery',
      summary: 'End a waiting delivery as failed, without further attempts',
      ...decides,
      example: { response: { ...busy, status: 'failed', outcome: 'canceled' } },
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) =>
        deliveryView(await replays.cancel(cause.caller, event_id, originOf(cause))),
      repeat,
    }),
    defineEndpoint({
      call: 'GET /deliveries/replay',
      operationId: 'getReplayWindow',
      summary: 'Get how long delivered emails can be replayed',
      permission: 'deliveries:read',
      reach: 'limited',
      example: { response: { promised_hours: 72, kept_hours: 72 } },
      response: z.object({
        promised_hours: z.number().describe('retention of the installation'),
        kept_hours: z
          .number()
          .describe('less than promised_hours after new emails needed the room of delivered ones'),
      }),
      handle: async () => {
        const keptMs = replayableMs(retentionMs, await store.keptFrom(), new Date());
        return { promised_hours: hours(retentionMs), kept_hours: hours(keptMs) };
      },
    }),
    defineEndpoint({
      call: 'POST /deliveries/replay',
      operationId: 'replayDeliveries',
      isSearch: true,
      summary: 'Replay many deliveries, oldest first, at a constant rate',
      ...decides,
      example: {
        request: { status: 'failed', start_date: '2026-11-21', end_date: '2026-11-21' },
        response: { queued: 941, skipped: { no_longer_kept: 12, under_way: 0 }, next_cursor: null },
      },
      body: ReplayBody,
      response: ReplayReport,
      handle: async ({ body, ...cause }) => {
        const { limit, cursor, start_date, end_date, ...rest } = body;
        const { address_id, receiver_id, status, ...search } = rest;
        const receiver_ids = await receiversOf(cause.caller, { address_id, receiver_id });
        const terms = await termsOf(cause.caller, search);
        const outcome = await replays.many(
          cause.caller,
          { receiver_ids, status, start: start_date, end: end_date, terms },
          { cursor, limit },
          originOf(cause),
        );
        // The words of a search can be content of an email, and the audit trail outlives emails.
        const filter = { limit, cursor, start_date, end_date, address_id, receiver_id, status };
        const searched = Object.keys(search);
        await audit(cause, {
          type: 'delivery.replayed',
          // of an address that the caller does not reach, there is nothing to be seen in its trail
          address_id: (receiver_ids?.length === 0 ? undefined : address_id) ?? null,
          data: {
            filter: { ...filter, ...(searched.length > 0 && { searched }) },
            queued: outcome.queued,
          },
        });
        return outcome;
      },
    }),
  ];
}
