/** One account with many slow receivers does not delay the emails of other accounts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { startPipeline } from '../support/pipeline.ts';

/** So long that an email which waits for no slot is much faster, also on a busy machine. */
const WEBHOOK_TIMEOUT_MS = 30_000;
const SLOW_ADDRESSES = 160;
const EMAILS_EACH = 2;
const OTHERS = 12;
const BETWEEN_OTHERS_MS = 250;

test(`${SLOW_ADDRESSES} addresses on slow receivers delay no email of another account`, async () => {
  await using pipeline = await startPipeline({
    env: {
      WEBHOOK_TIMEOUT: `${WEBHOOK_TIMEOUT_MS}ms`,
      RETRY_SCHEDULE: '1s,1s,1s,1s',
      MAIL_SLOTS: '32', // fewer slots than slow addresses, also on a busy machine
    },
  });
  const { receiver } = pipeline;
  const send = (to: string, subject: string) =>
    pipeline.mailer.sendMail({ from: 'ann@sender.example', to, subject, text: subject });
  const other = await pipeline.address('/other');
  const slow = [await pipeline.address('/slow/0')];
  for (let i = 1; i < SLOW_ADDRESSES; i++)
    slow.push(await pipeline.address(`/slow/${i}`, { account_id: slow[0]!.account_id }));
  const openRequests = slow.map((_, i) => receiver.leaveOpen(`/slow/${i}`));

  for (let n = 0; n < EMAILS_EACH; n++)
    await Promise.all(slow.map(({ address }, i) => send(address, `slow ${i} ${n}`)));
  const sentAt: number[] = [];
  for (let n = 0; n < OTHERS; n++) {
    sentAt.push(Date.now());
    await send(other.address, String(n));
    await sleep(BETWEEN_OTHERS_MS);
  }

  await receiver.nth('/other', OTHERS);
  const delays = receiver
    .received('/other')
    .map(({ at, payload }) => at - (sentAt[Number(payload.headers.subject)] ?? NaN));
  expect(Math.max(...delays)).toBeLessThan(WEBHOOK_TIMEOUT_MS / 3);
  for (const requests of openRequests) requests.respond();
});
