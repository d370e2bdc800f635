/** Start and stop of a service's process, as the kubelet sees them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atMost } from '../../support/slowdown.ts';

const GATEWAY = join(import.meta.dirname, '../../../services/gateway/main.ts');

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
  const asked = Date.now();
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(Date.now() - asked).toBeLessThan(atMost(5_000));
});
