/** Start and stop of a service's process, as the kubelet sees them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { atMost } from '../../support/slowdown.ts';

const SERVICES = join(import.meta.dirname, '../../../services');
const GATEWAY = join(SERVICES, 'gateway/main.ts');

test('a service that still waits for its servers stops immediately on a signal', async () => {
  await using silent = createServer().listen(0, '127.0.0.1'); // a NATS server that never answers
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const env = {
    ...process.env,
    NATS_URL: `nats://127.0.0.1:${port}`,
    MONGODB_URI: 'mongodb://127.0.0.1:1/inlet',
  };
  const child = spawn(process.execPath, [GATEWAY], { env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const [connection] = (await once(silent, 'connection')) as [Socket];
  connection.on('error', () => undefined);
  const requested = Date.now();
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(Date.now() - requested).toBeLessThan(atMost(5_000));
});

const RUN = (failure: string) => `
  import { MongoNetworkError } from 'mongodb';
  import { errors } from '@nats-io/transport-node';
  import { z } from 'zod';
  import { runService } from '${SERVICES}/adapters/process/service-process.ts';
  import { isOutage } from '${SERVICES}/platform/servers/outages.ts';
  const failures = [new MongoNetworkError('away'), new errors.TimeoutError(), ${failure}];
  const schema = z.object({ LOG_LEVEL: z.literal('info').default('info') });
  await runService('thing', schema, {}, async () => {
    const cause = failures.shift();
    if (cause) throw new Error('connect', { cause });
    return { announce: {}, [Symbol.asyncDispose]: async () => undefined };
  }, isOutage);
`;

test.each([
  ['', ['start_repeated', 'start_repeated', 'listening']],
  ["new TypeError('a bug')", ['start_repeated', 'start_repeated', 'crashed']],
])(
  'a start is repeated while servers are away, and not after a fault: %s',
  async (failure, events) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', RUN(failure)], {
      cwd: join(import.meta.dirname, '../../..'),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const exited = once(child, 'exit');
    const seen: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      seen.push((JSON.parse(line) as { event: string }).event.replace('thing.', ''));
      if (seen.length === events.length) break;
    }
    child.kill('SIGKILL');
    await exited;
    expect(seen).toEqual(events);
  },
);
