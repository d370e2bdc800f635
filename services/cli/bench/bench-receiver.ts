/** The receiver of `inlet admin bench`: HTTPS in this process, with a certificate that is made for the run. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';

import { makeCertificate } from '../../adapters/tls/certificates.ts';

type BenchReceiver = AsyncDisposable & {
  /** Only this path is answered with 200, and nobody else knows it. */
  url: string;
  /** PEM of the authority of its certificate. */
  ca: string;
  /** performance.now() of the first webhook, by number of the email. */
  receivedMs: Map<number, number>;
};

type Options = {
  /** The name or address by which dispatchers reach this process. */
  host: string;
  /** 0 for any free port. */
  port: number;
  indexIn: (webhook: Buffer) => number | undefined;
};

const LOOPBACK = '127.0.0.1';
const KEEP_ALIVE_MS = 70_000;
/** More than any webhook of these emails. */
const BODY_MAX_BYTES = 1024 * 1024;

export async function startBenchReceiver({ host, port, indexIn }: Options): Promise<BenchReceiver> {
  const names = isIP(host) ? [] : [host];
  const { ca, cert, key } = await makeCertificate(names, { addresses: isIP(host) ? [host] : [] });
  const path = `/${randomBytes(16).toString('hex')}`;
  const receivedMs = new Map<number, number>();
  const server = createServer({ cert, key }, (request, response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > BODY_MAX_BYTES) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const isOurs = request.method === 'POST' && request.url === path;
      response.writeHead(isOurs ? 200 : 404, { 'content-length': 0 }).end();
      const index = isOurs ? indexIn(Buffer.concat(chunks)) : undefined;
      if (index !== undefined && !receivedMs.has(index)) receivedMs.set(index, performance.now());
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  if (host === LOOPBACK) server.listen(port, LOOPBACK);
  else server.listen(port);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
  const shown = isIP(host) === 6 ? `[${host}]` : host;
  return {
    url: `https://${shown}:${bound}${path}`,
    ca,
    receivedMs,
    [Symbol.asyncDispose]: close,
  };
}
