/** The start of a process whose servers are away: it is alive, not ready, and waits. */
import { expect, test } from 'vitest';

import { openBackends } from '../../services/platform/servers/backends.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { log } from '../support/pipeline.ts';
import { startTestMongod, startTestNats } from '../support/servers.ts';
import { until } from '../support/until.ts';

test('a process that waits for MongoDB answers its probes, so that it is not restarted', async () => {
  await using nats = await startTestNats();
  await using mongod = await startTestMongod();
  await mongod.stop();
  const port = await freePort();
  const config = {
    NATS_URL: nats.url,
    MONGODB_URI: mongod.url,
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: port,
  } as Parameters<typeof openBackends>[0];
  const opening = openBackends(config, 'gateway', log);
  const status = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      (answer) => answer.status,
      () => 0,
    );
  await until('the probes to be answered', async () => (await status('/healthz')) === 200);
  expect(await status('/readyz')).toBe(503);
  await mongod.restart();
  await using backends = await opening;
  using _serving = backends.serving.begin();
  expect(await status('/readyz')).toBe(200);
});
