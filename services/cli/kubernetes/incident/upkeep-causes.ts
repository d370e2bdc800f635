/** Causes in the operator and in periodic work. Email flows meanwhile. */
import { type Cause, counted, runbook, when } from './cause.ts';
import { type Facts, greatest, samples } from './facts.ts';

const SWEEP_SECONDS = 3 * 3_600;

export const UPKEEP_CAUSES: readonly Cause[] = [
  {
    id: 'operator-leader',
    area: 'resources',
    weight: 64,
    page: runbook('InletOperatorWithoutLeader'),
    signs: (facts) =>
      when(
        samples(facts, 'inlet_operator_is_leader').length > 0 &&
          greatest(facts, 'inlet_operator_is_leader') === 0,
        'no operator is the leader',
      ),
    explains: ['resources'],
  },
  counted(
    'operator-errors',
    'inlet_operator_reconciles_total',
    { result: 'error' },
    {
      area: 'resources',
      weight: 54,
      page: runbook('InletOperatorErrors'),
      what: 'reconciliations that failed',
      explains: ['resources'],
    },
  ),
  {
    id: 'resources',
    area: 'resources',
    weight: 44,
    page: 'custom-resources',
    signs: ({ resources }) =>
      resources
        .filter(({ ready }) => ready !== 'True')
        .map(({ kind, namespace, name, reason }) => `${kind} ${namespace}/${name}: ${reason}`),
  },
  {
    id: 'sweeps',
    area: 'jobs',
    weight: 42,
    page: runbook('InletSweepFailing'),
    signs: (facts) => {
      const sweeps = samples(facts, 'inlet_sweep_last_success_timestamp_seconds');
      const names = [...new Set(sweeps.map(({ labels }) => labels.sweep ?? ''))];
      const started = Math.min(...startsOf(facts));
      return names.flatMap((sweep) => {
        const last = Math.max(
          started,
          ...sweeps.filter(({ labels }) => labels.sweep === sweep).map(({ value }) => value),
        );
        const hours = Math.round((facts.nowMs / 1_000 - last) / 3_600);
        return when(
          facts.nowMs / 1_000 - last > SWEEP_SECONDS,
          `the periodic job ${sweep} has not succeeded for ${hours} hours`,
        );
      });
    },
  },
  {
    id: 'failed-job',
    area: 'jobs',
    weight: 53,
    page: 'troubleshooting',
    signs: ({ failedJobs }) => failedJobs.map((name) => `Job ${name} failed`),
  },
  {
    id: 'backup-old',
    area: 'jobs',
    weight: 30,
    page: runbook('InletBackupOld'),
    signs: (facts) => {
      const most = greatest(facts, 'inlet_backup_max_age_seconds');
      const last = greatest(facts, 'inlet_backup_last_success_timestamp_seconds');
      const hours = Math.round((facts.nowMs / 1_000 - last) / 3_600);
      return when(
        most > 0 && facts.nowMs / 1_000 - last > most,
        last === 0 ? 'the bucket has no backup' : `the newest backup is ${hours} hours old`,
      );
    },
  },
];

const startsOf = (facts: Facts): number[] =>
  samples(facts, 'process_start_time_seconds').map(({ value }) => value);
