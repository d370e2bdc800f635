/** The operator's metrics. Labels are bounded: kinds, results, verbs. */
import { ANY, type Meter } from '../../adapters/process/meter.ts';
import { type KindName, KIND_NAMES } from '../../core/kube/custom-resource.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const RESULTS = ['settled', 'refused', 'blocked', 'removed', 'error'] as const;
const READINESS = ['True', 'False', 'Unknown'] as const;

/** The cluster as the leader knows it. */
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
export function createOperatorMetrics(
  { counter, gauge, histogram }: Meter,
  facts: () => ClusterFacts | undefined,
) {
  const reconciles = counter(
    'inlet_operator_reconciles_total',
    'reconciliations by kind and result: settled, refused, blocked, removed or error',
    { kind: KIND_NAMES, result: RESULTS },
  );
  gauge(
    'inlet_operator_queued_resources',
    'resources that wait to be reconciled or are being reconciled; only the leader reports it',
    {},
    (set) => {
      const now = facts();
      if (now) set({}, now.queued);
    },
  );
  gauge(
    'inlet_operator_resources',
    'resources by kind and by the status of their condition Ready: true, false or unknown; ' +
      'only the leader reports it',
    { kind: KIND_NAMES, ready: ANY },
    (set) => {
      const now = facts();
      if (now === undefined) return;
      const byState = Map.groupBy(
        now.resources,
        ({ kind, ready = 'Unknown' }) => `${kind} ${ready}`,
      );
      for (const kind of KIND_NAMES)
        for (const ready of READINESS)
          set({ kind, ready: ready.toLowerCase() }, byState.get(`${kind} ${ready}`)?.length ?? 0);
    },
  );
  return {
    reconciles,
    seconds: histogram(
      'inlet_operator_reconcile_seconds',
      'duration of one reconciliation',
      {},
      SECONDS,
    ),
    isLeader: gauge('inlet_operator_is_leader', '1 while this operator is the leader', {}),
    requests: counter(
      'inlet_operator_requests_total',
      'requests to the Kubernetes API by verb and resource',
      { verb: ANY, resource: ANY },
    ),
  };
}
export type OperatorMetrics = ReturnType<typeof createOperatorMetrics>;
