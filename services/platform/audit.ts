/**
 * The audit trail: one event for each change, with the token and the request for changes through the API (D15).
 */
import type { AddressScope } from '../core/account/address.ts';
import type { TokenIdentity } from '../core/account/token.ts';
import { createBatches } from '../adapters/process/batches.ts';
import type { Log } from '../adapters/process/log.ts';
import type { NewUsageEvent, UsageEvents } from '../adapters/mongo/metering/events.ts';

/**
 * The cause of a change: a token or session in an API request, or, without the two ids, Inlet or a
 * Kubernetes resource.
 */
export type Cause = {
  caller: AddressScope & Partial<Pick<TokenIdentity, 'id' | 'session'>>;
  /** Of the client, for a request. */
  connection?: { source: string };
  requestId?: string;
  now: Date;
};

/**
 * Resolves when the event is written. The change itself is made by then, so an event that cannot be
 * written is logged.
 */
export type Audit = (
  cause: Cause,
  what: Pick<NewUsageEvent, 'type' | 'address_id' | 'data'>,
) => Promise<void>;

export function createAudit(events: Pick<UsageEvents, 'add'>, log: Log): Audit {
  const add = createBatches(async (all: readonly NewUsageEvent[]) => {
    await events.add(all);
    return [];
  });
  return async function audit({ caller, connection, requestId, now }, what) {
    const { id, account_id, environment, session } = caller;
    const token_id = session === undefined ? id : (session.token_id ?? undefined);
    const event: NewUsageEvent = {
      account_id,
      environment,
      timestamp: now,
      ...(token_id !== undefined && { token_id }),
      ...(session !== undefined && id !== undefined && { session_id: id }),
      ...(requestId !== undefined && { request_id: requestId }),
      ...(connection !== undefined && { source_ip: connection.source }),
      ...what,
    };
    try {
      await add(event);
    } catch (error) {
      log.error('event.unwritten', { ...event, error });
    }
  };
}
