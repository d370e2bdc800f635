/** What attempts show about a receiver, and when an address counts as failing. */
import { expect, test } from 'vitest';

import type { Attempt } from '../../../services/core/delivery/delivery.ts';
import { failureVerdict, receiverNews } from '../../../services/core/delivery/failing.ts';

const DAY_MS = 86_400_000;
const START = new Date('2026-11-01T00:00:00Z');
const day = (days: number) => new Date(START.getTime() + days * DAY_MS);
const attempt = (outcome: Attempt['outcome'], days: number, status_code = 500) => ({
  outcome,
  at: day(days),
  status_code,
});
const NONE = { hasAccepted: false, failingSince: undefined, goneAt: undefined };

test.each<[string, ReturnType<typeof attempt>[], ReturnType<typeof receiverNews>]>([
  ['no attempts change nothing', [], NONE],
  [
    'an accepted attempt clears the failure',
    [attempt('accepted', 1)],
    { ...NONE, hasAccepted: true },
  ],
  [
    'failures of every kind count from the first one on',
    [attempt('unreachable', 3), attempt('busy', 1), attempt('refused', 2), attempt('blocked', 4)],
    { ...NONE, failingSince: day(1) },
  ],
  [
    'a failure before the accepted attempt does not count',
    [attempt('busy', 1), attempt('accepted', 2)],
    { ...NONE, hasAccepted: true },
  ],
  [
    'a failure after it starts a new count, in whatever order they are reported',
    [attempt('busy', 3), attempt('busy', 4), attempt('accepted', 2), attempt('busy', 1)],
    { ...NONE, hasAccepted: true, failingSince: day(3) },
  ],
  [
    'a 410 counts from the first one after the accepted attempt',
    [
      attempt('refused', 1, 410),
      attempt('accepted', 2, 200),
      attempt('busy', 3),
      attempt('refused', 5, 410),
      attempt('refused', 4, 410),
    ],
    { hasAccepted: true, failingSince: day(3), goneAt: day(4) },
  ],
])('%s', (_, attempts, news) => {
  expect(receiverNews(attempts)).toEqual(news);
});

const facts = {
  failing_since: day(0),
  last_failure_at: day(5),
  is_enabled: true,
  is_noticed: false,
  disable_failing_addresses: false,
};
test.each([
  ['failed for five days: noticed', {}, 'notice'],
  [
    'failed for a little less: not yet',
    { last_failure_at: new Date(day(5).getTime() - 1) },
    'wait',
  ],
  [
    'failed once, long ago, and has had no mail since: not failing',
    { last_failure_at: day(0) },
    'wait',
  ],
  ['no failed attempts are stored any more: not failing', { last_failure_at: undefined }, 'wait'],
  [
    'failing, and the account has the setting: disabled',
    { disable_failing_addresses: true },
    'disable',
  ],
  [
    'noticed before its time, as it refuses credentials: nothing more',
    { is_noticed: true },
    'wait',
  ],
  [
    'the same, and the account has the setting: disabled',
    { is_noticed: true, disable_failing_addresses: true },
    'disable',
  ],
  [
    'the account has the setting, but the address is already disabled: noticed',
    { disable_failing_addresses: true, is_enabled: false },
    'notice',
  ],
])('%s', (_, changes, verdict) => {
  expect(failureVerdict({ ...facts, ...changes }, 5 * DAY_MS)).toBe(verdict);
});
