/** A worker thread and its jobs: results, reports, errors, and how it ends. */
import { afterEach, expect, test } from 'vitest';

import { createThread, type Thread } from '../../../services/adapters/threads/thread.ts';
import { addressLimitMs } from '../../../services/core/network/deadlines.ts';
import type * as jobs from '../../fixtures/thread-jobs.ts';

let thread: Thread<typeof jobs>;
const start = (limits = {}) => {
  const file = new URL('../../fixtures/thread-jobs.ts', import.meta.url);
  thread = createThread<typeof jobs>(file, { greeting: 'hello' }, limits);
  return thread;
};
afterEach(() => thread[Symbol.asyncDispose]());

test('a job gets its task and the data of the thread, and many are in flight at the same time', async () => {
  start();
  const results = await Promise.all([thread.run('greet', 'Ann'), thread.run('greet', 'Bob')]);
  expect(results).toEqual(['hello Ann', 'hello Bob']);
});

test('a job reports before it ends', async () => {
  start();
  const reports: unknown[] = [];
  const result = await thread.run('count', 3, { onReport: (value) => reports.push(value) });
  expect([reports, result]).toEqual([[0, 1, 2], 3]);
});

test('an error fails only its own job, and the thread continues', async () => {
  start();
  await expect(thread.run('fail', 'broken')).rejects.toThrow('broken');
  expect(await thread.run('greet', 'Ann')).toBe('hello Ann');
});

test('a stuck thread can be ended: all its jobs fail, and the next job starts a new thread', async () => {
  start();
  const jobsInFlight = [thread.run('hang', undefined), thread.run('greet', 'Ann')];
  const outcomes = Promise.allSettled(jobsInFlight);
  await new Promise((resolve) => setTimeout(resolve, 300));
  thread.end('timeout');
  expect((await outcomes).map(({ status }) => status)).toContain('rejected');
  await expect(jobsInFlight[0]).rejects.toMatchObject({ name: 'ThreadEnded', reason: 'timeout' });
  expect(await thread.run('greet', 'Bob')).toBe('hello Bob');
});

test('a job fails when its thread exits, runs out of memory or is stopped', async () => {
  start({ heapMaxMb: 32 });
  await expect(thread.run('exit', undefined)).rejects.toMatchObject({ reason: 'fault' });
  await expect(thread.run('grow', undefined)).rejects.toMatchObject({ reason: 'memory' });
  const hanging = thread.run('hang', undefined);
  await Promise.all([
    expect(hanging).rejects.toMatchObject({ reason: 'stopped' }),
    thread[Symbol.asyncDispose](),
  ]);
  await expect(thread.run('greet', 'Ann')).rejects.toMatchObject({ reason: 'stopped' });
});

test('jobs run at a lower priority than the main thread', async () => {
  start();
  expect(await thread.run('priority', undefined)).toBe(process.platform === 'linux' ? 10 : 0);
});

test('sockets of its libraries have the limit of all sockets (D292)', async () => {
  start();
  expect(await thread.run('addressLimitMs', undefined)).toBe(addressLimitMs());
});
