/** Turns endpoint definitions into routes: authorization, validation, handler, response. */
import { Router, type RouterMiddleware } from '@koa/router';
import type { ParameterizedContext } from 'koa';
import type { z } from 'zod';

import { AppError, notFound } from '../../core/error/app-error.ts';
import type { Authorize } from './authorize.ts';
import { readJson, requireMediaType } from './input/body.ts';
import type { Slots } from './limits/slots.ts';
import { type Endpoint, Redirect } from './endpoint.ts';
import { respondWithJson } from './output/json-response.ts';
import type { RunIdempotently } from './idempotency.ts';
import { ServedFile, serveFile } from './output/served-file.ts';
import { connectionOf, performEndpoint } from './perform.ts';
import type { ForwardingProxies } from './source-address.ts';
import { EventStream } from './output/event-stream.ts';
import type { ApiState } from './state/state.ts';
import { parseBody, parseQuery } from './input/validation.ts';

const API_ROOT = '/v1'; // spec 9.1

/** The middleware that every request with a token passes before its endpoint. */
export type RequestGuards = {
  authorize: Authorize;
  runIdempotently: RunIdempotently;
  proxies: ForwardingProxies;
  /** Each belongs to an account. */
  searches: Slots;
  clock: () => Date;
};

export function createRouter(
  endpoints: readonly Endpoint[],
  guards: RequestGuards,
): Router<ApiState> {
  const router = new Router<ApiState>({ prefix: API_ROOT, sensitive: true });
  // /deliveries/wait is not the delivery with the id "wait"
  const literalFirst = endpoints.toSorted(
    (one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')),
  );
  for (const endpoint of literalFirst) {
    router.register(
      endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      [endpoint.method],
      handlerOf(endpoint, guards),
    );
  }
  return router;
}

const handlerOf = (endpoint: Endpoint, guards: RequestGuards): RouterMiddleware<ApiState> =>
  async function handleEndpoint(ctx) {
    ctx.state.route = `${API_ROOT}${endpoint.path}`;
    const caller =
      endpoint.permission === null
        ? undefined
        : await guards.authorize(
            ctx,
            endpoint.permission,
            endpoint.reach ?? 'account',
            endpoint.isOpenToMembers,
            endpoint.isPull,
          );
    if (endpoint.waits !== undefined || endpoint.isPull) ctx.state.isSlow = true;
    const query = parseQuery(endpoint.query, new URLSearchParams(ctx.querystring));
    if (endpoint.receives) requireMediaType(ctx.req, endpoint.receives.mediaType);
    const body = parseBody(
      endpoint.body,
      hasJson(endpoint) ? await readJson(ctx.req, endpoint.bodyMaxBytes) : {},
    );
    // its headers are all that a stream has at its beginning
    if (ctx.method === 'HEAD' && endpoint.response === EventStream) return answerHead(ctx);
    const call = {
      caller,
      params: ctx.params,
      query,
      body,
      requestId: ctx.state.requestId,
      apiUrl: `${ctx.protocol}://${ctx.host}${API_ROOT}`,
      now: guards.clock(),
      connection: connectionOf(ctx, guards.proxies),
      request: ctx.req,
      setHeader: (name: string, value: string | string[]) => ctx.set(name, value),
    };
    const perform = () => performEndpoint(endpoint, call, guards.searches);
    const performAgain =
      endpoint.repeat && (async () => endpoint.response.parse(await endpoint.repeat?.(call)));
    const result =
      endpoint.method === 'POST' && endpoint.receives === undefined && caller !== undefined
        ? await guards.runIdempotently(ctx, caller, body, perform, performAgain)
        : await perform();
    ctx.status = endpoint.status;
    if (endpoint.response === EventStream) return takeOver(ctx, result as StartStream);
    if (endpoint.response === Redirect) redirect(ctx, result as z.infer<typeof Redirect>);
    else if (result === null) ctx.status = 204;
    else if (endpoint.response === ServedFile) serveFile(ctx, result as ServedFile);
    else if (endpoint.method === 'GET') await respondWithJson(ctx, result);
    else ctx.body = result;
  };

const hasJson = ({ method, receives }: Endpoint): boolean =>
  (method === 'POST' || method === 'PATCH') && receives === undefined;

function redirect(
  ctx: ParameterizedContext<ApiState>,
  { location }: z.infer<typeof Redirect>,
): void {
  ctx.set('Location', location);
  ctx.body = ''; // the page that Koa writes would repeat the URL
}

type StartStream = z.infer<typeof EventStream>;

/** Koa no longer writes this response. */
function takeOver(ctx: ParameterizedContext<ApiState>, start: StartStream): void {
  ctx.respond = false;
  start(ctx.res);
}

function answerHead(ctx: ParameterizedContext<ApiState>): void {
  ctx.status = 200;
  ctx.type = 'text/event-stream';
}

/**
 * For requests that no endpoint matches: 405 if the path exists with other methods, else 404 (D5).
 * A request with a credential counts, and its response has the rate-limit headers (spec 8).
 */
export const rejectUnrouted = (authorize: Authorize): RouterMiddleware<ApiState> =>
  async function rejectRequest(ctx) {
    if (ctx.headers.authorization !== undefined) await authorize(ctx, null, 'limited');
    const matched = ctx.matched ?? [];
    // /deliveries/replay is a literal path, not the delivery with the id "replay"
    const literal = matched.filter(({ paramNames }) => paramNames.length === 0);
    const methods = [
      ...new Set((literal.length > 0 ? literal : matched).flatMap((layer) => layer.methods)),
    ].toSorted();
    if (methods.length === 0) throw notFound('resource');
    ctx.set('Allow', methods.join(', ')); // RFC 9110 §15.5.6
    throw new AppError(
      'method_not_allowed',
      `Method not allowed. This resource supports ${methods.join(', ')}`,
    );
  };
