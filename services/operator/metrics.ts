/** Everything that the operator measures. Labels are bounded: kinds, results, verbs. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import { type KindName, KIND_NAMES } from '../core/kube/custom-resource.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const RESULTS = ['settled', 'refused', 'blocked', 'removed', 'error'] as const;
const READINESS = ['True', 'False', 'Unknown'] as const;

/** What the leader has before it. */
export type ClusterFacts = {
  /** Resources that wait to be looked at, or are looked at now. */
  queued: number;
  /** Every resource there is, with the status of its condition `Ready`; undefined before the first look at it. */
  resources: Iterable<{ kind: KindName; ready: (typeof READINESS)[number] | undefined }>;
};

/** @param facts undefined for an operator that does not lead, or does not know everything yet */
export function createOperatorMetrics(registry: Registry, facts: () => ClusterFacts | undefined) {
  const registers = [registry];
  const reconciles = new Counter({
    name: 'inlet_operator_reconciles_total',
    help: 'resources looked at, by kind and result: settled, refused, blocked, removed or error',
    labelNames: ['kind', 'result'],
    registers,
  });
  for (const kind of KIND_NAMES) for (const result of RESULTS) reconciles.inc({ kind, result }, 0); // from 0 on, or the first would be no increase
  new Gauge({
    name: 'inlet_operator_queued_resources',
    help: 'resources that wait to be looked at or are looked at now; told by the leader',
    registers,
    collect: function collectQueued() {
      const now = facts();
      if (now) this.set(now.queued);
      else this.remove();
    },
  });
  new Gauge({
    name: 'inlet_operator_resources',
    help: 'resources by kind and by whether they are Ready: true, false or unknown; told by the leader',
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
      help: 'time that looking at one resource took',
      buckets: SECONDS,
      registers,
    }),
    isLeader: new Gauge({
      name: 'inlet_operator_is_leader',
      help: '1 while this operator leads',
      registers,
    }),
    requests: new Counter({
      name: 'inlet_operator_requests_total',
      help: 'requests to the Kubernetes API, by verb and resource',
      labelNames: ['verb', 'resource'],
      registers,
    }),
  };
}
export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>;
