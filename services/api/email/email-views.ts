/**
 * Records who reads which part of an email, for accounts with `record_views` (D279). An endpoint
 * says with `shows` what its response shows.
 */
import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import type { NewUsageEvent, UsageEvents } from '../../adapters/mongo/audit/events.ts';
import type { Deliveries } from '../../adapters/mongo/delivery/deliveries.ts';
import type { Owned } from '../../core/address/scope.ts';
import type { Delivery } from '../../core/delivery/delivery.ts';
import { addressIdOfEvent } from '../../core/delivery/mail-event.ts';
import type { ViewedPart, ViewWay } from '../../core/event/email-view-event.ts';
import { type Cause, originOf } from '../../platform/audit.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { RECORDED, type View } from '../http/view.ts';

type RecordViewDependencies = {
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
export type RecordView = (reader: Reader, viewed: Viewed) => Promise<View>;

export function createRecordView(dependencies: RecordViewDependencies): RecordView {
  const { deliveries } = dependencies;
  return async function recordView({ caller, ...cause }, viewed) {
    const { eventId } = viewed;
    const ofLink = caller ? undefined : await deliveries.placeOf(eventId);
    const owner = caller ?? ofLink;
    if (owner === undefined || !(await isAsked(dependencies, owner))) return RECORDED;
    // an email without a record waits in its stream, and only its owner can read it
    const place = ofLink ?? (await deliveries.placeOf(eventId));
    const reader = { ...cause, caller: owner } as Cause;
    await dependencies.events.add([viewEvent(reader, place?.address_id ?? null, viewed)]);
    return RECORDED;
  };
}

/** The same for emails that a consumer leases together. It may be called without any. */
export type RecordLeases = (
  cause: Cause,
  leased: readonly Pick<Delivery, 'event_id' | 'address_id' | 'email'>[],
) => Promise<View>;

export const createRecordLeases = (
  dependencies: Pick<RecordViewDependencies, 'accounts' | 'events'>,
): RecordLeases =>
  async function recordLeases(cause, leased) {
    if (leased.length === 0 || !(await isAsked(dependencies, cause.caller))) return RECORDED;
    await dependencies.events.add(
      leased.map((one) =>
        viewEvent(cause, addressIdOfEvent(one), {
          eventId: one.event_id,
          part: 'payload',
          way: 'api',
        }),
      ),
    );
    return RECORDED;
  };

/** Whether the account records views. */
const isAsked = async (
  { accounts }: Pick<RecordViewDependencies, 'accounts'>,
  { account_id }: Owned,
) => (await accounts.find(account_id))?.settings.record_views ?? false;

function viewEvent(
  cause: Cause,
  address_id: string | null,
  { eventId, part, way }: Viewed,
): NewUsageEvent {
  const { account_id, environment } = cause.caller;
  return {
    account_id,
    environment,
    type: 'email.viewed',
    address_id,
    timestamp: cause.now,
    ...originOf(cause),
    data: { event_id: eventId, part, way },
  };
}

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
