/** The audit trail of changes through the API: each is an event with the token and the request that made it, and what changed (D15). */
import type { Log } from '../adapters/log.ts';
import type { NewUsageEvent, UsageEvents } from '../adapters/usage-events.ts';
import type { TokenIdentity } from '../core/token.ts';

/** The call that made a change. */
export type Cause = { caller: TokenIdentity; requestId: string; now: Date };

/** Resolves when it is written. The change is made by then: what cannot be written is logged instead, whole. */
export type Audit = (cause: Cause, what: Pick<NewUsageEvent, 'type' | 'address_id' | 'data'>) => Promise<void>;

export const createAudit = (events: Pick<UsageEvents, 'add'>, log: Log): Audit =>
  async function audit({ caller: { id, account_id, environment }, requestId, now }, what) {
    const event: NewUsageEvent = { account_id, environment, timestamp: now, token_id: id, request_id: requestId, ...what };
    try {
      await events.add([event]);
    } catch (error) {
      log.error('event.unwritten', { ...event, error });
    }
  };
