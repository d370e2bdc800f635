/** The Koa application: the middleware of every request, in order. */
import Koa, { type Middleware } from 'koa';

import { hasOtherTransferCoding } from '../adapters/http/transfer-coding.ts';
import { causeChain, type Log } from '../adapters/process/log.ts';
import type { Tracing } from '../adapters/tracing/span.ts';
import { AppError } from '../core/error/app-error.ts';
import { type DashboardSite, serveDashboard } from './sites/dashboard-site.ts';
import { addDocumentation } from './documentation/reference.ts';
import type { DocsSite } from './sites/docs-pages.ts';
import { serveDocs } from './sites/docs-site.ts';
import type { Endpoint } from './http/endpoint.ts';
import { respondToErrors } from './http/errors.ts';
import { rejectPlainHttp } from './http/state/https.ts';
import type { ApiMetrics } from './process/metrics.ts';
import { logRequests } from './http/observability/request-log.ts';
import { identifyRequest } from './http/observability/request-id.ts';
import { createRouter, type RequestGuards, rejectUnrouted } from './http/router.ts';
import { traceRequests } from './http/observability/request-trace.ts';
import { writeJson } from './http/output/json-response.ts';
import { setSecurityHeaders } from './http/output/security-headers.ts';
import type { ApiState } from './http/state/state.ts';

type AppDependencies = {
  endpoints: readonly Endpoint[];
  guards: RequestGuards;
  requireHttps: boolean;
  stallTimeoutMs: number;
  trustedProxies: readonly string[];
  /** Responds to the probes of the kubelet and of load balancers. */
  health: Middleware<ApiState>;
  /** Responds to senders that ask for the MTA-STS policy of a domain. */
  policies: Middleware<ApiState>;
  docs: () => Promise<DocsSite>;
  /** Undefined when this installation does not serve it. */
  mcp: Middleware<ApiState> | undefined;
  /** Undefined when this installation does not serve it. */
  dashboard: DashboardSite | undefined;
  metrics: ApiMetrics;
  /** undefined when it is off. */
  tracing: Tracing | undefined;
  log: Log;
};

export function createApp({
  endpoints,
  guards,
  requireHttps,
  stallTimeoutMs,
  trustedProxies,
  health,
  policies,
  docs,
  mcp,
  dashboard,
  metrics,
  tracing,
  log,
}: AppDependencies): Koa<ApiState> {
  const app = new Koa<ApiState>();
  app.on('error', (error: unknown) =>
    log.debug('api.connection_lost', { reason: causeChain(error) }),
  ); // other errors are handled by respondToErrors
  app.use(identifyRequest);
  app.use(logRequests(metrics, log));
  if (tracing) app.use(traceRequests(tracing)); // the log line above has its trace id
  app.use(disconnectStalled(stallTimeoutMs));
  app.use(writeJson);
  app.use(respondToErrors(log));
  app.use(setSecurityHeaders(trustedProxies));
  app.use(requireClearHead);
  app.use(health); // before the HTTPS check: the kubelet sends plain HTTP
  app.use(policies); // the text is public, and a proxy in front of the API ends TLS for its host
  if (requireHttps) app.use(rejectPlainHttp(trustedProxies));
  if (mcp) app.use(mcp);
  app.use(serveDocs(docs));
  app.use(serveDashboard(dashboard));
  const router = createRouter(endpoints, guards);
  addDocumentation(router, endpoints);
  app.use(router.routes());
  app.use(rejectUnrouted(guards.authorize));
  return app;
}

const requireClearHead: Middleware<ApiState> = async function requireClearHead(ctx, next) {
  if (hasOtherTransferCoding(ctx.req)) {
    ctx.set('Connection', 'close'); // what follows is read as another request by some
    throw new AppError('bad_request', 'Transfer-Encoding can only be chunked');
  }
  if (ctx.req.httpVersion === '1.1' && ctx.req.headers.host === undefined)
    throw new AppError('bad_request', 'The Host header is missing'); // RFC 9112 §3.2
  await next();
};

/**
 * The timeout starts with the response. Node resets it whenever the client takes bytes, and before the
 * next request.
 */
const disconnectStalled = (timeoutMs: number): Middleware<ApiState> =>
  async function setStallTimeout(ctx, next) {
    await next();
    ctx.res.setTimeout(timeoutMs);
  };
