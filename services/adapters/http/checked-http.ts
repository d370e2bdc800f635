/** Requests to customers' servers other than webhooks, over connections whose address was checked. */
import type { Readable } from 'node:stream';

import { type AgentOptions, createAgents } from './agents.ts';
import { exchange, faultOf, type HttpRequest, type HttpResponse } from './exchange.ts';
import { createParsedUrls } from './parsed-url.ts';

export type CheckedHttp = AsyncDisposable & {
  /** @throws Error with a text for the customer when there is no response */
  send(url: string, request: HttpRequest): Promise<HttpResponse>;
  /**
   * GET of a response of up to `responseMaxBytes`. The time limit is for its headers, and for each pause in its body.
   * @throws as `send`, also while the body is read
   */
  get(url: string, headers: Record<string, string>): Promise<{ status: number; body: Readable }>;
};

export function createCheckedHttp(options: AgentOptions & { excerptBytes: number }): CheckedHttp {
  const agents = createAgents(options);
  const targetOf = createParsedUrls(options.allowedNetworks);
  return {
    send: async function sendChecked(url, request) {
      const target = targetOf(url);
      try {
        if (target.refusal) throw target.refusal;
        return await exchange(agents.agentFor(), target, request, options);
      } catch (cause) {
        throw new Error(faultOf(cause, target).text, { cause });
      }
    },
    get: async function getChecked(url, headers) {
      const target = targetOf(url);
      const { timeoutMs } = options;
      try {
        if (target.refusal) throw target.refusal;
        const { statusCode, body } = await agents.agentFor().request({
          method: 'GET',
          origin: target.origin,
          path: target.path,
          headers,
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        });
        return { status: statusCode, body };
      } catch (cause) {
        throw new Error(faultOf(cause, target).text, { cause });
      }
    },
    [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose](),
  };
}
