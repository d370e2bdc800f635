/** The dashboard for the first look. */
import { SLOS } from '../alerts/slo.ts';
import { type Dashboard, FIRING } from './grafana.ts';
import {
  attempts,
  backlog,
  burnRates,
  deferred,
  ended,
  failed,
  objective,
  oldest,
  room,
  stat,
} from './panels.ts';
import { backups } from './backups.ts';
import { of, ofRelease, perSecond, quantiles, ofInlet, lane, ofPod, PROBES } from './queries.ts';

const NO_OPERATOR = 'no operator runs';

export const overview: Dashboard = {
  uid: 'inlet-overview',
  title: 'Inlet: overview',
  about: 'Does mail arrive, are webhooks sent, and does anything wait in between?',
  chooses: 'pod',
  next: { uid: 'inlet-delivery', title: 'delivery' },
  rows: {
    State: [
      stat({
        title: 'Alerts',
        about: 'Alerts of Inlet that are firing, without those for information.',
        unit: 'short',
        queries: [[`count(${FIRING}) or vector(0)`, 'firing']],
        thresholds: [1, 1],
      }),
      stat(backlog),
      stat(oldest),
      stat(deferred),
      stat(failed),
      stat({
        title: 'Backends',
        about: '0 while any process is not connected to NATS or MongoDB.',
        unit: 'short',
        queries: [[`min by (backend) (${of('inlet_backend_connected')})`, '{{backend}}']],
        thresholds: [1, 1],
      }),
    ],
    Objectives: [...SLOS.map(objective), burnRates],
    Flow: [
      {
        title: 'Accepted emails',
        about: 'Emails that got a 250, and the events stored for them, one for each recipient.',
        unit: 'ops',
        queries: [
          [perSecond('inlet_mails_accepted_total'), 'emails'],
          [perSecond('inlet_events_stored_total'), 'events'],
        ],
      },
      attempts,
      ended,
    ],
    Queue: [
      {
        title: 'Emails on the streams',
        about:
          'Emails waiting for their first attempt, and emails waiting for a retry or for their ' +
          'paced receiver. Only the first are urgent.',
        unit: 'short',
        queries: [
          [lane('mail'), 'first attempt'],
          [lane('retry'), 'retry'],
        ],
      },
      {
        title: 'Oldest email',
        about:
          'In the mail lane it should be seconds old. In the retry lane it may be as old as the whole schedule.',
        unit: 's',
        queries: [[`max by (lane) (${ofRelease('inlet_queue_age_seconds')})`, '{{lane}}']],
      },
      room,
    ],
    API: [
      {
        title: 'Requests by status',
        about: 'Without probes. 429 is the rate limit.',
        unit: 'reqps',
        stacked: true,
        queries: [[perSecond('inlet_api_requests_total', 'status', PROBES), '{{status}}']],
      },
      {
        title: 'Response time',
        about: 'Without test webhooks, which wait for their receiver.',
        unit: 's',
        queries: quantiles('inlet_api_request_duration_seconds', 'route!~".*/test"'),
      },
      {
        title: 'Time since periodic jobs succeeded',
        about: 'The last success of each job in any process. One hour at most.',
        unit: 's',
        thresholds: [3_600, 10_800],
        queries: [
          [
            `time() - max by (sweep) (${ofRelease('inlet_sweep_last_success_timestamp_seconds')} > 0)`,
            '{{sweep}}',
          ],
        ],
      },
    ],
    Operator: [
      {
        title: 'Reconciles by result',
        about: 'What became of custom resources when the operator looked at them.',
        emptyWhen: NO_OPERATOR,
        unit: 'ops',
        width: 12,
        stacked: true,
        queries: [
          [perSecond('inlet_operator_reconciles_total', 'kind, result'), '{{kind}} {{result}}'],
        ],
      },
      {
        title: 'Time to reconcile',
        about: 'For one resource.',
        emptyWhen: NO_OPERATOR,
        unit: 's',
        width: 6,
        queries: quantiles('inlet_operator_reconcile_seconds'),
      },
      {
        title: 'Leaders',
        about: 'Exactly one while operators run.',
        emptyWhen: NO_OPERATOR,
        unit: 'short',
        width: 6,
        queries: [[`sum(${ofRelease('inlet_operator_is_leader')})`, 'leaders']],
      },
      {
        title: 'Resources not ready',
        about:
          'Invalid specs, domains that wait for DNS records, or errors. Their conditions give the reason.',
        emptyWhen: NO_OPERATOR,
        unit: 'short',
        width: 12,
        queries: [
          [
            `max by (kind, ready) (${ofRelease('inlet_operator_resources', 'ready!="true"')})`,
            '{{kind}} {{ready}}',
          ],
        ],
      },
      {
        title: 'Queued resources',
        about:
          'Resources waiting to be reconciled. Many are normal after a restart. If they stay ' +
          'many, its 50 requests per second are used up.',
        emptyWhen: NO_OPERATOR,
        unit: 'short',
        width: 12,
        queries: [[`max(${ofRelease('inlet_operator_queued_resources')})`, 'resources']],
      },
    ],
    Backups: backups,
    Processes: [
      {
        title: 'CPU',
        about: 'Cores that each process uses.',
        unit: 'short',
        queries: [
          [ofInlet('rate(process_cpu_seconds_total[$__rate_interval])'), `{{component}} ${ofPod}`],
        ],
      },
      {
        title: 'Memory',
        about: 'Resident memory of each process.',
        unit: 'bytes',
        queries: [[ofInlet('process_resident_memory_bytes'), `{{component}} ${ofPod}`]],
      },
      {
        title: 'Event loop lag',
        about:
          'The delay before a process handles an event, 99th percentile. An idle process has 50 ms.',
        unit: 's',
        thresholds: [0.1, 0.5],
        queries: [[ofInlet('nodejs_eventloop_lag_p99_seconds'), `{{component}} ${ofPod}`]],
      },
      {
        title: 'Versions',
        about:
          'Running versions. Two versions at the same time mean that a rollout is in progress.',
        kind: 'table',
        unit: 'short',
        queries: [[`count by (component, version, node) (${of('inlet_build_info')})`, '']],
      },
    ],
  },
};
