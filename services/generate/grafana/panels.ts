/** Panels that several dashboards show. */
import { errorShare, OUR_DEFERRALS, type Slo, SLOS, type SumRate } from '../alerts/slo.ts';
import type { Panel } from './grafana.ts';
import { ofRelease, perSecond, queue, share, failedShare } from './queries.ts';

export const backlog: Panel = {
  title: 'Emails waiting for a first attempt',
  about:
    'Accepted emails whose first attempt has not finished. Dispatchers scale by this ' +
    'number. Emails waiting for a retry are not counted.',
  unit: 'short',
  queries: [[`sum(max by (namespace) (${ofRelease('inlet_dispatcher_backlog_mails')}))`, 'emails']],
  thresholds: [1_000, 5_000],
};
export const oldest: Panel = {
  title: 'Oldest email without an attempt',
  about: 'How long the oldest accepted email has waited for its first attempt to finish.',
  unit: 's',
  queries: [[`max(${ofRelease('inlet_queue_age_seconds', 'lane="mail"')})`, 'age']],
  thresholds: [60, 300],
};
const shareOf = (used: string, limit: string, by: string, ...matchers: string[]) =>
  `${queue(used, by, ...matchers)} / ${queue(limit, by, ...matchers)}`;
export const room: Panel = {
  title: 'Stream usage',
  about:
    'Share of each limit of storage in use: of STREAM_MAX_BYTES for a stream, of the JetStream ' +
    'account, and of the volumes of NATS and MongoDB. Delivered mail is purged when a stream or the account ' +
    'is at 80 %. What is full refuses mail.',
  emptyWhen: 'nothing limits NATS, and no kubelet reports its volumes',
  unit: 'percentunit',
  max: 1,
  thresholds: [0.8, 0.9],
  queries: [
    [shareOf('inlet_stream_bytes', 'inlet_stream_max_bytes', 'stream'), '{{stream}}'],
    [
      shareOf('inlet_jetstream_storage_bytes', 'inlet_jetstream_storage_max_bytes', ''),
      'JetStream account',
    ],
    [
      shareOf(
        'kubelet_volume_stats_used_bytes',
        'kubelet_volume_stats_capacity_bytes',
        'persistentvolumeclaim',
        'persistentvolumeclaim=~".*(nats|mongodb).*"',
      ),
      '{{persistentvolumeclaim}}',
    ],
  ],
};
export const attempts: Panel = {
  title: 'Attempts by outcome',
  about:
    'refused is final. busy and unreachable are retried. blocked is an address that webhooks must not reach.',
  unit: 'reqps',
  stacked: true,
  queries: [[perSecond('inlet_webhook_attempts_total', 'outcome'), '{{outcome}}']],
};
export const ended: Panel = {
  title: 'Finished deliveries',
  about: 'Delivered, or failed after a final response or after all retries.',
  unit: 'ops',
  stacked: true,
  queries: [[perSecond('inlet_deliveries_total', 'status'), '{{status}}']],
};
export const refused: Panel = {
  title: 'Refusals by reply',
  about:
    'try_later, queue_full and out_of_memory are caused on our side. A mail server must refuse the others.',
  unit: 'ops',
  stacked: true,
  queries: [[perSecond('inlet_mails_refused_total', 'reply, code'), '{{code}} {{reply}}']],
};
export const deferred: Panel = {
  title: 'Mail deferred by us',
  about: 'Share of mail that got a 4xx reply for a reason on our side.',
  unit: 'percentunit',
  thresholds: [0.001, 0.01],
  queries: [
    [
      share(
        perSecond('inlet_mails_refused_total', '', OUR_DEFERRALS),
        `${perSecond('inlet_mails_refused_total', '', OUR_DEFERRALS)} + ${perSecond('inlet_mails_accepted_total')}`,
      ),
      'share',
    ],
  ],
};
export const failed: Panel = {
  title: 'Failed deliveries',
  about: 'Share of the deliveries that finished within the last hour.',
  unit: 'percentunit',
  thresholds: [0.05, 0.1],
  queries: [[failedShare('1h'), 'share']],
};

export const stat = (panel: Panel): Panel => ({ ...panel, kind: 'stat', width: 4 });

/** Rates in the chosen namespace over a window. */
const sumRate =
  (window: string): SumRate =>
  (metric, ...matchers) =>
    `sum(rate(${ofRelease(metric, ...matchers)}[${window}]))`;

/** The share of good events within the time range, against the objective. */
export const objective = (slo: Slo): Panel => ({
  title: slo.title,
  about: slo.about,
  kind: 'stat',
  unit: 'percentunit',
  max: 1,
  width: 4,
  thresholds: [slo.objective, 1 - 2 * (1 - slo.objective)],
  queries: [[`1 - (${errorShare(slo, sumRate('$__range'))})`, 'share']],
});

export const burnRates: Panel = {
  title: 'Burn rate of the error budgets',
  about:
    'Over one hour. At 1, the budget of 30 days is spent in 30 days, at 14.4 in two days. ' +
    'The alerts InletSlo… fire above.',
  unit: 'short',
  width: 12,
  thresholds: [1, 14.4],
  queries: SLOS.map((slo) => [
    `(${errorShare(slo, sumRate('1h'))}) / ${Number((1 - slo.objective).toFixed(6))}`,
    slo.title,
  ]),
};
