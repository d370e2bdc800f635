/** The start of a process whose servers are away: it is alive, not ready, and waits. */
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';

import { createLog } from '../../services/adapters/process/log.ts';
import { mendedVersion } from '../../services/core/servers/server-versions.ts';
import { openBackends } from '../../services/platform/servers/backends.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { log } from '../support/pipeline.ts';
import { startNatsOfVersion } from '../support/outdated-nats.ts';
import { startTestMongod, startTestNats, testMongo } from '../support/servers.ts';
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

test.each([
  ['with logins, as in production', true],
  ['without one on loopback, as those of npm start', false],
])('D298: of outdated servers %s, a process that starts says so once: %s', async (_, hasLogin) => {
  await using nats = await startNatsOfVersion('2.11.9');
  await using mongo = await testMongo();
  await using client = await new MongoClient(mongo.uri).connect();
  await client.db().command({ createUser: 'inlet', pwd: 'secret', roles: ['readWrite'] });
  const { version } = (await client.db().command({ buildInfo: 1 })) as unknown as {
    version: string;
  };
  const uri = new URL(mongo.uri);
  if (hasLogin) [uri.username, uri.password] = ['inlet', 'secret'];
  const lines: Record<string, unknown>[] = [];
  const config = {
    NATS_URL: nats.url,
    ...(hasLogin && { NATS_USER: 'inlet', NATS_PASSWORD: 'secret' }),
    MONGODB_URI: uri.href,
    METRICS_HOST: '127.0.0.1',
    METRICS_PORT: 0,
  } as Parameters<typeof openBackends>[0];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  await using _backends = await openBackends(config, 'api', createLog('warn', {}, { write }));
  const lowest = mendedVersion('mongodb', version);
  expect(lines.filter(({ event }) => event === 'server.outdated')).toMatchObject(
    hasLogin
      ? [
          { level: 'warn', server: 'nats', version: '2.11.9', lowest_mended: '2.11.15' },
          ...(lowest === undefined ? [] : [{ server: 'mongodb', version, lowest_mended: lowest }]),
        ]
      : [],
  );
});
