/** A real nats-server behind a connection that reports another version. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

import { startTestNats } from './servers.ts';

export async function startNatsOfVersion(
  version: string,
): Promise<AsyncDisposable & { url: string }> {
  const nats = await startTestNats();
  const proxy = createServer((client) => {
    const server = connect(nats.port, '127.0.0.1');
    // latin1 keeps all bytes; the server sends its INFO again after CONNECT
    server.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      client.write(text.replace(/^(INFO .*"version":)"[^"]*"/gm, `$1"${version}"`), 'latin1');
    });
    client.pipe(server);
    for (const socket of [client, server])
      socket
        .on('error', () => undefined)
        .on('close', () => [client, server].map((one) => one.destroy()));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `nats://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      proxy.close();
      await nats[Symbol.asyncDispose]();
    },
  };
}
