/** Mail events and their outcomes, as dispatchers record them, without an actual email. */
import { randomBytes } from 'node:crypto';

import type { Owned } from '../../services/core/address/scope.ts';
import type { Attempt, DeliveryStatus } from '../../services/core/delivery/delivery.ts';
import type { DispatchEvent } from '../../services/core/delivery/delivery-event.ts';
import { newId } from '../../services/core/id/ids.ts';
import type { MailEvent } from '../../services/core/delivery/mail-event.ts';

export const mailEvent = (
  { id, account_id, environment }: Owned & { id: string },
  receivedAt: Date,
  changes: Partial<MailEvent> = {},
): MailEvent => ({
  event_id: newId('evt', receivedAt, randomBytes(10)),
  account_id,
  environment,
  address_id: id,
  mail_from: 'ann@sender.example',
  from: 'Ann <ann@sender.example>',
  subject: 'hi',
  size_bytes: 99,
  received_at_ms: receivedAt.getTime(),
  payload_bytes: 999,
  payload_in: 'message',
  ...changes,
});

/** An attempt with this outcome; else what a dispatcher does without one. */
let changes = 1;
export function changeTo(
  status: DeliveryStatus,
  mail: MailEvent,
  at = new Date(mail.received_at_ms + changes++), // no two attempts begin at the same time
  dueAt = new Date(at.getTime() + 60_000),
  revision = 0,
): DispatchEvent {
  const of = { mail, storedAt: { partition: 0, sequence: 1 }, revision };
  if (status === 'pending') return { ...of, kind: 'stored' };
  if (status === 'held' || status === 'dropped') return { ...of, kind: status };
  const attempt: Attempt = {
    at,
    duration_ms: 5,
    outcome: status === 'delivered' ? 'accepted' : 'busy',
    status_code: status === 'delivered' ? 200 : 503,
    error: null,
    excerpt: null,
  };
  const steps = {
    delivered: { kind: 'done' },
    retrying: { kind: 'retry', at: dueAt },
    failed: { kind: 'give-up' },
  } as const;
  return { ...of, kind: 'attempted', attempt, step: steps[status] };
}
