/** Events are grouped before they are cut into pages. */
import { expect, test } from 'vitest';

import type { UsageEvent } from '../../services/core/api/api-types.generated.ts';
import { firstRows, inRuns } from '../../services/dashboard/screens/activity/event-runs.ts';

const events = (count: number, type: UsageEvent['type']): UsageEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${type} ${n}`,
    type,
    address_id: '',
    timestamp: '2026-11-21T12:00:00Z',
    data: {},
  }));

test('repeated events are one row, whatever their number; other rows fill the page', () => {
  const retries = events(849, 'webhook.retrying');
  const others = Array.from({ length: 60 }, (_, n) =>
    events(1, n % 2 === 0 ? 'token.created' : 'token.deleted'),
  );
  const { runs, shown } = firstRows(inRuns([...retries, ...others.flat()]), true);
  expect(runs).toHaveLength(50);
  expect(runs?.[0]?.events).toHaveLength(849);
  expect(shown).toBe(849 + 49);
});

test('events that do not fill a page: more are asked for, if there are any', () => {
  const retries = inRuns(events(100, 'webhook.retrying'));
  expect(firstRows(retries, true)).toEqual({ runs: undefined, shown: 100 });
  expect(firstRows(retries, false)).toEqual({ runs: retries, shown: 100 });
});
