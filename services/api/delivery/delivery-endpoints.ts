/** The delivery calls: status and attempts of each email, and its payload. */
import { z } from 'zod';

import { EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { ApiStore } from '../content/store-for-api.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { notFound, orNotFound } from '../../core/error/app-error.ts';
import {
  DeliveryListItem,
  deliveryItem,
  deliveryListItem,
  DeliveryView,
  deliveryView,
  deliveryWithHeaders,
  STATUS_FILTERS,
} from '../../core/delivery/delivery-view.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { lastAttemptFacts } from '../../core/delivery/last-attempt.ts';
import { HEADERS_MAX_BYTES, HEADERS_OF_ATTEMPTS } from '../../core/delivery/attempt-headers.ts';
import { isNotification } from '../../core/delivery/mail-event.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/resource/pagination.ts';
import { noLongerStored } from '../../core/delivery/retention.ts';
import { growthBytes, streamOfAttempt } from '../../core/webhook/payload-bytes.ts';
import { WebhookPayload } from '../../core/webhook/payload.ts';
import { dateFields } from '../http/input/date-fields.ts';
import { type Slots, STREAM_BYTES } from '../http/limits/slots.ts';
import { EXAMPLE_PAYLOAD } from '../../core/webhook/example.ts';
import { RECORD_IDS, RECORD_IDS_MAX, RECORD_IDS_TEXT } from '../http/input/record-id.ts';
import { defineEmailEndpoint, defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import type { EmailDeliveries } from '../email/email-deliveries.ts';
import { type ReceiverFilter, receiverFields } from './receiver-filter.ts';
import { searchFields, searchIsTooWide, type TermsOf } from './search-fields.ts';
import { ServedFile } from '../http/output/served-file.ts';

type DeliveryEndpointDependencies = {
  deliveries: Pick<Deliveries, 'page' | 'newestOf' | 'due' | 'search' | 'find' | 'findEmail'>;
  store: Pick<ApiStore, 'payload'>;
  downloads: Slots;
  receiversOf: ReceiverFilter;
  termsOf: TermsOf;
  emailDeliveries: EmailDeliveries;
};

const DeliveriesQuery = z.strictObject({
  ...pageQuery({ maxLimit: 100, defaultLimit: 50 }),
  ...receiverFields,
  status: z
    .enum(STATUS_FILTERS)
    .optional()
    .describe('only deliveries with this status; waiting: pending or retrying'),
  ...searchFields,
  ...dateFields,
});

const NewestQuery = z.strictObject({
  address_ids: z
    .string()
    .regex(RECORD_IDS, RECORD_IDS_TEXT)
    .describe(`ids of addresses, separated by commas; ${RECORD_IDS_MAX} at most`),
});

const DeliveryQuery = z.strictObject({
  include: z
    .enum(['headers'])
    .optional()
    .describe(
      `also the headers of the last ${HEADERS_OF_ATTEMPTS} attempts, at most ` +
        `${HEADERS_MAX_BYTES} bytes for each`,
    ),
});

const WAITING = {
  ...exampleOf(DeliveryListItem),
  status: 'retrying',
  outcome: 'busy',
  next_attempt_at: EXAMPLE.now,
} as const;

const reads = { permission: 'deliveries:read', reach: 'limited' } as const;

export function deliveryEndpoints({
  deliveries,
  store,
  downloads,
  receiversOf,
  termsOf,
  emailDeliveries,
}: DeliveryEndpointDependencies): Endpoint[] {
  const existing = async (scope: AddressScope, eventId: string): Promise<Delivery> =>
    orNotFound(await deliveries.find(scope, eventId), 'delivery');

  return [
    defineEndpoint({
      call: 'GET /deliveries',
      operationId: 'listDeliveries',
      isSearch: true,
      summary: 'List deliveries, newest first; an email appears within two seconds',
      ...reads,
      errors: ['conflict'], // `text` where texts are not searched
      query: DeliveriesQuery,
      response: envelopeOf(DeliveryListItem),
      handle: async ({
        caller,
        query: {
          limit,
          offset,
          start_date: start,
          end_date: end,
          address_id,
          receiver_id,
          status,
          ...search
        },
      }) => {
        const page = { limit, offset };
        const receiver_ids = await receiversOf(caller, { address_id, receiver_id });
        const filter = { receiver_ids, status, start, end };
        const terms = await termsOf(caller, search);
        const found =
          terms === undefined
            ? await deliveries.page(caller, filter, page)
            : await deliveries.search(caller, filter, terms, page);
        if (found === undefined) throw searchIsTooWide();
        return envelope(found.items.map(deliveryListItem), found.total, page);
      },
    }),
    defineEndpoint({
      call: 'GET /deliveries/newest',
      operationId: 'listNewestDeliveries',
      isSearch: true,
      summary: 'List the newest email of each of these addresses',
      ...reads,
      query: NewestQuery,
      response: z.object({
        data: z.array(DeliveryListItem).describe('addresses without an email have none'),
      }),
      handle: async ({ caller, query: { address_ids } }) => {
        const ids = [...new Set(address_ids.split(','))];
        return { data: (await deliveries.newestOf(caller, ids)).map(deliveryListItem) };
      },
    }),
    defineEndpoint({
      call: 'GET /deliveries/due',
      operationId: 'listDueDeliveries',
      isSearch: true,
      summary: 'List deliveries that wait for a retry; those that are due next come first',
      ...reads,
      example: {
        response: envelope([WAITING], 1, { limit: 50, offset: 0 }),
      },
      query: z.strictObject(pageQuery({ maxLimit: 100, defaultLimit: 50 })),
      response: envelopeOf(DeliveryListItem),
      handle: async ({ caller, query: page }) => {
        const { items, total } = await deliveries.due(caller, page);
        return envelope(items.map(deliveryListItem), total, page);
      },
    }),
    defineEndpoint({
      call: 'GET /deliveries/{event_id}',
      operationId: 'getDelivery',
      summary: 'Get a delivery with its last 100 attempts',
      ...reads,
      query: DeliveryQuery,
      response: DeliveryView,
      handle: async ({ caller, params, query: { include } }) => {
        const delivery = await existing(caller, params.event_id);
        return include === 'headers' ? deliveryWithHeaders(delivery) : deliveryView(delivery);
      },
    }),
    defineEndpoint({
      call: 'GET /deliveries/{event_id}/receivers',
      operationId: 'listDeliveriesOfEmail',
      summary: 'List the deliveries of the same email to all receivers of its address',
      ...reads,
      response: z.object({ data: z.array(DeliveryListItem) }),
      handle: async ({ caller, params }) => {
        const delivery = orNotFound(
          await deliveries.findEmail(caller, params.event_id),
          'delivery',
        );
        const all = await emailDeliveries.recorded(caller, delivery);
        return { data: all.map(deliveryItem) };
      },
    }),
    defineEmailEndpoint({
      call: 'GET /deliveries/{event_id}/payload',
      operationId: 'getDeliveryPayload',
      summary: 'Get the JSON payload as it was last sent',
      ...reads,
      example: { response: EXAMPLE_PAYLOAD },
      response: ServedFile,
      file: { mediaType: 'application/json', schema: WebhookPayload },
      shows: { part: 'payload', emailOf: ({ params }) => params.event_id },
      handle: async ({ caller, params, connection, view }) => {
        const delivery = await existing(caller, params.event_id);
        if (isNotification(delivery.event_id)) throw notFound('delivery of an email');
        downloads.take(caller.account_id, connection, STREAM_BYTES);
        const payload = await store.payload(delivery, view);
        if (payload === undefined) throw noLongerStored(delivery);
        const attempt = lastAttemptFacts(delivery);
        return {
          content: streamOfAttempt(payload.chunks, attempt),
          size: payload.size + growthBytes(attempt),
          contentType: 'application/json',
          filename: null,
        };
      },
    }),
  ];
}
