/** What a process reports to the kubelet. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
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

test('a request whose end is not clear is refused, and nothing behind it is read', async () => {
  await using served = await serveObservability(options, createLog('silent'));
  const socket = connect(served.port, '127.0.0.1');
  const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
  socket.write(`${request}Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n${request}\r\n`);
  expect((await text(socket)).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 400']);
});
