/** The delivery calls: status and attempts of each email, its payload, and replays. */
import { z } from 'zod';

import { EXAMPLE, exampleOf } from '../../core/api-reference.ts';
import { type Audit, type Cause, originOf } from '../../platform/audit.ts';
import type { Deliveries } from '../../adapters/mongo/deliveries/deliveries.ts';
import type { ReplayStore } from '../../adapters/stream/replay.ts';
import type { AddressScope } from '../../core/address/address.ts';
import { notFound } from '../../core/app-error.ts';
import {
  DELIVERY_STATUSES,
  AttemptView,
  DeliveryListItem,
  deliveryListItem,
  DeliveryView,
  deliveryView,
  REPLAY_STATUSES,
  lastRetryCount,
} from '../../core/delivery/delivery-view.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { isNotification } from '../../core/delivery/mail-event.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/pagination.ts';
import { noLongerStored } from '../../core/delivery/retention.ts';
import { growthBytes, streamWithRetryCount } from '../../core/webhook/payload-bytes.ts';
import { WebhookPayload } from '../../core/webhook/payload.ts';
import { dateFields } from '../http/input/date-fields.ts';
import { type Downloads, STREAM_BYTES } from '../http/limits/downloads.ts';
import { EXAMPLE_PAYLOAD } from '../../core/webhook/example.ts';
import { defineEndpoint, type Endpoint, nothing } from '../http/endpoint.ts';
import type { Replays } from './replays.ts';
import { searchFields, searchIsTooWide, termsOf } from './search-fields.ts';
import { ServedFile } from '../http/output/served-file.ts';

type Parts = {
  deliveries: Pick<Deliveries, 'page' | 'due' | 'search' | 'find' | 'findEmail'>;
  store: Pick<ReplayStore, 'payload'>;
  replays: Replays;
  audit: Audit;
  downloads: Downloads;
};

const REPLAYS_MAX = 2_000;
const REPLAYS_DEFAULT = 1_000;

const filteredAddress = z.string().optional().describe('only deliveries of this address');

const busy = {
  ...exampleOf(DeliveryView),
  outcome: 'busy',
  attempts: [{ ...exampleOf(AttemptView), outcome: 'busy', status_code: 503 }],
};

