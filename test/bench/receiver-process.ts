/**
 * The webhook receiver process: HTTPS with keep-alive, always 200. Records when each send id first
 * arrived, and how often.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { nowMs } from './clock.ts';
import { answerRequests } from './helper-process.ts';
import { sendIdIn } from './mails.ts';

export type ReceiverRequest =
  | { kind: 'start'; certFile: string; keyFile: string }
  | { kind: 'count'; firstId: number; mails: number }
  | { kind: 'collect'; firstId: number; mails: number };

export type Receipts = {
  /** First arrival by send id, milliseconds since 1970; NaN if none. */
  receivedMs: Float64Array;
  /** Arrivals after the first of a send id, and those of them with another event_id. */
  duplicated: number;
  duplicatedAsOther: number;
  /** Since the last collection. */
  openedConnections: number;
};

type Receipt = { atMs: number; eventId: string; copies: number; copiesAsOther: number };

const EVENT_ID = /"event_id":"(\w+)"/;
const HEAD_BYTES = 256; // event_id comes first

/** By send id. */
const receipts = new Map<number, Receipt>();
let openedConnections = 0;

function note(body: Buffer): void {
  const atMs = nowMs();
  const head = body.toString('latin1', 0, HEAD_BYTES);
  const eventId = EVENT_ID.exec(head)?.[1] ?? '';
  const sendId = sendIdIn(body);
  if (sendId === undefined) return;
  const before = receipts.get(sendId);
  if (before === undefined)
    return void receipts.set(sendId, { atMs, eventId, copies: 0, copiesAsOther: 0 });
  before.copies++;
  if (before.eventId !== eventId) before.copiesAsOther++;
}

async function start(certFile: string, keyFile: string): Promise<number> {
  const server = createServer(
    { cert: readFileSync(certFile), key: readFileSync(keyFile), keepAlive: true },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        note(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
        response.writeHead(200, { 'content-length': 0 }).end();
      });
    },
  );
  server.keepAliveTimeout = 60_000;
  server.on('secureConnection', () => openedConnections++);
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function collect(firstId: number, mails: number): Receipts {
  const found: Receipts = {
    receivedMs: new Float64Array(mails).fill(NaN),
    duplicated: 0,
    duplicatedAsOther: 0,
    openedConnections,
  };
  for (let index = 0; index < mails; index++) {
    const receipt = receipts.get(firstId + index);
    if (receipt === undefined) continue;
    receipts.delete(firstId + index);
    found.receivedMs[index] = receipt.atMs;
    found.duplicated += receipt.copies;
    found.duplicatedAsOther += receipt.copiesAsOther;
  }
  openedConnections = 0;
  return found;
}

function count(firstId: number, mails: number): number {
  let found = 0;
  for (let index = 0; index < mails; index++) if (receipts.has(firstId + index)) found++;
  return found;
}

answerRequests((requested) => {
  const request = requested as ReceiverRequest;
  if (request.kind === 'start') return start(request.certFile, request.keyFile);
  if (request.kind === 'count') return count(request.firstId, request.mails);
  return collect(request.firstId, request.mails);
});
