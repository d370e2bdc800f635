/**
 * The record of a delivery: counters (D14, D28), and what happens to an event that the stream
 * delivers again (spec 3).
 */
import { describe, expect, test } from 'vitest';

import {
  type DeliveryState,
  type DeliveryStatus,
  newDelivery,
  resume,
  type Resumption,
  ruledStatus,
  statusAfter,
  statusNow,
  tallyOf,
} from '../../../services/core/delivery/delivery.ts';
import type { Step } from '../../../services/core/delivery/retry.ts';
import { fc } from '../../support/random.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const BEFORE = new Date('2026-03-01T11:59:59Z');
const AFTER = new Date('2026-03-01T12:00:01Z');

const state = (
  status: DeliveryStatus,
  attempts: number,
  next_attempt_at: Date | null = null,
  attempts_before_replay = 0,
): DeliveryState => ({ status, attempts, attempts_before_replay, next_attempt_at });

test.each<[Step, DeliveryStatus]>([
  [{ kind: 'done' }, 'delivered'],
  [{ kind: 'retry', at: NOW }, 'retrying'],
  [{ kind: 'give-up' }, 'failed'],
])('spec 3: after step %j the delivery is %s', (step, status) => {
  expect(statusAfter(step)).toBe(status);
});

test.each<[DeliveryStatus | undefined, DeliveryStatus, DeliveryStatus]>([
  [undefined, 'retrying', 'retrying'],
  ['retrying', 'failed', 'failed'],
  ['failed', 'delivered', 'delivered'],
  ['delivered', 'retrying', 'delivered'],
  ['delivered', 'failed', 'delivered'],
])('a delivery that was %s, with the new status %s, is %s', (before, after, now) => {
  expect(statusNow(before, after)).toBe(now);
});

describe('counters', () => {
  test.each<
    [
      DeliveryStatus | undefined,
      DeliveryStatus,
      { received: number; delivered: number; failed: number },
    ]
  >([
    [undefined, 'pending', { received: 1, delivered: 0, failed: 0 }],
    [undefined, 'delivered', { received: 1, delivered: 1, failed: 0 }],
    [undefined, 'failed', { received: 1, delivered: 0, failed: 1 }],
    [undefined, 'retrying', { received: 1, delivered: 0, failed: 0 }],
    ['retrying', 'retrying', { received: 0, delivered: 0, failed: 0 }],
    ['retrying', 'delivered', { received: 0, delivered: 1, failed: 0 }],
    ['delivered', 'delivered', { received: 0, delivered: 0, failed: 0 }],
    ['failed', 'delivered', { received: 0, delivered: 1, failed: -1 }],
    ['failed', 'retrying', { received: 0, delivered: 0, failed: -1 }],
  ])('D28: from %s to %s they change by %j', (before, after, tally) => {
    expect(tallyOf(before, after)).toEqual(tally);
  });

  test('D14: an event counts once, under its last status, whatever its history is', () => {
    const statuses = fc.array(
      fc.constantFrom<DeliveryStatus>('pending', 'retrying', 'delivered', 'failed'),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(statuses, (sequence) => {
        const sum = { received: 0, delivered: 0, failed: 0 };
        let status: DeliveryStatus | undefined;
        for (const next of sequence) {
          const now = statusNow(status, next);
          const tally = tallyOf(status, now);
          sum.received += tally.received;
          sum.delivered += tally.delivered;
          sum.failed += tally.failed;
          status = now;
        }
        expect(sum).toEqual({
          received: 1,
          delivered: Number(status === 'delivered'),
          failed: Number(status === 'failed'),
        });
        expect(status === 'delivered').toBe(sequence.includes('delivered'));
      }),
    );
  });
});

describe('an event that the stream delivers again', () => {
  test.each<[string, DeliveryState | undefined, Resumption]>([
    [
      'without a record is attempted for the first time',
      undefined,
      { kind: 'attempt', attempt: 1, retryCount: 0 },
    ],
    [
      'without an attempt is attempted for the first time',
      state('pending', 0),
      { kind: 'attempt', attempt: 1, retryCount: 0 },
    ],
    [
      'that was delivered is only settled',
      state('delivered', 3),
      { kind: 'settle', step: { kind: 'done' } },
    ],
    [
      'that was given up is only settled',
      state('failed', 7),
      { kind: 'settle', step: { kind: 'give-up' } },
    ],
    [
      'before its time keeps waiting, and no attempt counts',
      state('retrying', 2, AFTER),
      { kind: 'settle', step: { kind: 'retry', at: AFTER } },
    ],
    [
      'at its time gets its next attempt',
      state('retrying', 2, NOW),
      { kind: 'attempt', attempt: 3, retryCount: 2 },
    ],
    [
      'after its time gets its next attempt',
      state('retrying', 1, BEFORE),
      { kind: 'attempt', attempt: 2, retryCount: 1 },
    ],
    [
      'that is replayed starts the schedule again and continues its retry count',
      state('pending', 7, null, 7),
      { kind: 'attempt', attempt: 1, retryCount: 7 },
    ],
    [
      'whose replay is in progress continues its schedule',
      state('retrying', 9, NOW, 7),
      { kind: 'attempt', attempt: 3, retryCount: 9 },
    ],
    [
      'without a time gets its next attempt',
      state('retrying', 6),
      { kind: 'attempt', attempt: 7, retryCount: 6 },
    ],
  ])('%s', (_, before, resumption) => {
    expect(resume(before, NOW, 0)).toEqual(resumption);
  });
});

