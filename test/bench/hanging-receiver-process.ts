/**
 * A receiver process that never responds, or with 200 after a time: `/?afterMs=27000`. It counts the
 * webhooks that it does not respond to immediately.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { answerRequests } from './helper-process.ts';

export type HangingRequest =
  { kind: 'start'; certFile: string; keyFile: string } | { kind: 'count' };

let webhooks = 0;

async function start(certFile: string, keyFile: string): Promise<number> {
  const server = createServer(
    { cert: readFileSync(certFile), key: readFileSync(keyFile) },
    (request, response) => {
      request.resume();
      const afterMs = new URL(request.url ?? '/', 'https://localhost').searchParams.get('afterMs');
      if (afterMs !== '0') webhooks++;
      if (afterMs !== null) setTimeout(() => response.writeHead(200).end(), Number(afterMs));
    },
  );
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

answerRequests((requested) => {
  const request = requested as HangingRequest;
  return request.kind === 'start' ? start(request.certFile, request.keyFile) : webhooks;
});
