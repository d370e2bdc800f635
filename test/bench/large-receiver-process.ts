/**
 * A receiver process for large webhooks. It computes a digest of the first attachment while it
 * arrives and stores nothing, because its work takes processor time from what is measured.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';

import { nowMs } from './clock.ts';
import { answerRequests } from './helper-process.ts';

export type LargeRequest =
  { kind: 'start'; certFile: string; keyFile: string } | { kind: 'received' };
export type LargeWebhook = { atMs: number; payloadBytes: number; sha256: string };

const received: LargeWebhook[] = [];
/** The text before the content of the first attachment, which is near the start of the body. */
const CONTENT = /"attachments":\[\{[^}]*?"content":"/;

async function digest(request: IncomingMessage): Promise<Omit<LargeWebhook, 'atMs'>> {
  const hash = createHash('sha256');
  let payloadBytes = 0;
  let state: 'before' | 'within' | 'behind' = 'before';
  let rest = '';
  for await (const chunk of request as AsyncIterable<Buffer>) {
    payloadBytes += chunk.byteLength;
    if (state === 'behind') continue;
    let text = rest + chunk.toString('latin1');
    if (state === 'before') {
      const found = CONTENT.exec(text);
      if (found) [state, text] = ['within', text.slice(found.index + found[0].length)];
    }
    if (state === 'within') {
      const end = text.indexOf('"');
      // groups of four letters are three bytes
      const whole = end === -1 ? text.length - (text.length % 4) : end;
      hash.update(Buffer.from(text.slice(0, whole), 'base64'));
      if (end !== -1) state = 'behind';
      text = text.slice(whole);
    }
    rest = text;
  }
  return { payloadBytes, sha256: hash.digest('hex') };
}

async function start(certFile: string, keyFile: string): Promise<number> {
  const server = createServer(
    { cert: readFileSync(certFile), key: readFileSync(keyFile) },
    (request, response) => {
      const take = async () => {
        const found = await digest(request);
        received.push({ atMs: nowMs(), ...found });
        response.writeHead(200, { 'content-length': 0 }).end();
      };
      take().catch(() => request.destroy());
    },
  );
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

setPriority(10);
answerRequests((requested) => {
  const request = requested as LargeRequest;
  return request.kind === 'start' ? start(request.certFile, request.keyFile) : received;
});
