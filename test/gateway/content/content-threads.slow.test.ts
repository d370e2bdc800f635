/** Content threads that end again and again (checklist 34). */
import { expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import type { Recipient } from '../../../services/core/address/recipient.ts';
import type { ContentOptions } from '../../../services/gateway/content/content-jobs.ts';
import {
  type ContentIO,
  createContentThreads,
} from '../../../services/gateway/content/content-threads.ts';
import { createByteBudget } from '../../../services/gateway/receive/memory-budget.ts';
import { noAuthors } from '../../support/no-authors.ts';

const STUBBORN = new URL('../../fixtures/stubborn-worker.ts', import.meta.url);
const NO_METRICS = new Proxy({}, { get: () => () => undefined }) as ContentIO['metrics'];

test('replaced threads leave no memory behind', async () => {
  await using threads = createContentThreads(
    {} as ContentOptions,
    1,
    {
      memory: createByteBudget(1e9),
      metrics: NO_METRICS,
      authors: noAuthors,
      isConnected: () => true,
      clock: () => new Date(),
      log: createLog('silent'),
    },
    STUBBORN,
  );
  await threads.prepared();
  const raw = Buffer.from('Subject: die\r\n\r\nthe text');
  const recipient = { id: 'addr_1', account_id: 'acc_1' } as Recipient;
  const replace = async (times: number) => {
    for (let n = 0; n < times; n++)
      await threads.receive({
        transactionId: 'one',
        raw,
        withReceived: raw,
        envelope: { mailFrom: 'a@x.example', heloDomain: '', remoteIp: '' },
        recipients: [{ recipient, named: new Map() }],
        isUtf8: false,
        repliesEach: false,
        receivedAt: new Date(),
        replyBy: new Date(Date.now() + 60_000),
      });
    globalThis.gc?.();
    return process.memoryUsage().rss;
  };
  const [before, after] = [await replace(10), await replace(20)];
  expect(after - before).toBeLessThan(300 * 1024 * 1024); // twenty threads take 600 MB
});
