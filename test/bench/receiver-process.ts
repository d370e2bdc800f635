/**
 * The webhook receiver process: HTTPS with keep-alive, always 200. Records when each send id first
 * arrived, and how often.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import { signatureIsValid } from '../../services/standalone/round-trip/receiver.ts';
import { nowMs } from './clock.ts';
import { answerRequests } from './helper-process.ts';
import { sendIdIn } from './mails.ts';

export type ReceiverRequest =
  | { kind: 'start'; certFile: string; keyFile: string }
  /** Verifies the signatures of webhooks for these addresses from now on. */
  | { kind: 'verify'; secrets: Record<string, string> }
  | { kind: 'count'; firstId: number; mails: number }
  /** Only webhooks to this path; without one, those to `/`. */
  | { kind: 'collect'; firstId: number; mails: number; path?: string };

export type Receipts = {
  /** First arrival by send id, milliseconds since 1970; NaN if none. */
  receivedMs: Float64Array;
  /** Arrivals after the first of a send id, and those of them with another event_id. */
  duplicated: number;
  duplicatedAsOther: number;
  badSignatures: number;
  /** Since the last collection. */
  openedConnections: number;
};

type Receipt = { atMs: number; eventId: string; copies: number; copiesAsOther: number };

const EVENT_ID = /"event_id":"(\w+)"/;
const ADDRESS_ID = /"address_id":"(\w+)"/;
const HEAD_BYTES = 256; // event_id and address_id come first

/** By path, then by send id. */
const receipts = new Map<string, Map<number, Receipt>>();
const receiptsAt = (path: string): Map<number, Receipt> => {
  const known = receipts.get(path) ?? new Map<number, Receipt>();
  receipts.set(path, known);
  return known;
};
let secrets: Record<string, string> | undefined;
let badSignatures = 0;
let openedConnections = 0;

function note(path: string, body: Buffer, signature: string): void {
  const atMs = nowMs();
  const head = body.toString('latin1', 0, HEAD_BYTES);
  const eventId = EVENT_ID.exec(head)?.[1] ?? '';
  if (
    secrets &&
    eventId !== '' &&
    !signatureIsValid(signature, body, secrets[ADDRESS_ID.exec(head)?.[1] ?? ''] ?? '')
  )
    badSignatures++;
  const sendId = sendIdIn(body);
  if (sendId === undefined) return;
  const before = receiptsAt(path).get(sendId);
  if (before === undefined)
    return void receiptsAt(path).set(sendId, { atMs, eventId, copies: 0, copiesAsOther: 0 });
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
        note(
          request.url ?? '/',
          chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
          String(request.headers['svc-signature'] ?? ''),
        );
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

function collect(firstId: number, mails: number, path: string): Receipts {
  const receiptsHere = receiptsAt(path);
  const found: Receipts = {
    receivedMs: new Float64Array(mails).fill(NaN),
    duplicated: 0,
    duplicatedAsOther: 0,
    badSignatures,
    openedConnections,
  };
  for (let index = 0; index < mails; index++) {
    const receipt = receiptsHere.get(firstId + index);
    if (receipt === undefined) continue;
    receiptsHere.delete(firstId + index);
    found.receivedMs[index] = receipt.atMs;
    found.duplicated += receipt.copies;
    found.duplicatedAsOther += receipt.copiesAsOther;
  }
  badSignatures = 0;
  openedConnections = 0;
  return found;
}

function count(firstId: number, mails: number): number {
  let found = 0;
  for (let index = 0; index < mails; index++) if (receiptsAt('/').has(firstId + index)) found++;
  return found;
}

answerRequests((requested) => {
  const request = requested as ReceiverRequest;
  if (request.kind === 'start') return start(request.certFile, request.keyFile);
  if (request.kind === 'count') return count(request.firstId, request.mails);
  if (request.kind === 'collect')
    return collect(request.firstId, request.mails, request.path ?? '/');
  secrets = request.secrets;
  return undefined;
});
