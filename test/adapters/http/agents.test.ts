/** Connections of receivers that want a client certificate, or are Services of the cluster. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { ConnectionOptions } from '../../../services/adapters/http/agents.ts';
import { createWebhooks, type Webhooks } from '../../../services/adapters/http/webhook.ts';
import { type Certificate, makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { ClientCertificate } from '../../../services/core/receiver/client-certificate.ts';

const parts = new AsyncDisposableStack();
const SERVICE = 'billing.shop.svc';
let server: Certificate;
let ours: Certificate;
let stranger: Certificate;
let port: number;
const clients: unknown[] = [];
let connections = 0;

beforeAll(async () => {
  [server, ours, stranger] = await Promise.all([
    makeCertificate(['localhost', SERVICE]),
    makeCertificate(['inlet'], { isForClients: true }),
    makeCertificate(['stranger'], { isForClients: true }),
  ]);
  const https = createServer(
    { cert: server.cert, key: server.key, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      clients.push(socket.getPeerCertificate().subject?.CN);
      request.resume().on('end', () => response.end());
    },
  );
  https.on('secureConnection', () => connections++);
  https.listen(0, '127.0.0.1');
  await once(https, 'listening');
  port = (https.address() as AddressInfo).port;
  parts.defer(async () => {
    https.closeAllConnections();
    await new Promise<void>((resolve) => void https.close(() => resolve()));
  });
});
afterAll(() => parts.disposeAsync());

const toLoopback: LookupFunction = (_name, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }], 0);

const caller = (extraCa: readonly string[] = [server.ca]): Webhooks =>
  createWebhooks({
    timeoutMs: 20_000,
    allowedNetworks: ['127.0.0.0/8'],
    extraCa,
    lookup: toLoopback,
  });

const pairOf = ({ cert, key }: Certificate) => ({ certificate: cert, private_key: key });

async function post(webhooks: Webhooks, connection?: ConnectionOptions, host = 'localhost') {
  const { outcome, error } = await webhooks.post(
    `https://${host}:${port}/`,
    {},
    Buffer.from('{}'),
    {
      connection,
    },
  );
  return outcome.kind === 'accepted' ? clients.at(-1) : { outcome, error };
}

test('each receiver shows its own certificate, and reuses only its own connections', async () => {
  await using webhooks = caller();
  const [one, other] = [ours, stranger].map((pair) => ({ clientCertificate: pairOf(pair) }));
  const seen = [];
  for (const needs of [undefined, one, other, one, undefined])
    seen.push(await post(webhooks, needs));
  expect(seen).toEqual([undefined, 'inlet', 'stranger', 'inlet', undefined]);
  expect(connections).toBe(3);
});

test('a receiver that lets nobody in without a certificate', async () => {
  const strict = createServer(
    { cert: server.cert, key: server.key, ca: ours.ca, requestCert: true },
    (request, response) => void request.resume().on('end', () => response.end()),
  );
  strict.listen(0, '127.0.0.1');
  await once(strict, 'listening');
  parts.defer(() => void strict.close());
  const url = `https://localhost:${(strict.address() as AddressInfo).port}/`;
  await using webhooks = caller();
  const refused = await webhooks.post(url, {}, Buffer.from('{}'));
  expect(refused.outcome.kind).toBe('unreachable');
  const connection = { clientCertificate: pairOf(ours) };
  const accepted = await webhooks.post(url, {}, Buffer.from('{}'), { connection });
  expect(accepted.outcome.kind).toBe('accepted');
});

test('a Service is known by the authority of its resource alone, and by its name', async () => {
  await using webhooks = caller([]);
  expect(await post(webhooks, { service: { ca: server.ca } }, SERVICE)).toBeUndefined();
  for (const service of [{ ca: null }, { ca: stranger.ca }])
    expect(await post(webhooks, { service }, SERVICE)).toMatchObject({
      outcome: { kind: 'unreachable', reason: 'tls' },
    });
  expect(await post(webhooks, { service: { ca: server.ca } }, 'other.shop.svc')).toMatchObject({
    outcome: { kind: 'unreachable', reason: 'tls' },
  });
});

test('a Service is reached without the proxy', async () => {
  await using webhooks = createWebhooks({
    timeoutMs: 20_000,
    allowedNetworks: ['127.0.0.0/8'],
    proxyUrl: 'http://127.0.0.1:1',
    lookup: toLoopback,
  });
  expect(await post(webhooks, { service: { ca: server.ca } }, SERVICE)).toBeUndefined();
});

const isPair = (pair: object) => ClientCertificate.safeParse(pair).success;

test('certificate and key belong together, and the chain is bounded', () => {
  expect(isPair(pairOf(ours))).toBe(true);
  expect(isPair({ ...pairOf(ours), certificate: ours.cert + ours.ca })).toBe(true);
  const faulty = [
    { ...pairOf(ours), private_key: stranger.key },
    { ...pairOf(ours), private_key: 'no key' },
    { ...pairOf(ours), certificate: 'no certificate' },
    { ...pairOf(ours), certificate: ours.cert.repeat(6) },
    { ...pairOf(ours), certificate: ours.cert.replace(/[A-Za-z]{20}/, 'A'.repeat(20)) },
  ];
  expect(faulty.map(isPair)).toEqual(faulty.map(() => false));
});
