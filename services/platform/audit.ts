/**
 * The audit trail of changes: each is an event with what changed and, of those made through the
 * API, the token and the request (D15).
 */
import type { AddressScope } from '../core/account/address.ts';
import type { Log } from '../adapters/process/log.ts';
import type { NewUsageEvent, UsageEvents } from '../adapters/mongo/metering/events.ts';

/** Who made a change: a token in a request to the API, or, without the two ids, whoever wrote a Kubernetes resource. */
export type Cause = { caller: AddressScope & { id?: string }; requestId?: string; now: Date };

/** Resolves when it is written. The change is made by then: what cannot be written is logged instead, whole. */
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
