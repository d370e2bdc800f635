/**
 * The record of a delivery: counters (D14, D28), and what happens to an event that the stream
 * delivers again (spec 3).
 */
import { describe, expect, test } from 'vitest';

import {
  type DeliveryState,
  type DeliveryStatus,
  pendingDelivery,
  ruledStatus,
  tallyOf,
} from '../../../services/core/delivery/delivery.ts';
import { resume, type Resumption } from '../../../services/core/delivery/resume.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const BEFORE = new Date('2026-03-01T11:59:59Z');
const AFTER = new Date('2026-03-01T12:00:01Z');

const state = (
  status: DeliveryStatus,
  attempts: number,
  next_attempt_at: Date | null = null,
  attempts_before_replay = 0,
): DeliveryState => ({ status, attempts, attempts_before_replay, next_attempt_at });

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
      { kind: 'settle', as: { kind: 'acknowledge' } },
    ],
    [
      'that was given up is only settled',
      state('failed', 7),
      { kind: 'settle', as: { kind: 'keep' } },
    ],
    [
      'before its time keeps waiting, and no attempt counts',
      state('retrying', 2, AFTER),
      { kind: 'settle', as: { kind: 'retry', at: AFTER, revision: 0 } },
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
      { kind: 'settle', as: { kind: 'retry', at: AFTER, revision: 2 } },
    ],
    [
      'of a canceled delivery is settled',
      changedState('failed', null),
      { kind: 'settle', as: { kind: 'keep' } },
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
  expect(pendingDelivery(event, stored_at)).toEqual({
    event_id: 'evt_1',
    account_id: 'acc_1',
    environment: 'test',
    address_id: 'addr_1',
    mail_from: '',
    from: null,
    subject: 'hi',
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
      as: { kind: 'keep' },
    });
    expect(resume(state('dropped', 0), NOW, 0)).toEqual({
      kind: 'settle',
      as: { kind: 'acknowledge' },
    });
    const released = { ...state('pending', 0, BEFORE), released_at: BEFORE };
    expect(resume(released, NOW, 0).kind).toBe('attempt');
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
