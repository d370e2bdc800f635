/**
 * The audit trail: one event for each change, with the token and the request for changes through the API (D15).
 */
import type { AddressScope } from '../core/account/address.ts';
import type { Log } from '../adapters/process/log.ts';
import type { NewUsageEvent, UsageEvents } from '../adapters/mongo/metering/events.ts';

/** The cause of a change: a token in an API request, or, without the two ids, a Kubernetes resource. */
export type Cause = { caller: AddressScope & { id?: string }; requestId?: string; now: Date };

/**
 * Resolves when the event is written. The change itself is made by then, so an event that cannot be
 * written is logged.
 */
export type Audit = (
  cause: Cause,
  what: Pick<NewUsageEvent, 'type' | 'address_id' | 'data'>,
) => Promise<void>;

export const createAudit = (events: Pick<UsageEvents, 'add'>, log: Log): Audit =>
  async function audit({ caller: { id, account_id, environment }, requestId, now }, what) {
    const event: NewUsageEvent = {
      account_id,
      environment,
      timestamp: now,
      ...(id !== undefined && { token_id: id }),
      ...(requestId !== undefined && { request_id: requestId }),
      ...what,
    };
    try {
      await events.add([event]);
    } catch (error) {
      log.error('event.unwritten', { ...event, error });
    }
  };
