/** What reads emails for the API can be stopped: whatever is in one, only its own request fails. */
import { afterEach, beforeEach, expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import {
  type ContentThread,
  createContentThread,
} from '../../../services/api/content/content-thread.ts';

const file = new URL('../../fixtures/slow-content-worker.ts', import.meta.url);
let thread: ContentThread;
let stopped: string[];
let lines: Record<string, unknown>[];
beforeEach(() => {
  stopped = [];
  lines = [];
  thread = createContentThread(
    {
      contentTookTooLong: {
        inc: ({ job, reason }) => void stopped.push(`${job} ${reason}`),
        begin: () => undefined,
        end: () => undefined,
      },
    },
    createLog('warn', {}, { write: (line) => void lines.push(JSON.parse(line)) }),
    file,
    500,
  );
});
afterEach(() => thread[Symbol.asyncDispose]());

const view = (name: string, account = 'acc_1') =>
  thread.run(account, 'view', new TextEncoder().encode(name));

test.each(['hang', 'grow'])(
  'an email that makes the thread %s is 422, and the others are read',
  async (name) => {
    const waiting = view('wait');
    await expect(view(name)).rejects.toMatchObject({
      kind: 'validation_failed',
      message: expect.stringMatching(
        /^Reading this email, or evaluating expressions over it, took/,
      ),
    });
    expect(await waiting).toBe('wait');
    expect(await view('well')).toBe('well');
    expect(stopped).toHaveLength(1);
    expect(lines).toMatchObject([{ event: 'content.took_too_long', job: 'view' }]);
  },
);

test('an account waits for one job of another account, not for all', async () => {
  await view('well');
  const ended: string[] = [];
  const jobs = ['busy', 'busy', 'busy', 'busy'].map(async (name) => {
    await view(name, 'acc_2');
    ended.push('acc_2');
  });
  await view('well').then(() => ended.push('acc_1'));
  await Promise.all(jobs);
  expect(ended.indexOf('acc_1')).toBeLessThan(2);
});
