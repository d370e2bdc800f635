/**
 * The contents of the four dashboards. `npm run golden` writes them to
 * charts/inlet/files/dashboards. observability.test.ts sends every query to a real Prometheus.
 */
import type { Dashboard, Panel, Query } from './grafana.ts';

/** A selector for the chosen namespace, with further matchers. */
const of = (metric: string, ...matchers: string[]) =>
  `${metric}{${['namespace=~"$namespace"', ...matchers].join(',')}}`;
const rate = (metric: string, ...matchers: string[]) =>
  `rate(${of(metric, ...matchers)}[$__rate_interval])`;
const perSecond = (metric: string, by = '', ...matchers: string[]) =>
  `sum ${by && `by (${by}) `}(${rate(metric, ...matchers)})`;
const quantile = (q: number, histogram: string, ...matchers: string[]) =>
  `histogram_quantile(${q}, sum by (le) (${rate(`${histogram}_bucket`, ...matchers)}))`;
const quantiles = (histogram: string, ...matchers: string[]): Query[] =>
  [0.5, 0.95, 0.99].map((q) => [quantile(q, histogram, ...matchers), `p${q * 100}`]);
const ofInlet = (expr: string) => `${expr} and on (job, instance) ${of('inlet_build_info')}`;
/** Gateways and dispatchers all report the whole queue, hence the maximum over processes. */
const queue = (metric: string, by: string, ...matchers: string[]) =>
  `max by (namespace, ${by}) (${of(metric, ...matchers)})`;
const lane = (name: 'mail' | 'retry') =>
  `sum (${queue('inlet_queue_mails', 'partition, state', `lane="${name}"`)})`;
/** A share of nothing is 0. */
const share = (part: string, whole: string) => `${part} / (${whole} > 0) or vector(0)`;
const total = (metric: string, window: string, ...matchers: string[]) =>
  `sum(increase(${of(metric, ...matchers)}[${window}]))`;
const failedShare = (window: string) =>
  share(
    total('inlet_deliveries_total', window, 'status="failed"'),
    total('inlet_deliveries_total', window),
  );
const OUR_DEFERRALS = 'reply=~"try_later|out_of_memory|queue_full"';
/** Accounts whose counter rose within the shown time range, the largest first. */
const topAccounts = (metric: string, ...matchers: string[]) =>
  `topk(10, sum by (account) (increase(${of(metric, ...matchers)}[$__range])) > 0)`;
const byAccount = (...matchers: string[]) =>
  perSecond('inlet_account_attempts_total', 'account', ...matchers);
/**
 * In Kubernetes the pod names a process, and the instance is only an IP address. Elsewhere there is
 * no pod.
 */
const POD = 'pod, instance';
const ofPod = '{{pod}} {{instance}}';
const PROBES = 'route!~"/healthz|/readyz"';

