/** GET /stream, and GET /deliveries/wait: what happens, as it happens. */
import { z } from 'zod';

import { exampleOf } from '../../core/api-reference.ts';
import type { Addresses } from '../../adapters/mongo/addresses/addresses.ts';
import type { RecentEvents } from '../../adapters/mongo/audit/recent-events.ts';
import type { LiveHeaders } from '../../adapters/stream/live-headers.ts';
import type { AddressScope } from '../../core/address/address.ts';
import { may } from '../../core/account/token.ts';
import { AppError, notFound, unavailable } from '../../core/app-error.ts';
import { DeliveryView, deliveryView } from '../../core/delivery/delivery-view.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import {
  LIVE_PERMISSIONS,
  LIVE_TYPES,
  type LiveEvent,
  LiveEventView,
} from '../../core/event/live-event.ts';
import { pendingDelivery } from '../../core/delivery/delivery.ts';
import { startOf } from '../../core/date-range.ts';
import type { Recheck } from '../http/authentication.ts';
import { RecordId } from '../http/input/record-id.ts';
import { TIME_OR_DAY } from '../http/input/date-fields.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import type { Places } from '../http/limits/places.ts';
import { EventStream } from '../http/output/event-stream.ts';
import type { ReadHistory } from './history.ts';
import type { Hub } from './hub.ts';
import { createStreamResponse } from './stream-response.ts';

export type StreamParts = {
  hub: Hub;
  /** Who holds a stream or a request that waits. */
  places: Places;
  history: ReadHistory;
  feed: Pick<LiveHeaders, 'read'>;
  recent: Pick<RecentEvents, 'oldestSince'>;
  addresses: Pick<Addresses, 'find'>;
  recheck: Recheck;
  heartbeatMs: number;
};

const WAIT_MAX_SECONDS = 60;
const WAIT_DEFAULT_SECONDS = 30;
const MAX_EMAILS = 100;

const since = z
  .string()
  .refine((text) => startOf(text) !== undefined)
  .meta({ anyOf: [...TIME_OR_DAY.anyOf] })
  .optional();

const typeList = z
  .string()
  .max(500)
  .refine((text) => text.split(',').every((type) => LIVE_TYPES.some((known) => known === type)))
  .optional()
  .describe(`comma-separated types of events; default: all of ${LIVE_TYPES.join(', ')}`);

/** The beginning of a stream. */
const EXAMPLE_STREAM = [
  'retry: 2000',
  '',
  'event: stream.ready',
  'id: eyJ0IjoxNzk1MjQ4MDAyMDAwLCJtIjp7IjAiOjQxfX0',
  'data: {"type":"stream.ready","at":"2026-11-21T08:00:02Z"}',
  '',
  '',
].join('\n');

export function streamEndpoints(parts: StreamParts): Endpoint[] {
  const { hub, places, feed, recent, addresses } = parts;
  const startStream = createStreamResponse(parts);

  /** The oldest email of the address since this time, recorded or still in the queue. */
  const oldest = async (
    scope: AddressScope,
    addressId: string,
    from: Date,
  ): Promise<Delivery | undefined> => {
    const [recorded, { mails }] = await Promise.all([
      recent.oldestSince(scope, addressId, from),
      feed.read({ accountId: scope.account_id, addressId }, from, MAX_EMAILS).catch((cause) => {
        throw unavailable(cause);
      }),
    ]);
    const found = mails
      .filter(({ event }) => event.environment === scope.environment)
      .map(({ event, storedAt }) => pendingDelivery(event, storedAt))
      .filter(({ received_at }) => received_at >= from);
    return [...(recorded ? [recorded] : []), ...found].toSorted(
      (one, other) => one.received_at.getTime() - other.received_at.getTime(),
    )[0];
  };

  async function requireAddress(scope: AddressScope, id: string, now: Date): Promise<void> {
    if ((await addresses.find(scope, id, now)) === undefined) throw notFound('address');
  }

  return [
    defineEndpoint({
      method: 'GET',
      path: '/stream',
      operationId: 'streamEvents',
      summary: 'Receive events as they happen, as server-sent events (text/event-stream)',
      tag: 'stream',
      permission: 'any',
      errors: ['not_found', 'rate_limit_exceeded'],
      example: { response: EXAMPLE_STREAM },
      query: z.strictObject({
        address_id: RecordId.optional().describe('only events of this address'),
        receiver_id: RecordId.optional().describe(
          'only deliveries to this receiver: rcv_…, or the id of an address for its own',
        ),
        types: typeList,
        since: since.describe(
          'sends the events since this time first, at most of the last hour, after a stream.gap ' +
            'for earlier ones; Last-Event-ID wins',
        ),
      }),
      response: EventStream,
      file: { mediaType: 'text/event-stream', event: LiveEventView },
      handle: async ({ caller, query, now, request, connection }) => {
        if (!LIVE_PERMISSIONS.some((permission) => may(caller, permission)))
          throw new AppError(
            'forbidden',
            `The stream needs one of the permissions ${LIVE_PERMISSIONS.join(', ')}`,
          );
        if (query.address_id !== undefined) await requireAddress(caller, query.address_id, now);
        return startStream(
          { caller, request, connection },
          {
            addressId: query.address_id,
            receiverId: query.receiver_id,
            types: query.types === undefined ? undefined : new Set(query.types.split(',')),
            since: query.since === undefined ? undefined : startOf(query.since),
          },
        );
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/deliveries/wait',
      operationId: 'waitForDelivery',
      summary: 'Wait for the next email of an address; 204 when none arrives in time',
      permission: 'deliveries:read',
      errors: ['not_found'],
      waits: 'No email arrived in time',
      example: { response: { ...exampleOf(DeliveryView), status: 'pending', attempts: [] } },
      query: z.strictObject({
        address_id: RecordId.describe('the address that receives the email'),
        since: since.describe(
          'returns the oldest email received since this time, if there is one; default: now',
        ),
        timeout: z
          .int()
          .min(1)
          .max(WAIT_MAX_SECONDS)
          .default(WAIT_DEFAULT_SECONDS)
          .describe('longest wait, in seconds'),
      }),
      response: DeliveryView.nullable(),
      handle: async ({ caller, query: { address_id, since: from, timeout }, now, connection }) => {
        await requireAddress(caller, address_id, now);
        using _place = places.take(caller.account_id, connection);
        const { promise: over, resolve } = Promise.withResolvers<Delivery | undefined>();
        const timer = setTimeout(resolve, timeout * 1_000, undefined);
        connection.onClose(() => resolve(undefined));
        const receive = ({ receiverId, delivery }: LiveEvent): void => {
          if (delivery && receiverId === address_id) resolve(delivery); // once, at the address
        };
        const end = () => resolve(undefined);
        try {
          using _watch = await hub.watch(caller, { receive, end, missed: () => undefined });
          const start = from === undefined ? undefined : startOf(from);
          const known = start && (await oldest(caller, address_id, start));
          const found = known ?? (await over);
          return found === undefined ? null : deliveryView(found);
        } finally {
          clearTimeout(timer);
        }
      },
    }),
  ];
}
