/** The operator's metrics. Labels are bounded: kinds, results, verbs. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import { type KindName, KIND_NAMES } from '../core/kube/custom-resource.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const RESULTS = ['settled', 'refused', 'blocked', 'removed', 'error'] as const;
const READINESS = ['True', 'False', 'Unknown'] as const;

/** What the leader knows about the cluster. */
export type ClusterFacts = {
  /** Resources that wait to be reconciled, or are being reconciled. */
  queued: number;
  /**
   * Every resource, with the status of its condition `Ready`; undefined before its first
   * reconciliation.
   */
  resources: Iterable<{ kind: KindName; ready: (typeof READINESS)[number] | undefined }>;
};

/**
 * @param facts returns undefined when this operator is not the leader, or has not listed the
 * cluster yet
 */
export function createOperatorMetrics(registry: Registry, facts: () => ClusterFacts | undefined) {
  const registers = [registry];
  const reconciles = new Counter({
    name: 'inlet_operator_reconciles_total',
    help: 'reconciliations by kind and result: settled, refused, blocked, removed or error',
    labelNames: ['kind', 'result'],
    registers,
  });
  // start at 0, so that increase() sees the first one
  for (const kind of KIND_NAMES) for (const result of RESULTS) reconciles.inc({ kind, result }, 0);
  new Gauge({
    name: 'inlet_operator_queued_resources',
    help: 'resources that wait to be reconciled or are being reconciled; only the leader reports it',
    registers,
    collect: function collectQueued() {
      const now = facts();
      if (now) this.set(now.queued);
      else this.remove();
    },
  });
  new Gauge({
    name: 'inlet_operator_resources',
    help:
      'resources by kind and by the status of their condition Ready: true, false or unknown; ' +
      'only the leader reports it',
    labelNames: ['kind', 'ready'],
    registers,
    collect: function collectResources() {
      const now = facts();
      this.reset();
      if (now === undefined) return;
      for (const kind of KIND_NAMES)
        for (const ready of READINESS) this.set({ kind, ready: ready.toLowerCase() }, 0);
      for (const { kind, ready = 'Unknown' } of now.resources)
        this.inc({ kind, ready: ready.toLowerCase() });
    },
  });
  return {
    reconciles,
    seconds: new Histogram({
      name: 'inlet_operator_reconcile_seconds',
      help: 'duration of one reconciliation',
      buckets: SECONDS,
      registers,
    }),
    isLeader: new Gauge({
      name: 'inlet_operator_is_leader',
      help: '1 while this operator is the leader',
      registers,
    }),
    requests: new Counter({
      name: 'inlet_operator_requests_total',
      help: 'requests to the Kubernetes API by verb and resource',
      labelNames: ['verb', 'resource'],
      registers,
    }),
  };
}
export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>;
