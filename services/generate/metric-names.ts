/** The metrics that each service registers, read from the registries themselves. */
import type { Registry } from 'prom-client';

import { createCertificateMetrics } from '../adapters/tls/certificate-gauges.ts';
import { createRegistry } from '../adapters/process/observe.ts';
import { registerQueueGauges } from '../adapters/stream/gauges.ts';
import { createLog } from '../adapters/process/log.ts';
import { createTracingMetrics } from '../adapters/tracing/tracing.ts';
import { createSweeps } from '../adapters/process/sweeps.ts';
import { createApiMetrics } from '../api/metrics.ts';
import { createDispatcherMetrics } from '../dispatcher/metrics.ts';
import { createGatewayMetrics } from '../gateway/metrics.ts';
import { createOperatorMetrics } from '../operator/metrics.ts';

export type Metric = {
  service: string;
  name: string;
  type: string;
  help: string;
  labels: readonly string[];
  /** Upper bounds of the buckets of a histogram. */
  buckets?: readonly number[] | undefined;
};

const noQueue = () => Promise.reject(new Error('not asked'));

const REGISTER: Record<string, (registry: Registry) => void> = {
  gateway: (registry) => {
    createCertificateMetrics(registry);
    createGatewayMetrics(registry, {
      openConnections: () => 0,
      trackedSources: () => 0,
      namedAccounts: 0,
    });
    registerQueueGauges(registry, noQueue);
    createTracingMetrics(registry);
  },
  dispatcher: (registry) => {
    createSweeps(registry, () => new Date(), createLog('silent'));
    createDispatcherMetrics(registry, { namedAccounts: 0, inFlight: () => 0 });
    registerQueueGauges(registry, noQueue);
    createTracingMetrics(registry);
  },
  api: (registry) => {
    createApiMetrics(registry);
    createSweeps(registry, () => new Date(), createLog('silent'));
    createCertificateMetrics(registry);
    createTracingMetrics(registry);
  },
  operator: (registry) => void createOperatorMetrics(registry, () => undefined),
};

export const SERVICES = Object.keys(REGISTER);

/** The metrics of Inlet, without those of Node that prom-client collects. */
export function metricsOf(service: string): Metric[] {
  const registry = createRegistry(service);
  REGISTER[service]?.(registry);
  return registry
    .getMetricsAsArray()
    .map(
      (metric) =>
        metric as typeof metric & { labelNames: readonly string[]; upperBounds?: number[] },
    )
    .filter(({ name }) => name.startsWith('inlet_'))
    .map(({ name, type, help, labelNames, upperBounds }) => ({
      service,
      name,
      type: String(type),
      help,
      labels: labelNames,
      buckets: upperBounds,
    }));
}
