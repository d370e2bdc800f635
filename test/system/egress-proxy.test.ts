/** WEBHOOK_PROXY_URL holds for every kind of webhook (D50). */
import { expect, test } from 'vitest';

import { startInProcess } from '../support/start-in-process.ts';
import { findTinyproxy, startTinyproxy } from '../support/tinyproxy.ts';

test('D50: small and large emails and tests go through the proxy; without it they wait', async ({
  skip,
}) => {
  const proxy = await startTinyproxy((await findTinyproxy()) ?? skip());
  await using system = await startInProcess({ WEBHOOK_PROXY_URL: proxy.url });
  const { receiver, mailer } = system.pipeline;
  const targets = async () => (await proxy.targets()).length;
  const from = 'ann@sender.example';
  const { id, address: to } = await system.address('/through');

  await system.api.ask('POST', `/v1/addresses/${id}/test`);
  await receiver.nth('/through', 1);
  expect(await targets()).toBe(1);
  await system.send(to, 'small');
  await receiver.nth('/through', 2);
  expect(await targets()).toBe(2);
  await mailer.sendMail({ from, to, text: 'x\n'.repeat(600_000) });
  await receiver.nth('/through', 3);
  expect(await targets()).toBe(3);

  await proxy[Symbol.asyncDispose]();
  const { body } = await system.api.ask('POST', `/v1/addresses/${id}/test`);
  expect(body).toMatchObject({
    outcome: 'unreachable',
    error: 'the egress proxy of Inlet cannot be reached',
  });
});
