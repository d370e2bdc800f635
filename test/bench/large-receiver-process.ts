/** A receiver of large webhooks, in a process of its own: it answers at once, then takes a digest of the first attachment. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { WebhookPayload } from '../../services/core/payload.ts';
import { nowMs } from './clock.ts';
import { answerRequests } from './helper-process.ts';

export type LargeRequest = { kind: 'start'; certFile: string; keyFile: string } | { kind: 'received' };
export type LargeWebhook = { atMs: number; subject: string | null; payloadBytes: number; sha256: string };

const received: LargeWebhook[] = [];

function note(body: Buffer, atMs: number): void {
  const { headers, attachments } = JSON.parse(body.toString()) as WebhookPayload;
  const content = Buffer.from(attachments[0]?.content ?? '', 'base64');
  received.push({ atMs, subject: headers.subject, payloadBytes: body.byteLength, sha256: createHash('sha256').update(content).digest('hex') });
}

async function start(certFile: string, keyFile: string): Promise<number> {
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const atMs = nowMs();
      response.writeHead(200, { 'content-length': 0 }).end();
      setImmediate(() => note(Buffer.concat(chunks), atMs));
    });
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

answerRequests((asked) => {
  const request = asked as LargeRequest;
  return request.kind === 'start' ? start(request.certFile, request.keyFile) : received;
});
