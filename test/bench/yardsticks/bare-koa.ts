/**
 * Yardstick of the API: Koa with one constant JSON response, serialized each time. No database,
 * authentication or limits.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import Koa from 'koa';

import { answerRequests } from '../helper-process.ts';

export type BareKoaRequest = { kind: 'start' } | { kind: 'answer'; status: number; body: unknown };

let given: { status: number; body: unknown } = { status: 204, body: undefined };

const app = new Koa();
app.use(async (ctx) => {
  if (ctx.method === 'POST') JSON.parse(await text(ctx.req));
  ctx.status = given.status;
  ctx.body = given.body;
});
const handle = app.callback();

async function start(): Promise<number> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

answerRequests((requested) => {
  const request = requested as BareKoaRequest;
  if (request.kind === 'start') return start();
  given = request;
  return undefined;
});
