/** Everything that the operator measures. Labels are bounded: kinds, results, verbs. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createOperatorMetrics(registry: Registry) {
  const registers = [registry];
  return {
    reconciles: new Counter({ name: 'inlet_operator_reconciles_total', help: 'resources looked at, by kind and result: settled, refused, blocked, removed or error', labelNames: ['kind', 'result'], registers }),
    seconds: new Histogram({ name: 'inlet_operator_reconcile_seconds', help: 'time that looking at one resource took', buckets: SECONDS, registers }),
    isLeader: new Gauge({ name: 'inlet_operator_is_leader', help: '1 while this operator leads', registers }),
    requests: new Counter({ name: 'inlet_operator_requests_total', help: 'requests to the Kubernetes API, by verb and resource', labelNames: ['verb', 'resource'], registers }),
  };
}
export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>;
