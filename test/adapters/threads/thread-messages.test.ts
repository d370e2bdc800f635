/** Messages of one round of the event loop go together; who waits for one goes on after it was sent. */
import { expect, test } from 'vitest';

import { createOutbox } from '../../../services/adapters/threads/thread-messages.ts';

test('what is added in a round is sent together, and before its sender goes on', async () => {
  const sent: number[][] = [];
  const outbox = createOutbox<number>((messages) => sent.push(messages));
  const seen = [1, 2].map(async (one) => {
    await outbox.sent(one);
    return sent.length;
  });
  outbox.add(3);
  expect(sent).toEqual([]);
  expect(await Promise.all(seen)).toEqual([1, 1]);
  expect(sent).toEqual([[1, 2, 3]]);
  const next = outbox.sent(4);
  outbox.flush();
  await next;
  expect(sent.at(-1)).toEqual([4]);
});
