/**
 * A whole system that the test files of a process share, because its start takes seconds of
 * processor time. Each file has an account and a receiver of its own.
 */
import { test } from 'vitest';

import { startTestDns } from './dns-server.ts';
import { startWholeSystem } from './start-standalone.ts';

/** Retries last longer than a test, so that it can look at an email that waits. */
export const SLOW_RETRIES = { RETRY_SCHEDULE: '1h' };

/** Starts when a file first uses it, and ends with the process. */
export const withSharedSystem = test.extend(
  'shared',
  { scope: 'worker' },
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern
  async ({}, { onCleanup }) => {
    await using parts = new AsyncDisposableStack();
    const dns = parts.use(await startTestDns());
    const system = parts.use(await startWholeSystem({ ...SLOW_RETRIES, DNS_SERVERS: dns.address }));
    const running = parts.move();
    onCleanup(() => running.disposeAsync());
    return { system, dns };
  },
);
