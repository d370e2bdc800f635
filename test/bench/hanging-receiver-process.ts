/** A receiver process that accepts connections and never responds. */
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
    (request) => {
      webhooks++;
      request.resume();
    },
  );
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

answerRequests((asked) => {
  const request = asked as HangingRequest;
  return request.kind === 'start' ? start(request.certFile, request.keyFile) : webhooks;
});
