/**
 * The demo receiver: an HTTPS server that receives webhooks as a customer's server does. Copy
 * `signatureIsValid` and the three lines that call it. This file imports nothing from Inlet, so
 * that it can be copied.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

const TOLERANCE_SECONDS = 300;

/**
 * @param header Svc-Signature: `v1,t=<unix seconds>,s=<hex>`, with a second `s=` after the secret
 * was rotated
 */
export function signatureIsValid(
  header: string,
  rawBody: Uint8Array,
  secret: string,
  now = new Date(),
): boolean {
  const [version, ...elements] = header.split(',');
  const values = (name: string) =>
    elements
      .filter((element) => element.startsWith(`${name}=`))
      .map((element) => element.slice(name.length + 1));
  const [timestamp = ''] = values('t');
  if (version !== 'v1' || !/^\d+$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
  return values('s').some((hex) => {
    const given = Buffer.from(hex, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The fields of a webhook that the demo shows. */
export type Webhook = {
  event_id: string;
  address_id: string;
  envelope: { mail_from: string; rcpt_to: string[] };
  headers: {
    from: string | null;
    to: string | null;
    subject: string | null;
    message_id: string | null;
  };
  content: { text: string | null; html: string | null; size_bytes: number };
  attachments: { filename: string | null; content_type: string; size_bytes: number }[];
};

type ReceiverOptions = {
  host: string;
  port: number;
  certFile: string;
  keyFile: string;
  /**
   * Looks up the webhook_secret of an address. A receiver with a single address would read it from
   * its settings.
   */
  secretOf(addressId: string): Promise<string | undefined>;
  onWebhook(webhook: Webhook): void;
  onRefused(reason: string): void;
  /** How it responds to a valid webhook at this path; with 200 when undefined. */
  answerAt?(path: string): { status: number; afterMs?: number } | undefined;
};

export type Receiver = AsyncDisposable & { url: string; port: number };

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const [cert, key] = await Promise.all([readFile(options.certFile), readFile(options.keyFile)]);
  const server = createServer({ cert, key }, (request, response) => {
    void receive(request, response).catch((error: unknown) => {
      options.onRefused(error instanceof Error ? error.message : String(error));
      answer(response, 500);
    });
  });

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return answer(response, 405);
    const rawBody = await buffer(request);
    const header = String(request.headers['svc-signature'] ?? '');
    const secret = await options.secretOf(addressIdIn(rawBody));
    const isValid = secret !== undefined && signatureIsValid(header, rawBody, secret);
    if (!isValid) {
      options.onRefused('invalid signature');
      return answer(response, 401);
    }
    const { status, afterMs = 0 } = options.answerAt?.(request.url ?? '') ?? { status: 200 };
    if (afterMs > 0) await sleep(afterMs);
    answer(response, status);
    if (status === 200) options.onWebhook(JSON.parse(rawBody.toString('utf8')) as Webhook);
  }

  server.listen(options.port, options.host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;

  async function close(): Promise<void> {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
  return { url: `https://${options.host}:${port}/`, port, [Symbol.asyncDispose]: close };
}

/** Read before the signature is verified, only to find the secret that verifies it. */
function addressIdIn(rawBody: Buffer): string {
  try {
    return String(
      (JSON.parse(rawBody.toString('utf8')) as { address_id?: unknown }).address_id ?? '',
    );
  } catch {
    return '';
  }
}

function answer(response: ServerResponse, status: number): void {
  const moved = status >= 300 && status < 400 ? { location: 'https://example.com/new' } : {};
  if (!response.headersSent) response.writeHead(status, moved).end();
}
