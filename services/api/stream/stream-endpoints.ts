/** GET /stream: what happens, as it happens. */
import { z } from 'zod';

import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { Address } from '../../core/address/address.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { may } from '../../core/token/token.ts';
import { AppError, notFound } from '../../core/error/app-error.ts';
import { LIVE_PERMISSIONS, LIVE_TYPES, LiveEventView } from '../../core/event/live-event.ts';
import { startOf } from '../../core/time/date-range.ts';
import { RecordId } from '../http/input/record-id.ts';
import { SINCE } from '../http/input/date-fields.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { EventStream } from '../http/output/event-stream.ts';
import type { ReadHistory } from './history.ts';
import { createStreamResponse } from './stream-response.ts';
import { waitEndpoint, type WaitEndpointDependencies } from './wait-endpoint.ts';

type StreamEndpointDependencies = Omit<WaitEndpointDependencies, 'requireAddress'> & {
  history: ReadHistory;
  addresses: Pick<Addresses, 'find'>;
  heartbeatMs: number;
};

const typeList = z
  .string()
  .max(500)
  .refine(
    (text) => text.split(',').every((type) => LIVE_TYPES.some((known) => known === type)),
    `must be one or more of ${LIVE_TYPES.join(', ')}, separated by commas`,
  )
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

export function streamEndpoints(dependencies: StreamEndpointDependencies): Endpoint[] {
  const { addresses } = dependencies;
  const startStream = createStreamResponse(dependencies);

  async function requireAddress(scope: AddressScope, id: string, now: Date): Promise<Address> {
    const address = await addresses.find(scope, id, now);
    if (address === undefined) throw notFound('address');
    return address;
  }

  return [
    defineEndpoint({
      call: 'GET /stream',
      operationId: 'streamEvents',
      summary: 'Receive events as they happen, as server-sent events (text/event-stream)',
      tag: 'stream',
      permission: 'any',
      reach: 'limited',
      errors: ['not_found', 'rate_limit_exceeded'],
      example: { response: EXAMPLE_STREAM },
      query: z.strictObject({
        address_id: RecordId.optional().describe('only events of this address'),
        receiver_id: RecordId.optional().describe(
          'only deliveries to this receiver: rcv_…, or the id of an address for its own',
        ),
        types: typeList,
        since: SINCE.describe(
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
    waitEndpoint({ ...dependencies, requireAddress }),
  ];
}
