/** docs/smtp.md: what a gateway remembers of its sources is bounded in number and in bytes. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

import { createSourceLimiter } from '../../../services/gateway/policy/source-limits.ts';

const SOURCES = 50_000;
const BOUND_BYTES = 40_000_000;
/** Each source is above a half of every limit, so it is reported to other gateways, too. */
const EVENTS = 3;
const LIMITS = {
  open_connections: 5,
  connections_per_minute: 5,
  messages_per_minute: 5,
  unknown_per_minute: 5,
  unknown_per_hour: 5,
};

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('checklist 11: 50,000 sources that are counted in every way take at most 40 MB', () => {
  using limiter = createSourceLimiter(
    { limits: LIMITS, exemptNetworks: [] },
    { onReport: () => undefined, report: () => undefined },
    () => performance.now(),
  );
  const before = usedBytes();
  for (let source = 0; source < SOURCES + 10_000; source++) {
    const address = `2001:db8:${(source >> 8).toString(16)}:${(0xff00 | (source & 0xff)).toString(16)}::1`;
    for (let event = 0; event < EVENTS; event++) {
      using connection = limiter.countConnection(address);
      connection.countMessage();
      connection.countUnknown();
    }
  }
  expect(limiter.trackedSources()).toBe(SOURCES);
  expect(usedBytes() - before).toBeLessThan(BOUND_BYTES);
});
