/** The metrics that each service registers, read from the registries themselves. */
import { createCertificateMetrics } from '../adapters/tls/certificate-gauges.ts';
import { createMeter, type Meter } from '../adapters/process/meter.ts';
import { createRegistry } from '../adapters/process/observe.ts';
import { registerClockGauge } from '../platform/servers/clock.ts';
import { registerSecretKeysGauge } from '../platform/servers/secret-keys.ts';
import { registerQueueGauges } from '../adapters/stream/gauges.ts';
import { createLog } from '../adapters/process/log.ts';
import { createTracingMetrics } from '../adapters/tracing/tracing.ts';
import { createSweeps } from '../adapters/process/sweeps.ts';
import { createApiMetrics } from '../api/process/metrics.ts';
import { createDispatcherMetrics } from '../dispatcher/process/metrics.ts';
import { createGatewayMetrics } from '../gateway/process/metrics.ts';
import { createOperatorMetrics } from '../operator/process/metrics.ts';

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

const REGISTER: Record<string, (meter: Meter) => void> = {
  gateway: (meter) => {
    createCertificateMetrics(meter);
    createGatewayMetrics(meter, {
      openConnections: () => 0,
      trackedSources: () => 0,
      namedAccounts: 0,
      hasClamd: false,
      signaturesBuiltAt: async () => undefined,
    });
    registerQueueGauges(meter, noQueue);
    createTracingMetrics(meter);
  },
  dispatcher: (meter) => {
    createSweeps(meter, () => new Date(), createLog('silent'));
    createDispatcherMetrics(meter, { namedAccounts: 0, inFlight: () => 0 });
    registerQueueGauges(meter, noQueue, 0);
    createTracingMetrics(meter);
  },
  api: (meter) => {
    createApiMetrics(meter);
    createSweeps(meter, () => new Date(), createLog('silent'));
    createCertificateMetrics(meter);
    createTracingMetrics(meter);
  },
  operator: (meter) => void createOperatorMetrics(meter, () => undefined),
};

export const SERVICES = Object.keys(REGISTER);

/** The metrics of Inlet, without those of Node that prom-client collects. */
export function metricsOf(service: string): Metric[] {
  const registry = createRegistry(service);
  REGISTER[service]?.(createMeter(registry));
  registerClockGauge(createMeter(registry), () => ({}));
  registerSecretKeysGauge(createMeter(registry), () => 0);
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
