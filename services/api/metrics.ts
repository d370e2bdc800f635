/**
 * Metrics of the API. Labels are bounded: documented routes, known methods, statuses that the API
 * sends.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export type ApiMetrics = {
  requests: Counter<'route' | 'method' | 'status'>;
  latency: Histogram<'route' | 'method'>;
  failingAddresses: Gauge<'noticed'>;
};

/** Route label of requests that match no endpoint. */
export const UNROUTED = 'none';

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PATCH',
  'DELETE',
  'PUT',
  'OPTIONS',
]);

export const methodLabel = (method: string): string => (METHODS.has(method) ? method : 'other');

export function createApiMetrics(registry: Registry): ApiMetrics {
  return {
    requests: new Counter({
      name: 'inlet_api_requests_total',
      help: 'API requests by route, method and status',
      labelNames: ['route', 'method', 'status'],
      registers: [registry],
    }),
    latency: new Histogram({
      name: 'inlet_api_request_duration_seconds',
      help: 'time from the end of the request headers to the response',
      labelNames: ['route', 'method'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers: [registry],
    }),
    failingAddresses: new Gauge({
      name: 'inlet_failing_addresses',
      help:
        'addresses whose receiver has accepted nothing since its last failure; noticed is true ' +
        'when FAILING_AFTER has passed; counted every minute, and equal in every process',
      labelNames: ['noticed'],
      registers: [registry],
    }),
  };
}