const changedState = (status: DeliveryStatus, next: Date | null) => ({
  ...state(status, 1, next),
  revision: 2,
});
describe('D35: a message of an older revision than its record', () => {
  test.each([
    [
      'makes no attempt, and is replaced',
      changedState('retrying', NOW),
      { kind: 'renew', revision: 2 },
    ],
    [
      'waits for the time of the record',
      changedState('retrying', AFTER),
      { kind: 'settle', step: { kind: 'retry', at: AFTER } },
    ],
    [
      'of a canceled delivery is settled',
      changedState('failed', null),
      { kind: 'settle', step: { kind: 'give-up' } },
    ],
  ])('%s', (_, record, resumption) => {
    expect(resume(record, NOW, 1)).toEqual(resumption);
  });

  test('a message of the same revision makes the attempt', () => {
    const resumption = { kind: 'attempt', attempt: 2, retryCount: 1 };
    expect(resume(changedState('retrying', NOW), NOW, 2)).toEqual(resumption);
  });
});

test.each<DeliveryStatus>(['delivered', 'failed', 'held', 'dropped', 'retrying'])(
  'D165: a record that is %s does not settle a message of a later revision',
  (status) => {
    expect(resume(changedState(status, AFTER), NOW, 3)).toMatchObject({ kind: 'attempt' });
  },
);

describe('D165: an attempt that a request has overtaken', () => {
  test.each<[DeliveryStatus, DeliveryStatus, DeliveryStatus]>([
    ['pending', 'failed', 'pending'],
    ['pending', 'retrying', 'pending'],
    ['failed', 'retrying', 'failed'],
    ['retrying', 'failed', 'retrying'],
    ['retrying', 'delivered', 'delivered'],
    ['failed', 'delivered', 'delivered'],
    ['dropped', 'delivered', 'dropped'],
  ])('of a %s record, which ends as %s, leaves it %s', (before, after, expected) => {
    expect(statusNow(before, after, true)).toBe(expected);
  });
});

test('the record of a new event has the data of the event, is pending and has no attempts', () => {
  const event = {
    event_id: 'evt_1',
    account_id: 'acc_1',
    environment: 'test',
    address_id: 'addr_1',
    mail_from: '',
    from: null,
    subject: 'hi',
    size_bytes: 9,
    received_at_ms: NOW.getTime(),
    payload_bytes: 99,
    payload_in: 'message',
  } as const;
  const stored_at = { partition: 1, sequence: 7 };
  expect(newDelivery(event, stored_at)).toEqual({
    event_id: 'evt_1',
    account_id: 'acc_1',
    environment: 'test',
    address_id: 'addr_1',
    mail_from: '',
    from: null,
    subject: 'hi',
    search: { day: Math.floor(NOW.getTime() / 86_400_000), terms: ['subject:hi'] },
    size_bytes: 9,
    received_at: NOW,
    updated_at: NOW,
    status: 'pending',
    stored_at,
    payload_in: 'message',
    attempts: [],
    attempts_before_replay: 0,
    next_attempt_at: null,
  });
});

const ruled = (action: 'hold' | 'drop' | null) => ({
  ruling: { action, reason: action && ('rule' as const), rules: [], facts: [] },
});

describe('D55: an email that rules hold or drop', () => {
  test.each([
    ['hold', undefined, 'held'],
    ['drop', undefined, 'dropped'],
    [null, undefined, undefined],
    ['hold', {}, 'held'],
    ['hold', { released_at: NOW }, undefined],
    ['drop', { released_at: NOW }, undefined],
  ] as const)('%s, record %j: %s', (action, record, expected) => {
    expect(ruledStatus(ruled(action), record)).toBe(expected);
  });

  test('is settled when the stream delivers it again, and attempted after its release', () => {
    expect(resume(state('held', 0), NOW, 0)).toEqual({
      kind: 'settle',
      step: { kind: 'give-up' },
    });
    expect(resume(state('dropped', 0), NOW, 0)).toEqual({
      kind: 'settle',
      step: { kind: 'done' },
    });
    const released = { ...state('pending', 0, BEFORE), released_at: BEFORE };
    expect(resume(released, NOW, 0).kind).toBe('attempt');
  });

  test('stays dropped, whatever a late copy says', () => {
    expect(statusNow('dropped', 'held')).toBe('dropped');
    expect(statusNow('pending', 'held')).toBe('held');
  });

  test('counts once as received', () => {
    expect(tallyOf(undefined, 'held')).toEqual({ received: 1, delivered: 0, failed: 0, held: 1 });
    expect(tallyOf('held', 'pending')).toEqual({ received: 0, delivered: 0, failed: 0, held: -1 });
    expect(tallyOf('held', 'dropped')).toEqual({
      received: 0,
      delivered: 0,
      failed: 0,
      held: -1,
      dropped: 1,
    });
    expect(tallyOf('pending', 'delivered')).toEqual({ received: 0, delivered: 1, failed: 0 });
  });
});
