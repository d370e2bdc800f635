/**
 * Events of the audit trail as log records of OpenTelemetry, for a SIEM. Attributes have the names of
 * its semantic conventions where there are some. Events about single emails are left out: they are
 * many, and traces and metrics have them.
 */
import { actorOf } from '../account/actor.ts';
import {
  STORED_USAGE_EVENT_TYPES,
  type StoredUsageEventType,
  type UsageEvent,
} from './usage-event.ts';

const ABOUT_EMAILS = /^(email|webhook)\./;

export const AUDIT_LOG_TYPES: readonly StoredUsageEventType[] = STORED_USAGE_EVENT_TYPES.filter(
  (type) => !ABOUT_EMAILS.test(type),
);

/** The same event can be exported twice: `inlet.audit_event_id` tells. */
export function auditLog(event: UsageEvent) {
  const { id, type, timestamp, account_id, environment, address_id, data } = event;
  const attributes = {
    'inlet.audit_event_id': id,
    'inlet.account_id': account_id,
    'inlet.environment': environment,
    'inlet.address_id': address_id ?? undefined,
    'inlet.actor': actorOf(event),
    'inlet.member_id': event.member_id,
    'inlet.token_id': event.token_id,
    'inlet.resource': typeof data.resource === 'string' ? data.resource : undefined,
    'inlet.request_id': event.request_id,
    'session.id': event.session_id,
    'user.name': event.user,
    'client.address': event.source_ip,
  };
  // as JSON: times as texts
  const body = JSON.parse(JSON.stringify(data)) as Record<string, unknown>;
  return { name: `inlet.${type}`, at: timestamp, body, attributes: present(attributes) };
}

const present = (attributes: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
