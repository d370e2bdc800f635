/** Messages of one round of the event loop go together; who waits for one goes on after it was sent. */
import { expect, test } from 'vitest';

import { createThreadMessages } from '../../../services/adapters/threads/thread-messages.ts';

test('what is added in a round is sent together, and before its sender goes on', async () => {
  const sent: number[][] = [];
  const messages = createThreadMessages<number>((together) => sent.push(together));
  const seen = [1, 2].map(async (one) => {
    await messages.sent(one);
    return sent.length;
  });
  messages.add(3);
  expect(sent).toEqual([]);
  expect(await Promise.all(seen)).toEqual([1, 1]);
  expect(sent).toEqual([[1, 2, 3]]);
  const next = messages.sent(4);
  messages.flush();
  await next;
  expect(sent.at(-1)).toEqual([4]);
});