const backlog: Panel = {
  title: 'Emails waiting for a first attempt',
  about:
    'Accepted emails whose first attempt has not finished. Dispatchers scale by this ' +
    'number. Emails waiting for a retry are not counted.',
  unit: 'short',
  queries: [[`sum(max by (namespace) (${of('inlet_dispatcher_backlog_mails')}))`, 'emails']],
  thresholds: [1_000, 5_000],
};
const oldest: Panel = {
  title: 'Oldest email without an attempt',
  about: 'How long the oldest accepted email has waited for its first attempt to finish.',
  unit: 's',
  queries: [[`max(${of('inlet_queue_age_seconds', 'lane="mail"')})`, 'age']],
  thresholds: [60, 300],
};
const room: Panel = {
  title: 'Stream usage',
  about:
    'Share of STREAM_MAX_BYTES in use. Delivered mail is purged at 80 %. A full stream ' +
    'refuses mail. Empty if no limit is set.',
  unit: 'percentunit',
  max: 1,
  thresholds: [0.8, 0.9],
  queries: [
    [
      `${queue('inlet_stream_bytes', 'stream')} / ${queue('inlet_stream_max_bytes', 'stream')}`,
      '{{stream}}',
    ],
  ],
};
const attempts: Panel = {
  title: 'Attempts by outcome',
  about:
    'refused is final. busy and unreachable are retried. blocked is an address that webhooks must not reach.',
  unit: 'reqps',
  stacked: true,
  queries: [[perSecond('inlet_webhook_attempts_total', 'outcome'), '{{outcome}}']],
};
const ended: Panel = {
  title: 'Finished deliveries',
  about: 'Delivered, or failed after a final response or after all retries.',
  unit: 'ops',
  stacked: true,
  queries: [[perSecond('inlet_deliveries_total', 'status'), '{{status}}']],
};
const refused: Panel = {
  title: 'Refusals by reply',
  about:
    'try_later, queue_full and out_of_memory are caused on our side. A mail server must refuse the others.',
  unit: 'ops',
  stacked: true,
  queries: [[perSecond('inlet_mails_refused_total', 'reply, code'), '{{code}} {{reply}}']],
};
const deferred: Panel = {
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
const failed: Panel = {
  title: 'Failed deliveries',
  about: 'Share of the deliveries that finished within the last hour.',
  unit: 'percentunit',
  thresholds: [0.05, 0.1],
  queries: [[failedShare('1h'), 'share']],
};

const stat = (panel: Panel): Panel => ({ ...panel, kind: 'stat', width: 4 });

export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  overview: {
    uid: 'inlet-overview',
    title: 'Inlet: overview',
    about: 'Does mail arrive, are webhooks sent, and does anything wait in between?',
    rows: {
      State: [
        stat({
          title: 'Alerts',
          about: 'Alerts of Inlet that are firing.',
          unit: 'short',
          queries: [
            ['count(ALERTS{alertname=~"Inlet.*", alertstate="firing"}) or vector(0)', 'firing'],
          ],
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
      Flow: [
        {
          title: 'Accepted emails',
          about: 'Emails that got a 250, and the events stored for them, one for each recipient.',
          unit: 'ops',
          width: 8,
          queries: [
            [perSecond('inlet_mails_accepted_total'), 'emails'],
            [perSecond('inlet_events_stored_total'), 'events'],
          ],
        },
        { ...attempts, width: 8 },
        { ...ended, width: 8 },
      ],
      Queue: [
        {
          title: 'Emails on the streams',
          about:
            'Emails waiting for their first attempt, and emails waiting for a retry or for their ' +
            'paced receiver. Only the first are urgent.',
          unit: 'short',
          width: 8,
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
          width: 8,
          queries: [[`max by (lane) (${of('inlet_queue_age_seconds')})`, '{{lane}}']],
        },
        { ...room, width: 8 },
      ],
      API: [
        {
          title: 'Requests by status',
          about: 'Without probes. 429 is the rate limit.',
          unit: 'reqps',
          width: 8,
          stacked: true,
          queries: [[perSecond('inlet_api_requests_total', 'status', PROBES), '{{status}}']],
        },
        {
          title: 'Response time',
          about: 'Without test webhooks, which wait for their receiver.',
          unit: 's',
          width: 8,
          queries: quantiles('inlet_api_request_duration_seconds', 'route!~".*/test"'),
        },
        {
          title: 'Time since periodic jobs succeeded',
          about: 'The last success of each job in any process. One hour at most.',
          unit: 's',
          width: 8,
          thresholds: [3_600, 10_800],
          queries: [
            [
              `time() - max by (sweep) (${of('inlet_sweep_last_success_timestamp_seconds')} > 0)`,
              '{{sweep}}',
            ],
          ],
        },
      ],
      Operator: [
        {
          title: 'Reconciles by result',
          about: 'Empty if no operator runs.',
          unit: 'ops',
          stacked: true,
          queries: [
            [perSecond('inlet_operator_reconciles_total', 'kind, result'), '{{kind}} {{result}}'],
          ],
        },
        {
          title: 'Time to reconcile',
          about: 'For one resource.',
          unit: 's',
          width: 6,
          queries: quantiles('inlet_operator_reconcile_seconds'),
        },
        {
          title: 'Leaders',
          about: 'Exactly one while operators run.',
          unit: 'short',
          width: 6,
          queries: [[`sum(${of('inlet_operator_is_leader')})`, 'leaders']],
        },
        {
          title: 'Resources not ready',
          about:
            'Invalid specs, domains that wait for DNS records, or errors. Their conditions give the reason.',
          unit: 'short',
          queries: [
            [
              `max by (kind, ready) (${of('inlet_operator_resources', 'ready!="true"')})`,
              '{{kind}} {{ready}}',
            ],
          ],
        },
        {
          title: 'Queued resources',
          about:
            'Resources waiting to be reconciled. Many are normal after a restart. If they stay ' +
            'many, raise RECONCILE_CONCURRENCY or KUBE_REQUESTS_PER_SECOND.',
          unit: 'short',
          queries: [[`max(${of('inlet_operator_queued_resources')})`, 'resources']],
        },
      ],
      Processes: [
        {
          title: 'CPU',
          about: 'Cores that each process uses.',
          unit: 'short',
          width: 6,
          queries: [
            [
              ofInlet('rate(process_cpu_seconds_total[$__rate_interval])'),
              `{{component}} ${ofPod}`,
            ],
          ],
        },
        {
          title: 'Memory',
          about: 'Resident memory of each process.',
          unit: 'bytes',
          width: 6,
          queries: [[ofInlet('process_resident_memory_bytes'), `{{component}} ${ofPod}`]],
        },
        {
          title: 'Event loop lag',
          about: 'The delay before a process handles an event, 99th percentile.',
          unit: 's',
          width: 6,
          thresholds: [0.1, 0.5],
          queries: [[ofInlet('nodejs_eventloop_lag_p99_seconds'), `{{component}} ${ofPod}`]],
        },
        {
          title: 'Versions',
          about:
            'Running versions. Two versions at the same time mean that a rollout is in progress.',
          kind: 'table',
          unit: 'short',
          width: 6,
          queries: [[`count by (component, version, node) (${of('inlet_build_info')})`, '']],
        },
      ],
    },
  },

  delivery: {
    uid: 'inlet-delivery',
    title: 'Inlet: delivery',
    about: 'From the stream to the receivers: what waits, what is attempted, and what fails.',
    rows: {
      Queue: [
        { ...backlog, width: 6 },
        { ...oldest, width: 6 },
        {
          title: 'Retry lane',
          about:
            'Emails waiting for a retry or for their paced receiver, or in progress. They do not ' +
            'delay first attempts.',
          unit: 'short',
          width: 6,
          queries: [
            [
              `sum by (state) (${queue('inlet_queue_mails', 'partition, state', 'lane="retry"')})`,
              '{{state}}',
            ],
          ],
        },
        {
          title: 'First attempts by partition',
          about:
            'Emails waiting for a first attempt. A partition far above the others has no leader or a slow disk.',
          unit: 'short',
          width: 6,
          queries: [
            [
              `sum by (partition) (${queue('inlet_queue_mails', 'partition, state', 'lane="mail"')})`,
              '{{partition}}',
            ],
          ],
        },
      ],
      Latency: [
        {
          title: 'From the end of DATA to the first attempt',
          about: 'The delay that users notice.',
          unit: 's',
          queries: quantiles('inlet_mail_to_first_attempt_seconds'),
        },
        {
          title: 'How late retries start',
          about: 'Compared with their due time, including the wait for a paced receiver.',
          unit: 's',
          queries: quantiles('inlet_retry_late_seconds'),
        },
      ],
      Attempts: [
        { ...attempts, width: 8 },
        {
          title: 'Attempts by status',
          about: 'HTTP status codes, or the reason why there was no response.',
          unit: 'reqps',
          width: 8,
          stacked: true,
          queries: [[perSecond('inlet_webhook_attempts_total', 'status'), '{{status}}']],
        },
        {
          title: 'Share of failed attempts',
          about: 'Above one half, check our own egress: network, DNS, clock.',
          unit: 'percentunit',
          width: 8,
          max: 1,
          thresholds: [0.2, 0.5],
          queries: [
            [
              share(
                perSecond('inlet_webhook_attempts_total', '', 'outcome!="accepted"'),
                perSecond('inlet_webhook_attempts_total'),
              ),
              'failing',
            ],
          ],
        },
        {
          title: 'Duration of accepted attempts',
          about: 'How long receivers take to respond. WEBHOOK_TIMEOUT is the limit.',
          unit: 's',
          thresholds: [5, 10],
          queries: quantiles('inlet_webhook_attempt_seconds', 'outcome="accepted"'),
        },
        {
          title: 'Duration of failed attempts',
          about: 'Near WEBHOOK_TIMEOUT, receivers hang and occupy slots meanwhile.',
          unit: 's',
          queries: quantiles('inlet_webhook_attempt_seconds', 'outcome!="accepted"'),
        },
      ],
      Outcomes: [
        { ...ended, width: 8 },
        { ...failed, width: 8 },
        {
          title: 'Failing receivers',
          about:
            'Addresses whose receiver has accepted nothing since its last failure. noticed=true: ' +
            'for longer than FAILING_AFTER.',
          unit: 'short',
          width: 8,
          queries: [
            [`max by (noticed) (${of('inlet_failing_addresses')})`, 'noticed: {{noticed}}'],
          ],
        },
      ],
      Dispatchers: [
        {
          title: 'Emails in progress',
          about:
            'At most MAIL_SLOTS and RETRY_SLOTS for each dispatcher. At the limit with idle CPU, more slots help.',
          unit: 'short',
          width: 6,
          queries: [[`sum by (${POD}, lane) (${of('inlet_mail_in_hand')})`, `${ofPod} {{lane}}`]],
        },
        {
          title: 'Attempts in flight',
          about: 'Open requests to receivers.',
          unit: 'short',
          width: 6,
          queries: [[`sum by (${POD}) (${of('inlet_webhook_in_flight')})`, ofPod]],
        },
        {
          title: 'Delayed emails',
          about:
            'Paced: their receiver is slow or failing, so they wait without occupying a slot. ' +
            'Handed back: they could not be processed, and the log gives the reason.',
          unit: 'ops',
          width: 6,
          queries: [
            [perSecond('inlet_mail_delayed_total'), 'paced'],
            [perSecond('inlet_mail_handed_back_total'), 'handed back'],
          ],
        },
        {
          title: 'Time to write outcomes to MongoDB',
          about: 'A batch of up to 500 outcomes. An email occupies its slot until then.',
          unit: 's',
          width: 6,
          thresholds: [0.5, 2],
          queries: quantiles('inlet_record_batch_seconds'),
        },
      ],
      Storage: [
        room,
        {
          title: 'Bytes on the streams',
          about: 'Including mail stored for replay.',
          unit: 'bytes',
          stacked: true,
          queries: [[queue('inlet_stream_bytes', 'stream'), '{{stream}}']],
        },
      ],
    },
  },

  gateway: {
    uid: 'inlet-gateway',
    title: 'Inlet: gateway',
    about: 'SMTP: who may connect, what is refused, and how long senders wait.',
    rows: {
      Mail: [
        {
          title: 'Accepted emails',
          about: 'Emails that got a 250, by gateway.',
          unit: 'ops',
          width: 8,
          stacked: true,
          queries: [[perSecond('inlet_mails_accepted_total', POD), ofPod]],
        },
        {
          title: 'Accepted bytes',
          about: 'Raw size of the emails.',
          unit: 'Bps',
          width: 8,
          queries: [[perSecond('inlet_mail_bytes_total'), 'bytes']],
        },
        {
          title: 'Events',
          about:
            'Stored: one for each recipient. Folded: the sender repeated an email because our 250 was lost or late.',
          unit: 'ops',
          width: 8,
          queries: [
            [perSecond('inlet_events_stored_total'), 'stored'],
            [perSecond('inlet_events_folded_total'), 'folded'],
          ],
        },
      ],
      Refusals: [
        refused,
        {
          title: 'Refusals by class',
          about: '4xx: the sender retries. 5xx: it gives up and informs its user.',
          unit: 'ops',
          width: 6,
          queries: [
            [perSecond('inlet_mails_refused_total', '', 'code=~"4.."'), '4xx'],
            [`${perSecond('inlet_mails_refused_total', '', 'code=~"5.."')} or vector(0)`, '5xx'],
          ],
        },
        { ...deferred, width: 6 },
      ],
      Latency: [
        {
          title: 'Time to parse an email',
          about: 'MIME parsing. It only uses CPU.',
          unit: 's',
          queries: quantiles('inlet_mail_parse_seconds'),
        },
        {
          title: 'Time to store an email',
          about: 'Until JetStream has it on disk. The sender waits for this.',
          unit: 's',
          thresholds: [0.25, 1],
          queries: quantiles('inlet_mail_store_seconds'),
        },
      ],
      Verdicts: [
        {
          title: 'Authentication results',
          about: 'SPF, DKIM, DMARC, ARC and reverse DNS. temperror: DNS did not respond in time.',
          unit: 'ops',
          width: 8,
          stacked: true,
          queries: [
            [
              perSecond('inlet_authentication_results_total', 'method, result'),
              '{{method}} {{result}}',
            ],
          ],
        },
        {
          title: 'Spam verdicts',
          about: 'By the scorer: rspamd or the built-in score.',
          unit: 'ops',
          width: 8,
          stacked: true,
          queries: [
            [perSecond('inlet_spam_verdicts_total', 'kind, result'), '{{kind}} {{result}}'],
          ],
        },
        {
          title: 'rspamd',
          about: 'Time until rspamd responded or failed. Empty without rspamd.',
          unit: 's',
          width: 8,
          queries: quantiles('inlet_rspamd_seconds'),
        },
      ],
      Connections: [
        {
          title: 'Open connections',
          about: 'At most MAX_CONNECTIONS for each gateway. Further connections get 421.',
          unit: 'short',
          width: 12,
          queries: [[`sum by (${POD}) (${of('inlet_smtp_connections')})`, ofPod]],
        },
        {
          title: 'Aborted emails',
          about: 'The client disconnected during DATA. It will retry.',
          unit: 'ops',
          width: 12,
          queries: [[perSecond('inlet_mails_abandoned_total'), 'emails']],
        },
      ],
      Protection: [
        {
          title: 'Tracked sources',
          about:
            'Source networks whose connections, messages or unknown recipients count towards a limit.',
          unit: 'short',
          width: 8,
          queries: [[`sum by (${POD}) (${of('inlet_smtp_tracked_sources')})`, ofPod]],
        },
        {
          title: 'Blocklists',
          about:
            'Results by list. If a lookup fails, the mail is accepted. Empty without blocklists.',
          unit: 'ops',
          width: 8,
          stacked: true,
          queries: [
            [
              perSecond('inlet_blocklist_lookups_total', 'blocklist, result'),
              '{{blocklist}} {{result}}',
            ],
          ],
        },
        {
          title: 'Certificate validity',
          about:
            'Time until the certificate of gateways, and of an API that serves HTTPS itself, ' +
            'expires. Empty without a certificate.',
          unit: 's',
          kind: 'stat',
          width: 8,
          thresholds: [14 * 86_400, 2 * 86_400],
          queries: [
            [
              `min by (component) (${of('inlet_tls_certificate_expiry_timestamp_seconds')}) - time()`,
              '{{component}}',
            ],
          ],
        },
      ],
    },
  },

  tenants: {
    uid: 'inlet-tenants',
    title: 'Inlet: tenants',
    about:
      'The METRICS_ACCOUNTS busiest accounts of each process. other is the sum of all other ' +
      'accounts. GET /v1/usage returns exact numbers for one account.',
    rows: {
      Mail: [
        {
          title: 'Most emails',
          about: 'Events stored within the time range.',
          kind: 'bargauge',
          unit: 'short',
          queries: [
            [
              `topk(10, sum by (account) (increase(${of('inlet_account_mails_total')}[$__range])))`,
              '{{account}}',
            ],
          ],
        },
        {
          title: 'Most bytes',
          about: 'Raw bytes within the time range.',
          kind: 'bargauge',
          unit: 'bytes',
          queries: [
            [
              `topk(10, sum by (account) (increase(${of('inlet_account_mail_bytes_total')}[$__range])))`,
              '{{account}}',
            ],
          ],
        },
        {
          title: 'Emails by account',
          about: 'Events stored, one for each recipient.',
          unit: 'ops',
          width: 24,
          stacked: true,
          queries: [[perSecond('inlet_account_mails_total', 'account'), '{{account}}']],
        },
      ],
      Delivery: [
        {
          title: 'Most failed deliveries',
          about: 'Within the time range. Inform the owners.',
          kind: 'bargauge',
          unit: 'short',
          queries: [
            [topAccounts('inlet_account_deliveries_total', 'status="failed"'), '{{account}}'],
          ],
        },
        {
          title: 'Most failed attempts',
          about: 'Within the time range. The receivers are down, slow, or refuse.',
          kind: 'bargauge',
          unit: 'short',
          queries: [
            [topAccounts('inlet_account_attempts_total', 'outcome!="accepted"'), '{{account}}'],
          ],
        },
        {
          title: 'Finished deliveries by account',
          about: 'Delivered or failed.',
          unit: 'ops',
          stacked: true,
          queries: [
            [
              perSecond('inlet_account_deliveries_total', 'account, status'),
              '{{account}} {{status}}',
            ],
          ],
        },
        {
          title: 'Share of failed attempts by account',
          about: 'At 1, the receivers of the account accept nothing.',
          unit: 'percentunit',
          max: 1,
          queries: [
            [
              `1 - (${byAccount('outcome="accepted"')} or 0 * ${byAccount()}) / (${byAccount()} > 0)`,
              '{{account}}',
            ],
          ],
        },
      ],
      Labels: [
        {
          title: 'Share of mail of unlabeled accounts',
          about: 'If it is large, raise METRICS_ACCOUNTS.',
          unit: 'percentunit',
          max: 1,
          width: 24,
          queries: [
            [
              `(${perSecond('inlet_account_mails_total', '', 'account="other"')} or vector(0))` +
                ` / (${perSecond('inlet_account_mails_total')} > 0)`,
              'other',
            ],
          ],
        },
      ],
    },
  },
};
