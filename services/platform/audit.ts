/**
 * The audit trail: one event for each change, with who made it and the request for changes through
 * the API (D15, D76).
 */
import type { Owned } from '../core/address/scope.ts';
import type { EventOrigin } from '../core/event/usage-event.ts';
import type { TokenIdentity } from '../core/token/token.ts';
import { isEmpty } from '../core/resource/changed-fields.ts';
import { createBatches } from '../adapters/async/batches.ts';
import type { Log } from '../adapters/process/log.ts';
import type { NewUsageEvent, UsageEvents } from '../adapters/mongo/audit/events.ts';

/**
 * The cause of a change: a token or session in an API request, or, without a request, Inlet or a
 * Kubernetes resource. An endpoint passes its whole call.
 */
export type Cause = {
  caller: Owned & Partial<Pick<TokenIdentity, 'id' | 'member' | 'session'>>;
  now: Date;
  /** The Kubernetes resource that asks for the change: see `managerName`. */
  resource?: string;
} & (ApiRequest | { [Field in keyof ApiRequest]?: never });

/** The connection of the client. */
export type ApiRequest = { connection: { source: string }; requestId: string };

/**
 * Resolves when the event is written. The change itself is made by then, so an event that cannot be
 * written is logged.
 */
export type Audit = (cause: Cause, what: Audited) => Promise<void>;

type Audited = Pick<NewUsageEvent, 'type' | 'address_id' | 'data'>;

/**
 * Records the update of a noun with the fields that changed, without secrets. An update that changed
 * nothing leaves no event (D29).
 */
export async function auditUpdate(
  audit: Audit,
  cause: Cause,
  { data, ...what }: Audited,
  changed: object,
): Promise<void> {
  if (!isEmpty(changed)) await audit(cause, { ...what, data: { ...data, changed } });
}

/** @param by of a process that only the operator of the installation uses */
export function createAudit(
  events: Pick<UsageEvents, 'add'>,
  log: Log,
  by: { operator?: true } = {},
): Audit {
  const add = createBatches(async (all: readonly NewUsageEvent[]) => {
    await events.add(all);
    return [];
  });
  return async function audit(cause, what) {
    const { account_id, environment } = cause.caller;
    const event: NewUsageEvent = {
      account_id,
      environment,
      timestamp: cause.now,
      ...originOf(cause),
      ...by,
      ...what,
      ...(cause.resource !== undefined && { data: { ...what.data, resource: cause.resource } }),
    };
    try {
      await add(event);
    } catch (error) {
      // without its data, which has webhook URLs and descriptions
      const { data: _, ...named } = event;
      log.error('event.not_written', { ...named, error });
    }
  };
}

/** The fields of an event that name its cause. */
export function originOf({ caller, connection, requestId }: Cause): EventOrigin {
  const { id, member, session } = caller;
  const user = session?.user ?? member?.name;
  const token_id = session === undefined ? id : (session.token_id ?? undefined);
  return {
    ...(token_id !== undefined && { token_id }),
    ...(session !== undefined && id !== undefined && { session_id: id }),
    ...(member !== undefined && { member_id: member.id }),
    ...(user && { user }),
    ...(requestId !== undefined && { request_id: requestId }),
    ...(connection !== undefined && { source_ip: connection.source }),
  };
}
