/** A proxy in front of the API on the loopback interface that a test can make refuse calls. */
import { createServer as createTlsServer } from 'node:https';
import {
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';

export type FaultyApi = AsyncDisposable & {
  /** With /v1. */
  url: string;
  /** Responds with this status to the next `times` calls of a path that matches. */
  refuse(path: RegExp, status: number, times: number): void;
  /** Refusals that were not made yet. */
  left(): number;
};

/**
 * @param target URL of the API
 * @param tls for HTTPS on localhost
 */
export async function startFaultyApi(
  target: string,
  tls?: { cert: Buffer; key: Buffer },
): Promise<FaultyApi> {
  const faults: { path: RegExp; status: number; left: number }[] = [];

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    const fault = faults.find((one) => one.left > 0 && one.path.test(path));
    if (fault !== undefined) {
      fault.left--;
      response.writeHead(fault.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'unavailable', message: `fault ${fault.status}` }));
      return;
    }
    const { method, headers } = request;
    const sent = requestOf(new URL(path, target), { method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    request.pipe(sent);
  };

  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: tls === undefined ? `http://127.0.0.1:${port}/v1` : `https://localhost:${port}/v1`,
    refuse: (path, status, left) => void faults.push({ path, status, left }),
    left: () => faults.reduce((sum, { left }) => sum + left, 0),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
