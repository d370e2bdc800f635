/**
 * Records who reads which part of an email, for accounts with `record_views` (D279). An endpoint
 * says with `shows` what its response shows.
 */
import type { Accounts } from '../../adapters/mongo/accounts/accounts.ts';
import type { UsageEvents } from '../../adapters/mongo/audit/events.ts';
import type { Deliveries } from '../../adapters/mongo/deliveries/deliveries.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { addressOf } from '../../core/delivery/mail-event.ts';
import type { ViewedPart, ViewWay } from '../../core/event/email-view-event.ts';
import { type Cause, originOf } from '../../platform/audit.ts';
import type { Endpoint } from '../http/endpoint.ts';

type Parts = {
  accounts: Pick<Accounts, 'find'>;
  deliveries: Pick<Deliveries, 'placeOf'>;
  events: Pick<UsageEvents, 'add'>;
};

/** Who reads; without a caller, the holder of a signed link. */
type Reader = Omit<Cause, 'caller'> & Partial<Pick<Cause, 'caller'>>;
type Viewed = { eventId: string; part: ViewedPart; way: ViewWay };

/**
 * Resolves when the view is recorded, if the account asks for that.
 * @throws when it cannot be: then nothing may be shown
 */
export type RecordView = (reader: Reader, viewed: Viewed) => Promise<void>;

export const createRecordView = ({ accounts, deliveries, events }: Parts): RecordView =>
  async function recordView({ caller, ...cause }, { eventId, part, way }) {
    // an email without a record waits in its stream, and only its owner can read it
    const place = await deliveries.placeOf(eventId);
    const owner = caller ?? place;
    if (owner === undefined) return;
    const account = await accounts.find(owner.account_id);
    if (!account?.settings.record_views) return;
    const { account_id, environment } = owner;
    await events.add([
      {
        account_id,
        environment,
        type: 'email.viewed',
        address_id: place?.address_id ?? null,
        timestamp: cause.now,
        ...originOf({ ...cause, caller: owner } as Cause),
        data: { event_id: eventId, part, way },
      },
    ]);
  };

/** The same for emails that a consumer leases together. It may be called without any. */
export type RecordLeases = (
  cause: Cause,
  leased: readonly Pick<Delivery, 'event_id' | 'address_id' | 'email'>[],
) => Promise<void>;

export const createRecordLeases = ({
  accounts,
  events,
}: Pick<Parts, 'accounts' | 'events'>): RecordLeases =>
  async function recordLeases(cause, leased) {
    if (leased.length === 0) return;
    const { account_id, environment } = cause.caller;
    const account = await accounts.find(account_id);
    if (!account?.settings.record_views) return;
    await events.add(
      leased.map((one) => ({
        account_id,
        environment,
        type: 'email.viewed',
        address_id: addressOf(one),
        timestamp: cause.now,
        ...originOf(cause),
        data: { event_id: one.event_id, part: 'payload', way: 'api' },
      })),
    );
  };

/** The endpoints, each of which records what its responses show before they are sent. */
export const recordingViews = (endpoints: readonly Endpoint[], record: RecordView): Endpoint[] =>
  endpoints.map((endpoint) => {
    const { shows } = endpoint;
    if (shows === undefined) return endpoint;
    return {
      ...endpoint,
      handle: async (call) => {
        const result = await endpoint.handle(call);
        const eventId = shows.emailOf(call, result);
        if (eventId !== undefined)
          await record(call, { eventId, part: shows.part, way: wayOf(call) });
        return result;
      },
    };
  });

type AnyCall = Parameters<Endpoint['handle']>[0];

function wayOf({ caller, request }: AnyCall): ViewWay {
  if (caller === undefined) return 'link';
  if (request.url?.startsWith('/mcp')) return 'mcp';
  return caller.session === undefined ? 'api' : 'dashboard';
}