export function deliveryEndpoints({
  deliveries,
  store,
  replays,
  audit,
  downloads,
}: Parts): Endpoint[] {
  const existing = async (scope: AddressScope, eventId: string): Promise<Delivery> => {
    const delivery = await deliveries.find(scope, eventId);
    if (delivery === undefined) throw notFound('delivery');
    return delivery;
  };

  /** Records who made an attempt due, and shows the delivery. */
  const replayed = async (cause: Cause, delivery: Delivery) => {
    const { event_id } = delivery;
    const address_id = isNotification(event_id) ? null : delivery.address_id;
    await audit(cause, { type: 'delivery.replayed', address_id, data: { event_id } });
    return deliveryView(delivery);
  };

  return [
    defineEndpoint({
      method: 'GET',
      path: '/deliveries',
      operationId: 'listDeliveries',
      summary: 'List deliveries, newest first; an email appears within two seconds',
      permission: 'deliveries:read',
      query: z.strictObject({
        ...pageQuery({ maxLimit: 100, defaultLimit: 50 }),
        address_id: filteredAddress,
        status: z.enum(DELIVERY_STATUSES).optional().describe('only deliveries with this status'),
        ...searchFields,
        ...dateFields,
      }),
      body: nothing,
      status: 200,
      response: envelopeOf(DeliveryListItem),
      handle: async ({
        caller,
        query: { limit, offset, start_date: start, end_date: end, address_id, status, ...search },
      }) => {
        const page = { limit, offset };
        const filter = { address_id, status, start, end };
        const terms = termsOf(search);
        const found =
          terms === undefined
            ? await deliveries.page(caller, filter, page)
            : await deliveries.search(caller, filter, terms, page);
        if (found === undefined) throw searchIsTooWide();
        return envelope(found.items.map(deliveryListItem), found.total, page);
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/deliveries/due',
      operationId: 'listDueDeliveries',
      summary: 'List deliveries that wait for a retry; those that are due next come first',
      permission: 'deliveries:read',
      example: {
        response: envelope(
          [
            {
              ...exampleOf(DeliveryListItem),
              status: 'retrying',
              outcome: 'busy',
              next_attempt_at: EXAMPLE.now,
            },
          ],
          1,
          { limit: 50, offset: 0 },
        ),
      },
      query: z.strictObject(pageQuery({ maxLimit: 100, defaultLimit: 50 })),
      body: nothing,
      status: 200,
      response: envelopeOf(DeliveryListItem),
      handle: async ({ caller, query: page }) => {
        const { items, total } = await deliveries.due(caller, page);
        return envelope(items.map(deliveryListItem), total, page);
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/deliveries/{event_id}',
      operationId: 'getDelivery',
      summary: 'Get a delivery with all its attempts',
      permission: 'deliveries:read',
      query: nothing,
      body: nothing,
      status: 200,
      response: DeliveryView,
      handle: async ({ caller, params }) => deliveryView(await existing(caller, params.event_id)),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/deliveries/{event_id}/payload',
      operationId: 'getDeliveryPayload',
      summary: 'Get the JSON payload as it was last sent',
      permission: 'deliveries:read',
      example: { response: EXAMPLE_PAYLOAD },
      query: nothing,
      body: nothing,
      status: 200,
      response: ServedFile,
      file: { mediaType: 'application/json', schema: WebhookPayload },
      handle: async ({ caller, params, connection }) => {
        const delivery = await existing(caller, params.event_id);
        if (isNotification(delivery.event_id)) throw notFound('delivery of an email');
        downloads.begin(connection, STREAM_BYTES);
        const payload = await store.payload(delivery);
        if (payload === undefined) throw noLongerStored(delivery);
        const retryCount = lastRetryCount(delivery);
        return {
          content: streamWithRetryCount(payload.chunks, retryCount),
          size: payload.size + growthBytes(retryCount),
          contentType: 'application/json',
          filename: null,
        };
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/deliveries/{event_id}/replay',
      operationId: 'replayDelivery',
      summary: 'Replay a delivered or failed delivery while its email is stored',
      permission: 'deliveries:write',
      example: {
        response: { ...exampleOf(DeliveryView), status: 'pending', next_attempt_at: EXAMPLE.now },
      },
      query: nothing,
      body: nothing,
      status: 200,
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) =>
        replayed(cause, await replays.one(cause.caller, event_id)),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/deliveries/{event_id}/retry',
      operationId: 'retryDelivery',
      summary: 'Make the next attempt of a waiting delivery due now',
      permission: 'deliveries:write',
      example: { response: { ...busy, status: 'retrying', next_attempt_at: EXAMPLE.now } },
      query: nothing,
      body: nothing,
      status: 200,
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) =>
        replayed(cause, await replays.retryNow(cause.caller, event_id)),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/deliveries/{event_id}/cancel',
      operationId: 'cancelDelivery',
      summary: 'End a waiting delivery as failed, without further attempts',
      permission: 'deliveries:write',
      example: { response: { ...busy, status: 'failed', outcome: 'canceled' } },
      query: nothing,
      body: nothing,
      status: 200,
      response: DeliveryView,
      handle: async ({ params: { event_id }, ...cause }) =>
        deliveryView(await replays.cancel(cause.caller, event_id, originOf(cause))),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/deliveries/replay',
      operationId: 'replayDeliveries',
      summary: 'Replay many deliveries, oldest first, at a constant rate',
      permission: 'deliveries:write',
      example: {
        request: { status: 'failed', start_date: '2026-11-21', end_date: '2026-11-21' },
        response: { queued: 941, skipped: { no_longer_kept: 12, under_way: 0 }, next_cursor: null },
      },
      query: nothing,
      body: z.strictObject({
        address_id: filteredAddress,
        status: z
          .enum(REPLAY_STATUSES)
          .default('failed')
          .describe(
            'status of the deliveries to replay; retrying makes their next attempt due instead',
          ),
        ...searchFields,
        ...dateFields,
        limit: z
          .int()
          .min(1)
          .max(REPLAYS_MAX)
          .default(REPLAYS_DEFAULT)
          .describe('maximum number of deliveries that this call considers'),
        cursor: z.string().optional().describe('next_cursor of the previous call'),
      }),
      status: 200,
      response: z.object({
        queued: z.int().describe('deliveries that will be sent again'),
        skipped: z.object({
          no_longer_kept: z.int().describe('their email is no longer stored'),
          under_way: z.int().describe('an attempt is due or in flight'),
        }),
        next_cursor: z
          .string()
          .nullable()
          .describe('send it as cursor to continue; null when no deliveries are left'),
      }),
      handle: async ({ body, ...cause }) => {
        const { limit, cursor, start_date, end_date, address_id, status, ...search } = body;
        const outcome = await replays.many(
          cause.caller,
          { address_id, status, start: start_date, end: end_date, terms: termsOf(search) },
          { cursor, limit },
        );
        // The words of a search can be content of an email, and the audit trail outlives emails.
        const filter = { limit, cursor, start_date, end_date, address_id, status };
        const searched = Object.keys(search);
        await audit(cause, {
          type: 'delivery.replayed',
          address_id: address_id ?? null,
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
