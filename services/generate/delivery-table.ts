/** The table of docs/architecture.md: what each event makes of a delivery in each status. */
import type { DeliveryEvent, DeliveryRecord } from '../core/delivery/delivery-event.ts';
import type { Attempt, DeliveryStatus } from '../core/delivery/delivery.ts';
import { DELIVERY_STATUSES } from '../core/delivery/delivery-view.ts';
import type { MailEvent } from '../core/delivery/mail-event.ts';
import { transition } from '../core/delivery/transition.ts';

const NOW = new Date('2026-11-29T12:00:00Z');
const LATER = new Date('2026-11-29T12:05:00Z');
const LONG_AGO = new Date('2026-11-29T11:00:00Z');

const mail: MailEvent = {
  event_id: 'evt_1',
  account_id: 'acc_1',
  environment: 'live',
  address_id: 'addr_1',
  mail_from: '',
  from: null,
  subject: null,
  size_bytes: 1,
  received_at_ms: LONG_AGO.getTime(),
  payload_bytes: 1,
  payload_in: 'message',
};
const attempt: Attempt = {
  at: NOW,
  duration_ms: 1,
  outcome: 'busy',
  status_code: 503,
  error: null,
  excerpt: null,
};
const of = { mail, storedAt: { partition: 0, sequence: 1 }, revision: 1 };
const by = {};

const EVENTS: [words: string, event: DeliveryEvent][] = [
  ['stored: a dispatcher has it', { ...of, kind: 'stored' }],
  ['delayed by a limit', { ...of, kind: 'delayed', until: LATER, foundDueAt: LATER }],
  [
    'kept for a consumer',
    { ...of, kind: 'kept', unread: { at: NOW, bytes: 1, until: LATER }, found: undefined },
  ],
  [
    'attempt accepted, or acknowledged',
    { ...of, kind: 'attempted', attempt, step: { kind: 'done' } },
  ],
  [
    'attempt failed, or returned',
    { ...of, kind: 'attempted', attempt, step: { kind: 'retry', at: LATER } },
  ],
  ['last attempt failed', { ...of, kind: 'attempted', attempt, step: { kind: 'give-up' } }],
  ['rules hold it', { ...of, kind: 'held' }],
  ['rules drop it', { ...of, kind: 'dropped' }],
  ['no webhook is sent', { ...of, kind: 'unsent', as: 'filtered' }],
  ['its time is over', { ...of, kind: 'given_up', as: 'expired' }],
  ['the backlog is full', { ...of, kind: 'given_up', as: 'backlog_full' }],
  ['retry asked for', { kind: 'retry_asked', by, dueAt: NOW }],
  ['canceled', { kind: 'canceled', by }],
  ['replayed or released', { kind: 'replayed', by, dueAt: NOW }],
  ['released by a mark', { kind: 'released', by, at: NOW }],
  ['dropped by a request', { kind: 'drop_asked', by, at: NOW }],
  ['erased', { kind: 'erased', by, ends: 'nothing' }],
  ['erased by a mark', { kind: 'erased', by, ends: 'waiting' }],
  ['account closed', { kind: 'closed', by, isErased: false }],
  ['overdue, stored', { kind: 'found_overdue', where: 'stored', revision: 1 }],
  ['overdue, nowhere', { kind: 'found_overdue', where: 'nowhere', revision: 1 }],
];

/** @param kind a sweep finds only what is overdue */
function recordIn(status: DeliveryStatus, kind: DeliveryEvent['kind']): DeliveryRecord {
  const stored = { ...of, kind: 'stored' } as const;
  const { record } = transition(undefined, stored, LONG_AGO);
  const waits = status === 'pending' || status === 'retrying';
  return {
    ...record!,
    status,
    revision: 1,
    next_attempt_at: waits && kind !== 'found_overdue' ? LATER : null,
    ...(status === 'held' && { ruling: { action: 'hold', reason: 'rule', rules: [], facts: [] } }),
    ...(status === 'dropped' && {
      ruling: { action: 'drop', reason: 'rule', rules: [], facts: [] },
    }),
  };
}

/** What is done with a message or a content. Counters and the audit trail follow from the status. */
const WORDS: Record<string, string> = {
  acknowledge: 'ack',
  retry: 'RETRY',
  keep: 'FAILED',
  redeliver: 'nak',
  remove_content: 'remove content',
};

function cell(before: DeliveryRecord | undefined, event: DeliveryEvent): string {
  const { record, effects } = transition(before, event, NOW);
  if (record === undefined) return '';
  const follows = effects.flatMap(({ kind }) => WORDS[kind] ?? []).join(', ');
  const status = record === before ? '' : `**${record.status}**`;
  return [status, follows].filter((part) => part !== '').join(' ');
}

export function deliveryTable(): string {
  const rows = EVENTS.map(([words, event]) => {
    const cells = DELIVERY_STATUSES.map((status) => cell(recordIn(status, event.kind), event));
    const made = 'mail' in event ? cell(undefined, { ...event, revision: 0 }) : '';
    return `| ${words} | ${[made, ...cells].join(' | ')} |`;
  });
  return [
    `| event | no record | ${DELIVERY_STATUSES.join(' | ')} |`,
    `| --- | ${['', ...DELIVERY_STATUSES].map(() => '---').join(' | ')} |`,
    ...rows,
  ].join('\n');
}
