/** What a process reports to the kubelet. */
import { expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { createRegistry, serveObservability } from '../../../services/adapters/process/observe.ts';

const options = {
  host: '127.0.0.1',
  port: 0,
  registry: createRegistry('test'),
  isReady: () => true,
};

test('a process that needs no restart is healthy', async () => {
  await using served = await serveObservability(options, createLog('silent'));
  expect((await fetch(`http://127.0.0.1:${served.port}/healthz`)).status).toBe(200);
});

test('a process that is stuck is not healthy, and says why', async () => {
  let illness: string | undefined;
  await using served = await serveObservability(
    { ...options, illness: () => illness },
    createLog('silent'),
  );
  const health = async () => {
    const response = await fetch(`http://127.0.0.1:${served.port}/healthz`);
    return [response.status, await response.text()];
  };
  expect(await health()).toEqual([200, 'ok\n']);
  illness = 'watch of secrets';
  expect(await health()).toEqual([503, 'watch of secrets\n']);
});
