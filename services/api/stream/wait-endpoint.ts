/** GET /deliveries/wait: the next email of an address, or the next one with a code or a link. */
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';

import { describeSchema, exampleOf } from '../../core/resource/api-reference.ts';
import type { RecentEvents } from '../../adapters/mongo/audit/recent-events.ts';
import type { LiveHeaders } from '../../adapters/stream/events/live-headers.ts';
import type { ApiStore } from '../content/store-for-api.ts';
import type { Address } from '../../core/address/address.ts';
import { type AddressScope, reaches } from '../../core/address/scope.ts';
import { may } from '../../core/token/token.ts';
import { AppError, unavailable } from '../../core/error/app-error.ts';
import { startOf } from '../../core/time/date-range.ts';
import { DeliveryView, deliveryView } from '../../core/delivery/delivery-view.ts';
import { type Delivery, pendingDelivery } from '../../core/delivery/delivery.ts';
import { isWithheld } from '../../core/api/withheld.ts';
import type { LiveEvent } from '../../core/event/live-event.ts';
import { bestLink } from '../../core/extract/links.ts';
import { cutPayload } from '../../core/webhook/shown-email.ts';
import type { WebhookPayload } from '../../core/webhook/payload.ts';
import { readPayload } from '../content/stored-email.ts';
import { defineEmailEndpoint, type Endpoint } from '../http/endpoint.ts';
import { SINCE } from '../http/input/date-fields.ts';
import { RecordId } from '../http/input/record-id.ts';
import type { View } from '../http/view.ts';
import type { RecheckReach } from '../http/reach.ts';
import { type Connection, type Slots, STREAM_BYTES } from '../http/limits/slots.ts';
import type { Hub } from './hub.ts';
import { optional } from '../../core/resource/described.ts';

export type WaitEndpointDependencies = {
  hub: Hub;
  /** Who holds a stream or a request that waits. */
  slots: Slots;
  /** Who holds a payload. */
  downloads: Slots;
  store: Pick<ApiStore, 'payload'>;
  feed: Pick<LiveHeaders, 'read'>;
  recent: Pick<RecentEvents, 'since'>;
  recheck: RecheckReach;
  /** @throws AppError `not_found` */
  requireAddress: (scope: AddressScope, id: string, now: Date) => Promise<Address>;
};

const WAIT_MAX_SECONDS = 60;
const WAIT_DEFAULT_SECONDS = 30;
/** How many emails one request looks at. */
const MAX_EMAILS = 100;

const AwaitedDelivery = DeliveryView.extend({
  code: z.string().optional().describe('with `code=true`: the best code of the email'),
  link: optional(
    z.string(),
    'with `link=true`: the link of the email that confirms or signs in, by its words and its ' +
      'URL; else the first one. Links that unsubscribe do not count',
  ),
});
type AwaitedDelivery = z.infer<typeof AwaitedDelivery>;
describeSchema(AwaitedDelivery, 'AwaitedDelivery', {
  ...exampleOf(DeliveryView),
  status: 'pending',
  attempts: [],
  code: '482913',
});

/** What the email must have. */
type Wanted = {
  code: boolean;
  link: boolean;
  text?: string | undefined;
  host?: string | undefined;
};
const EXTRACTION = { code: 'codes', link: 'links' } as const;

