/**
 * HTTP requests to the Kubernetes API. The HTTP client of @kubernetes/client-node opens a
 * connection for each request; this one reuses them. HTTP/1.1: with one connection for each watch,
 * a dead connection stops only one watch.
 */
import { once } from 'node:events';
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';

import { connectOptions } from '../dns/sockets.ts';

type Sent = {
  body?: unknown;
  contentType?: string | undefined;
  signal: AbortSignal;
  silenceMs?: number;
};
type Send = ((method: string, path: string, sent: Sent) => Promise<IncomingMessage>) & {
  close(): void;
};

/** Reads the credentials for each request, since tokens change. */
export function createSend(config: KubeConfig, server: string): Send {
  const { protocol, hostname, port, pathname } = new URL(server);
  let agent: Agent | HttpAgent | undefined;
  let agentKey: string | undefined;

  const agentFor = (tls: RequestOptions) => {
    const { ca, cert, key, rejectUnauthorized, servername } = tls;
    const now = JSON.stringify([
      String(ca),
      String(cert),
      String(key),
      rejectUnauthorized,
      servername,
    ]);
    if (agent && agentKey === now) return agent;
    agentKey = now;
    agent =
      protocol === 'https:'
        ? new Agent({
            ...connectOptions(),
            keepAlive: true,
            ca,
            cert,
            key,
            rejectUnauthorized,
            servername,
          })
        : new HttpAgent({ ...connectOptions(), keepAlive: true });
    return agent;
  };

  async function sendRequest(
    method: string,
    path: string,
    { body, contentType = 'application/json', signal, silenceMs }: Sent,
  ): Promise<IncomingMessage> {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options);
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const request = (protocol === 'https:' ? httpsRequest : httpRequest)({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: pathname.replace(/\/$/, '') + path,
      signal,
      agent: agentFor(options),
      ...(options.auth !== undefined && options.auth !== null && { auth: options.auth }),
      headers: {
        accept: 'application/json',
        ...(options.headers as Record<string, string> | undefined),
        ...(payload !== undefined && {
          'content-type': contentType,
          'content-length': Buffer.byteLength(payload),
        }),
      },
    });
    if (silenceMs !== undefined)
      request.setTimeout(silenceMs, () =>
        request.destroy(new Error(`the API server sent nothing for ${silenceMs} ms`)),
      );
    request.end(payload);
    try {
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response;
    } catch (cause) {
      throw new Error(`${method} ${path.split('?')[0]}`, { cause });
    }
  }
  return Object.assign(sendRequest, { close: () => agent?.destroy() });
}
