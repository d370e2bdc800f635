/** Requests to customers' servers that are no webhooks, over connections whose address was checked. */
import { type AgentOptions, createAgents } from './agents.ts';
import { exchange, faultOf, type HttpRequest, type HttpResponse } from './exchange.ts';
import { createParsedUrls } from './parsed-url.ts';

export type CheckedHttp = AsyncDisposable & {
  /** @throws Error with a text for the customer when there is no response */
  send(url: string, request: HttpRequest): Promise<HttpResponse>;
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
    [Symbol.asyncDispose]: () => agents[Symbol.asyncDispose](),
  };
}