export function waitEndpoint(dependencies: WaitEndpointDependencies): Endpoint {
  const { hub, slots, downloads, store, feed, recent, recheck, requireAddress } = dependencies;

  /** The emails of the address since this time, recorded or still in the queue. */
  const emailsSince = async (scope: AddressScope, id: string, from: Date): Promise<Delivery[]> => {
    const [recorded, { mails }] = await Promise.all([
      recent.since(scope, id, from, MAX_EMAILS),
      feed
        .read({ accountId: scope.account_id, receiverIds: [id] }, from, MAX_EMAILS)
        .catch((cause) => {
          throw unavailable(cause);
        }),
    ]);
    const queued = mails
      .filter(({ event }) => event.environment === scope.environment)
      .map(({ event, storedAt }) => pendingDelivery(event, storedAt))
      .filter(({ received_at }) => received_at >= from);
    return [...recorded, ...queued].toSorted(
      (one, other) => one.received_at.getTime() - other.received_at.getTime(),
    );
  };

  /** The caller may have lost the address during the wait. @throws AppError `unauthorized` */
  const requireStillReached = async (request: IncomingMessage, addressId: string) => {
    const now = await recheck(request);
    const mayRead = now && !now.accountIsSuspended && may(now.identity, 'deliveries:read');
    if (!mayRead || !reaches(now.identity, addressId))
      throw new AppError(
        'unauthorized',
        'The token or the session can no longer read the emails of this address',
      );
  };

  /** Undefined for an email without what is wanted. */
  async function look(
    delivery: Delivery,
    wanted: Wanted,
    { connection, view }: { connection: Connection; view: View },
  ): Promise<AwaitedDelivery | undefined> {
    if (!wanted.code && !wanted.link) return deliveryView(delivery);
    const payload = await store.payload(delivery, view);
    if (payload === undefined) return undefined; // erased in the meantime
    using download = downloads.take(delivery.account_id, connection, STREAM_BYTES);
    const read = cutPayload(payload.chunks, { text: 0, html: 0, content: 0 });
    const bytes = await readPayload(read, download);
    // only what was extracted when it arrived: no text of the email is read
    const { extracted } = JSON.parse(Buffer.from(bytes.buffer).toString()) as WebhookPayload;
    const code = extracted?.codes?.[0]?.value;
    const link = bestLink(extracted?.links ?? [], wanted)?.url;
    if ((wanted.code && code === undefined) || (wanted.link && link === undefined))
      return undefined;
    return {
      ...deliveryView(delivery),
      ...(wanted.code && { code }),
      ...(wanted.link && { link }),
    };
  }

  return defineEmailEndpoint({
    call: 'GET /deliveries/wait',
    operationId: 'waitForDelivery',
    summary: 'Wait for the next email of an address; 204 when none arrives in time',
    permission: 'deliveries:read',
    reach: 'limited',
    errors: ['not_found'],
    waits: 'No email arrived in time',
    example: { response: exampleOf(AwaitedDelivery) },
    query: z.strictObject({
      address_id: RecordId.describe('the address that receives the email'),
      since: SINCE.describe(
        'returns the oldest email received since this time, if there is one; default: now',
      ),
      timeout: z
        .int()
        .min(1)
        .max(WAIT_MAX_SECONDS)
        .default(WAIT_DEFAULT_SECONDS)
        .describe('longest wait, in seconds'),
      code: z
        .boolean()
        .default(false)
        .describe('waits for an email with a code; the address must extract `codes`'),
      link: z
        .boolean()
        .default(false)
        .describe('waits for an email with a link; the address must extract `links`'),
      link_text: optional(
        z.string().min(1).max(200),
        'part of the text of the link, in any case; implies `link=true`',
      ),
      link_host: optional(
        z.string().min(1).max(253),
        'host of the link, or a domain above it; implies `link=true`',
      ),
    }),
    response: AwaitedDelivery.nullable(),
    shows: {
      part: 'codes',
      emailOf: ({ query }, found) => {
        const { code, link } = wantedBy(query);
        return code || link ? (found?.event_id ?? undefined) : undefined;
      },
    },
    handle: async ({ caller, query, now, request, connection, view }) => {
      const { address_id, timeout } = query;
      const wanted = wantedBy(query);
      requireExtraction(await requireAddress(caller, address_id, now), wanted);
      using _slot = slots.take(caller.account_id, connection);
      const arrivals = createArrivals();
      const timer = setTimeout(arrivals.end, timeout * 1_000);
      connection.onClose(arrivals.end);
      const receive = ({ receiverId, delivery }: LiveEvent): void => {
        if (delivery && receiverId === address_id) arrivals.add(delivery); // once, at the address
      };
      try {
        using _watch = await hub.watch(() => caller, {
          receive,
          end: arrivals.end,
          missed: () => undefined,
        });
        const from = query.since === undefined ? undefined : startOf(query.since);
        if (from) arrivals.addFirst(await emailsSince(caller, address_id, from));
        for await (const delivery of arrivals.each()) {
          if (isWithheld(delivery)) continue;
          const found = await look(delivery, wanted, { connection, view });
          if (found === undefined) continue;
          await requireStillReached(request, address_id);
          return found;
        }
        return null;
      } finally {
        clearTimeout(timer);
      }
    },
  });
}

const wantedBy = (query: {
  code: boolean;
  link: boolean;
  link_text?: string | undefined;
  link_host?: string | undefined;
}): Wanted => ({
  code: query.code,
  link: query.link || query.link_text !== undefined || query.link_host !== undefined,
  text: query.link_text,
  host: query.link_host,
});

function requireExtraction({ payload }: Address, wanted: Wanted): void {
  for (const name of ['code', 'link'] as const)
    if (wanted[name] && !payload?.extract.includes(EXTRACTION[name]))
      throw new AppError(
        'validation_failed',
        `The address extracts no ${EXTRACTION[name]}: add them to its payload.extract`,
        { details: { field: name, code: 'conflict' } },
      );
}

/** Emails in the order in which they are looked at, each once. */
function createArrivals() {
  let emails: Delivery[] = [];
  const seen = new Set<string>();
  let isOver = false;
  let wake: (() => void) | undefined;
  return {
    add: (delivery: Delivery) => {
      if (emails.length < MAX_EMAILS) emails.push(delivery);
      wake?.();
    },
    addFirst: (earlier: readonly Delivery[]) => {
      emails = [...earlier, ...emails];
    },
    end: () => {
      isOver = true;
      wake?.();
    },
    each: async function* () {
      for (;;) {
        const next = emails.shift();
        if (next !== undefined && !seen.has(next.event_id)) {
          seen.add(next.event_id);
          yield next;
        } else if (next === undefined) {
          if (isOver) return;
          await new Promise<void>((resolve) => (wake = resolve));
        }
      }
    },
  };
}
