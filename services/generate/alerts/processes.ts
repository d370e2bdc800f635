/** Alerts about processes, their periodic jobs, the API and the operator. */
import type { Alert } from './alert.ts';

export const PROCESSES: readonly Alert[] = [
  {
    name: 'InletComponentAbsent',
    dashboard: 'inlet-overview',
    users:
      'Email does not arrive, webhooks stop, requests and downloads (`content_url`, `raw_url`) fail, or ' +
      'custom resources do not become ready.',
    rules: [
      {
        cause: 'gateway',
        severity: 'critical',
        for: '5m',
        expr: 'absent(inlet_build_info{component="gateway"})',
        when: 'No gateway is running',
        means: 'Nobody accepts mail. Senders keep it and retry, most of them for several days.',
      },
      {
        cause: 'dispatcher',
        severity: 'critical',
        for: '5m',
        expr: 'absent(inlet_build_info{component="dispatcher"})',
        when: 'No dispatcher is running',
        means: 'No webhook is sent. Mail is accepted until the queue is full.',
      },
      {
        cause: 'api',
        severity: 'critical',
        for: '5m',
        expr: 'absent(inlet_build_info{component="api"})',
        when: 'No API process is running',
        means:
          'Addresses cannot be managed, and periodic jobs do not run. Mail and webhooks still flow.',
      },
      {
        cause: 'operator',
        severity: 'warning',
        for: '5m',
        expr: `
          count by (namespace) (last_over_time(inlet_build_info{component="operator"}[6h]))
            unless on (namespace) count by (namespace) (inlet_build_info{component="operator"})`,
        when: 'An operator ran within the last six hours, and none is running',
        means: 'Changes of custom resources have no effect. Existing addresses keep working.',
      },
    ],
  },
  {
    name: 'InletProcessUnhealthy',
    dashboard: 'inlet-overview',
    users: 'Delays, or failed requests, if the component has a single replica.',
    rules: [
      {
        cause: 'unreachable',
        severity: 'warning',
        for: '5m',
        expr: 'up == 0 and on (job, instance) last_over_time(inlet_build_info[1h])',
        when: 'A process that ran within the last hour does not respond to Prometheus',
        summary: '{{ $labels.instance }} does not respond to Prometheus',
        means: 'It hangs, its node is lost, or Prometheus may not reach it.',
      },
      {
        cause: 'restarting',
        severity: 'warning',
        expr: `
          changes(process_start_time_seconds[30m]) > 2
            and on (job, instance) last_over_time(inlet_build_info[30m])`,
        when: 'A process has started three or more times within 30 minutes',
        summary: '{{ $labels.component }} {{ $labels.instance }} keeps restarting',
        means: 'It crashes, is killed for its memory, or fails its liveness probe.',
      },
    ],
  },
  {
    name: 'InletEventLoopBlocked',
    dashboard: 'inlet-overview',
    users: 'Slow SMTP replies, late webhooks or slow API responses, depending on the component.',
    rules: [
      {
        severity: 'warning',
        for: '10m',
        expr: 'nodejs_eventloop_lag_p99_seconds > 0.5 and on (job, instance) inlet_build_info',
        when: 'The event loop of a process lags by more than 0.5 seconds (99th percentile)',
        summary:
          '{{ $labels.component }} {{ $labels.instance }} lags by {{ $value | humanizeDuration }}: it is short of CPU',
        means:
          'The process is late with everything: replies to senders, acknowledgements to NATS, probes.',
      },
    ],
  },
  {
    name: 'InletClocksDiffer',
    dashboard: 'inlet-overview',
    users: 'Nothing up to 30 seconds. Above, emails wait, or senders keep them.',
    rules: [
      {
        severity: 'warning',
        for: '5m',
        expr: 'max by (namespace, component, server) (abs(inlet_clock_offset_seconds)) > 1',
        when: 'The clock of a process and that of MongoDB or NATS differ by more than a second',
        summary:
          'The clock of a {{ $labels.component }} and that of {{ $labels.server }} differ by ' +
          '{{ $value | humanizeDuration }}',
        means:
          "It counts by MongoDB's clock meanwhile, but checks certificates with its own. Above 30 seconds, " +
          'it neither accepts nor delivers email.',
      },
    ],
  },
  {
    name: 'InletSweepFailing',
    dashboard: 'inlet-overview',
    users: 'Nothing at first.',
    rules: [
      {
        severity: 'warning',
        for: '15m',
        expr: `
          time() - max by (namespace, sweep) (inlet_sweep_last_success_timestamp_seconds) > 3 * 3600
            and max by (namespace, sweep)
              (max_over_time(inlet_sweep_last_success_timestamp_seconds[15m] offset 3h)) >= 0`,
        when: 'No process has completed a periodic job for three hours',
        summary: 'The periodic job {{ $labels.sweep }} keeps failing',
        means: 'Mail and webhooks still flow.',
      },
    ],
  },
  {
    name: 'InletBackupOld',
    dashboard: 'inlet-overview',
    users: 'Nothing.',
    rules: [
      {
        cause: 'backup',
        severity: 'warning',
        for: '15m',
        expr: `
          time() - max by (namespace) (inlet_backup_last_success_timestamp_seconds)
            > max by (namespace) (inlet_backup_max_age_seconds) > 0
          unless on (namespace) (
            max by (namespace) (inlet_backup_last_success_timestamp_seconds) == 0
              unless max by (namespace) (inlet_backup_max_age_seconds offset 1d) > 0
          )`,
        when:
          'The bucket has no backup that is younger than `BACKUP_MAX_AGE`, or none a day after the ' +
          'schedule was set',
        means: 'A restore would lose what came after the newest backup.',
      },
      {
        cause: 'drill',
        severity: 'warning',
        for: '15m',
        expr: `
          time() - max by (namespace) (inlet_backup_last_drill_timestamp_seconds) > 40 * 86400
            and max by (namespace) (inlet_backup_last_drill_timestamp_seconds) > 0`,
        when: 'No backup was restored for a test in the last 40 days',
        means:
          'The drill has not run, or has failed. Nobody knows whether the backups can be restored.',
      },
    ],
  },
  {
    name: 'InletApiErrors',
    dashboard: 'inlet-overview',
    users: 'Failed API requests. The response names a request id.',
    rules: [
      {
        severity: 'warning',
        for: '10m',
        expr: `
          sum by (namespace) (rate(inlet_api_requests_total{status=~"5..", route!~"/healthz|/readyz"}[10m]))
            / sum by (namespace) (rate(inlet_api_requests_total{route!~"/healthz|/readyz"}[10m])) > 0.01`,
        when: 'More than 1 % of API requests fail with 5xx',
        summary: '{{ $value | humanizePercentage }} of API requests fail with 5xx',
        means: '503: MongoDB or NATS is unavailable. 500: an unexpected error.',
      },
    ],
  },
  {
    name: 'InletOperatorFailing',
    dashboard: 'inlet-overview',
    users: 'Custom resources do not become ready, or wait for their finalizer.',
    rules: [
      {
        cause: 'errors',
        severity: 'warning',
        for: '20m',
        expr: 'sum by (namespace, kind) (increase(inlet_operator_reconciles_total{result="error"}[10m])) > 5',
        when: 'The operator fails more than five times in ten minutes for resources of one kind',
        summary: 'The operator fails to reconcile {{ $labels.kind }} resources',
        means: 'Invalid specs do not count. A single resource that always fails is enough.',
      },
      {
        cause: 'no_leader',
        severity: 'warning',
        for: '5m',
        expr: 'max by (namespace) (inlet_operator_is_leader) == 0',
        when: 'Operators are running, but none is the leader',
        means: 'None can acquire or renew the Lease. Changes of custom resources have no effect.',
      },
    ],
  },
];
