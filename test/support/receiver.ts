/**
 * A webhook receiver for tests: HTTPS, scripted responses, and a record of all requests and whether
 * their signatures were valid.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';

import type { WebhookPayload } from '../../services/core/webhook/payload.ts';
import { ensureTls } from '../../services/standalone/keys.ts';
import { until } from './until.ts';

export type Webhook = {
  at: number;
  path: string;
  headers: IncomingMessage['headers'];
  raw: Buffer;
  payload: WebhookPayload;
  /** Status of the response; undefined if the script handled the response itself. */
  status: number | undefined;
};

/**
 * The response: a status, or a function that handles it. `count` numbers the requests to the same
 * path, from 1.
 */
export type Answer =
  | number
  | { status: number; headers?: Record<string, string>; body?: string }
  | ((response: ServerResponse, webhook: Webhook) => void);
export type Script = (count: number, webhook: Webhook) => Answer;

export type OpenRequests = {
  /** Of the requests until now. */
  responses: readonly ServerResponse[];
  /** Responds with 200 to these requests and to later ones: a dispatcher that stops waits for them. */
  respond(): void;
};

export type Receiver = AsyncDisposable & {
  /** `https://localhost:port/path` */
  url(path: string): string;
  port: number;
  caFile: string;
  /** All requests in order, or those to one path. */
  received(path?: string): Webhook[];
  /** Responds to requests for a path as scripted. Other paths respond with 200. */
  answer(path: string, script: Script): void;
  /** Leaves requests for a path without a response. */
  leaveOpen(path: string): OpenRequests;
  /** Waits for the path's nth request. */
  nth(path: string, n: number): Promise<Webhook>;
};

/** @param keepsContent `false`: the script gets the whole webhook, then only its event id is kept */
export async function startReceiver(
  tlsDir: string,
  { keepsContent = true }: { keepsContent?: boolean } = {},
): Promise<Receiver> {
  const tls = await ensureTls(tlsDir);
  const all: Webhook[] = [];
  const counts = new Map<string, number>();
  const scripts = new Map<string, Script>();
  const server = createServer(
    {
      cert: await readFile(tls.certFile),
      key: await readFile(tls.keyFile),
      keepAliveTimeout: 0, // a connection that ends while a webhook is sent would be one more attempt
    },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks);
        const path = request.url ?? '/';
        const webhook: Webhook = {
          at: Date.now(),
          path,
          headers: request.headers,
          raw,
          payload: payloadOf(request, raw),
          status: undefined,
        };
        all.push(webhook);
        const count = (counts.get(path) ?? 0) + 1;
        counts.set(path, count);
        const answer = scripts.get(path)?.(count, webhook) ?? 200;
        if (!keepsContent) removeContent(webhook);
        if (typeof answer === 'function') return answer(response, webhook);
        const {
          status,
          headers = {},
          body = '',
        } = typeof answer === 'number' ? { status: answer } : answer;
        webhook.status = status;
        response.writeHead(status, headers).end(body);
      });
    },
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const received = (path?: string) =>
    path === undefined ? all : all.filter((one) => one.path === path);
  return {
    url: (path) => `https://localhost:${port}${path}`,
    port,
    caFile: tls.caFile,
    received,
    answer: (path, script) => void scripts.set(path, script),
    leaveOpen: (path) => {
      const responses: ServerResponse[] = [];
      scripts.set(path, () => (response) => void responses.push(response));
      return {
        responses,
        respond: () => {
          scripts.set(path, () => 200);
          for (const response of responses) response.writeHead(200).end();
        },
      };
    },
    nth: async (path, n) => {
      await until(`webhook ${n} at ${path}`, () => received(path).length >= n);
      return received(path)[n - 1] as Webhook;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Empty for a body that is not JSON: a request for a token, a form or an email. */
const payloadOf = ({ headers }: IncomingMessage, raw: Buffer): WebhookPayload =>
  (headers['content-type'] === 'application/json'
    ? JSON.parse(raw.toString())
    : {}) as WebhookPayload;

/**
 * Verifies `Svc-Signature` (spec 5.2). Written independently of services/core, so that the two
 * check each other.
 */
export function signatureHolds(
  { headers, raw }: Webhook,
  secret: string,
  nowMs = Date.now(),
): boolean {
  const elements = String(headers['svc-signature']).split(',');
  const t = elements.find((one) => one.startsWith('t='))?.slice(2) ?? '';
  if (elements[0] !== 'v1' || Math.abs(nowMs / 1000 - Number(t)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${t}.`, 'utf8').update(raw).digest('hex');
  return elements
    .filter((one) => one.startsWith('s='))
    .some(
      (one) =>
        one.length === expected.length + 2 &&
        timingSafeEqual(Buffer.from(one.slice(2)), Buffer.from(expected)),
    );
}

function removeContent(webhook: Webhook): void {
  const { event_id } = webhook.payload;
  Object.assign(webhook, { headers: {}, raw: Buffer.alloc(0), payload: { event_id } });
}
