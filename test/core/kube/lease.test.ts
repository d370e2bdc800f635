/**
 * Leases: one holder, and a takeover only after it was silent long enough by the watcher's clock.
 */
import { describe, expect, test } from 'vitest';

import {
  leaseHeldBy,
  type LeaseSpec,
  observe,
  mayHold,
  leaseReleased,
} from '../../../services/core/kube/lease.ts';

const NOW = new Date('2026-11-21T08:00:00.123Z');
const spec = (fields: Partial<LeaseSpec> = {}): LeaseSpec => ({
  holderIdentity: 'first',
  leaseDurationSeconds: 10,
  acquireTime: '2026-11-21T07:00:00.000000Z',
  renewTime: '2026-11-21T07:59:59.000000Z',
  leaseTransitions: 3,
  ...fields,
});

describe('who may hold it', () => {
  test.each([
    ['nobody holds it', spec({ holderIdentity: '' }), 0, true],
    ['we hold it', spec({ holderIdentity: 'me' }), 0, true],
    ['we hold it, and have not renewed it for long', spec({ holderIdentity: 'me' }), 60_000, true],
    ['another has renewed it', spec(), 9_999, false],
    ['another has not renewed it for its duration', spec(), 10_000, true],
    [
      'a wrong clock puts its renewal in the past',
      spec({ renewTime: '1999-01-01T00:00:00.000000Z' }),
      0,
      false,
    ],
    [
      'a wrong clock puts its renewal in the future',
      spec({ renewTime: '2999-01-01T00:00:00.000000Z' }),
      10_000,
      true,
    ],
    ['it has no duration', { holderIdentity: 'first' }, 0, true],
  ])('%s', (_, lease, silentMs, expected) => {
    expect(mayHold({ spec: lease, firstSeenMs: 1_000 }, 'me', 1_000 + silentMs)).toBe(expected);
  });
});

describe('how old a lease is', () => {
  test('a renewal ages from the time when it was first seen', () => {
    expect(observe(observe(undefined, spec(), 1_000), spec(), 9_000).firstSeenMs).toBe(1_000);
  });
  test.each([
    ['a renewal', spec({ renewTime: '2026-11-21T08:00:01.000000Z' })],
    ['another holder', spec({ holderIdentity: 'second' })],
  ])('%s resets its age', (_, after) => {
    expect(observe(observe(undefined, spec(), 1_000), after, 9_000).firstSeenMs).toBe(9_000);
  });
});

describe('what is written', () => {
  test('a first lease', () => {
    expect(leaseHeldBy(undefined, 'me', 10, NOW)).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 10,
      acquireTime: '2026-11-21T08:00:00.123000Z',
      renewTime: '2026-11-21T08:00:00.123000Z',
      leaseTransitions: 0,
    });
  });
  test('a renewal keeps the time of acquisition and the number of transitions', () => {
    expect(leaseHeldBy(spec({ holderIdentity: 'me' }), 'me', 10, NOW)).toEqual(
      spec({ holderIdentity: 'me', renewTime: '2026-11-21T08:00:00.123000Z' }),
    );
  });
  test('a takeover counts as a transition', () => {
    expect(leaseHeldBy(spec(), 'me', 10, NOW)).toMatchObject({
      holderIdentity: 'me',
      acquireTime: '2026-11-21T08:00:00.123000Z',
      leaseTransitions: 4,
    });
  });
  test('a released lease can be acquired immediately', () => {
    const back = leaseReleased(spec({ holderIdentity: 'me' }), NOW);
    expect(back).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 3,
    });
    expect(mayHold({ spec: back, firstSeenMs: 0 }, 'other', 0)).toBe(true);
  });
});
