/** Runs the handler of an endpoint: for its route, and for calls from within the API. */
import type { ParameterizedContext } from 'koa';
import type { z } from 'zod';

import type { AddressCaller } from '../../core/token/token.ts';
import { outsideLimit } from '../../core/token/token-limit.ts';
import { requirePermission } from './authentication.ts';
import type { Access, Call, Endpoint } from './endpoint.ts';
import { parseBody } from './input/validation.ts';
import type { Connection, Slots } from './limits/slots.ts';
import { type ForwardingProxies, sourceOf } from './source-address.ts';
import type { ApiState } from './state/state.ts';

type AnyCall = Parameters<Endpoint['handle']>[0];

export async function performEndpoint(
  endpoint: Endpoint,
  call: AnyCall,
  searches: Slots,
): Promise<z.output<Endpoint['response']>> {
  const account = endpoint.isSearch ? call.caller?.account_id : undefined;
  using _slot = account === undefined ? undefined : takeSearch(searches, account);
  return endpoint.response.parse(await endpoint.handle(call));
}

/** MongoDB continues after the client has disconnected, so only the end of the search frees it. */
const takeSearch = (searches: Slots, accountId: string): Disposable =>
  searches.take(accountId, { onClose: () => undefined });

/** One listener for all callbacks: Node warns of an eleventh, and Koa has several of its own. */
export function connectionOf(
  { req, res }: ParameterizedContext<ApiState>,
  proxies: ForwardingProxies,
): Connection {
  let callbacks: (() => void)[] | undefined;
  return {
    get source() {
      return sourceOf(req, proxies); // few endpoints need it
    },
    onClose: (callback) => {
      if (res.closed) return callback();
      if (callbacks) return void callbacks.push(callback);
      const all = [callback];
      callbacks = all;
      res.once('close', () => {
        for (const one of all) one();
      });
    },
  };
}

/** A request that has been authenticated and counted. */
export type InternalRequest = Omit<
  Call<string, unknown, unknown, Access>,
  'caller' | 'params' | 'query' | 'body'
> & { caller: AddressCaller };

export type Given = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
};

/**
 * Calls an endpoint by its operationId as its route would: with its permission, its limit, its
 * validation and its limits. @throws AppError
 */
export type CallEndpoint = (
  request: InternalRequest,
  operationId: string,
  given: Given,
) => Promise<unknown>;

export function createCallEndpoint(endpoints: readonly Endpoint[], searches: Slots): CallEndpoint {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.operationId, endpoint]));
  return async function callEndpoint(request, operationId, { params = {}, query = {}, body = {} }) {
    const endpoint = byId.get(operationId);
    if (endpoint === undefined) throw new Error(`no endpoint ${operationId}`);
    const { permission, reach = 'account' } = endpoint;
    if (permission === null || permission === 'any' || permission === 'session')
      throw new Error(`${operationId} has no permission`);
    if (reach === 'account' && request.caller.limit !== null) throw outsideLimit();
    requirePermission(request.caller, permission);
    const call = {
      ...request,
      params,
      query: parseBody(endpoint.query, query),
      body: parseBody(endpoint.body, body),
    };
    return performEndpoint(endpoint, call, searches);
  };
}
