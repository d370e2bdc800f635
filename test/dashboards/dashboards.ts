/** What the four dashboards show. `npm run golden` writes them to charts/inlet/files/dashboards; dashboards.test.ts asks every query of a real Prometheus. */
import type { Dashboard, Panel, Query } from './grafana.ts';

/** Those of the chosen namespace; further matchers follow. */
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
/** Gateways and dispatchers all tell the whole queue: the maximum over processes. */
const queue = (metric: string, by: string, ...matchers: string[]) =>
  `max by (namespace, ${by}) (${of(metric, ...matchers)})`;
const lane = (name: 'mail' | 'retry') =>
  `sum (${queue('inlet_queue_mails', 'partition, state', `lane="${name}"`)})`;
const failedShare = (window: string) =>
  `sum(increase(${of('inlet_deliveries_total', 'status="failed"')}[${window}])) / (sum(increase(${of('inlet_deliveries_total')}[${window}])) > 0) or vector(0)`;
/** In Kubernetes an instance is an address that tells nobody anything; elsewhere there is no pod. */
const POD = 'pod, instance';
const ofPod = '{{pod}} {{instance}}';
const PROBES = 'route!~"/healthz|/readyz"';

const backlog: Panel = {
  title: 'Fresh mail that waits',
  about:
    'Accepted, and no attempt has ended: what dispatchers are scaled by. Sleeping retries are not in it.',
  unit: 'short',
  queries: [[`sum(max by (namespace) (${of('inlet_dispatcher_backlog_mails')}))`, 'mails']],
  thresholds: [1_000, 5_000],
};
const oldest: Panel = {
  title: 'Oldest fresh mail',
  about: 'How long the oldest accepted mail has waited for its first attempt to end.',
  unit: 's',
  queries: [[`max(${of('inlet_queue_age_seconds', 'lane="mail"')})`, 'age']],
  thresholds: [60, 300],
};
const room: Panel = {
  title: 'Room on the streams',
  about:
    'Share of STREAM_MAX_BYTES that is taken. Settled mail is purged at 80 %; a full stream refuses mail. Empty where no limit is set.',
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
    'refused is final, busy and unreachable are tried again, blocked may not be called at all.',
  unit: 'reqps',
  stacked: true,
  queries: [[perSecond('inlet_webhook_attempts_total', 'outcome'), '{{outcome}}']],
};
const ended: Panel = {
  title: 'Deliveries that ended',
  about: 'Delivered, or failed: given up after a final answer or all retries.',
  unit: 'ops',
  stacked: true,
  queries: [[perSecond('inlet_deliveries_total', 'status'), '{{status}}']],
};
const refused: Panel = {
  title: 'Refusals by reply',
  about:
    'try_later, queue_full and out_of_memory are of our making; the others are what a mail server must refuse.',
  unit: 'ops',
  stacked: true,
  queries: [[perSecond('inlet_mails_refused_total', 'reply, code'), '{{code}} {{reply}}']],
};
const deferred: Panel = {
  title: 'Mail put off by our fault',
  about: 'Share of mail that got a 4xx reply of our making.',
  unit: 'percentunit',
  thresholds: [0.001, 0.01],
  queries: [
    [
      `${perSecond('inlet_mails_refused_total', '', 'reply=~"try_later|out_of_memory|queue_full"')} / (${perSecond('inlet_mails_refused_total', '', 'reply=~"try_later|out_of_memory|queue_full"')} + ${perSecond('inlet_mails_accepted_total')} > 0) or vector(0)`,
      'share',
    ],
  ],
};
const failed: Panel = {
  title: 'Deliveries given up',
  about: 'Share of the deliveries that ended within the hour.',
  unit: 'percentunit',
  thresholds: [0.05, 0.1],
  queries: [[failedShare('1h'), 'share']],
};

const stat = (panel: Panel): Panel => ({ ...panel, kind: 'stat', width: 4 });

export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  overview: {
    uid: 'inlet-overview',
    title: 'Inlet: overview',
    about: 'Whether mail comes in, webhooks go out and nothing waits in between.',
    rows: {
      State: [
        stat({
          title: 'Alerts',
          about: 'Alerts of Inlet that fire.',
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
          about: '0 as long as any process has lost NATS or MongoDB.',
          unit: 'short',
          queries: [[`min by (backend) (${of('inlet_backend_connected')})`, '{{backend}}']],
          thresholds: [1, 1],
        }),
      ],
      Flow: [
        {
          title: 'Mails accepted',
          about: 'Mails that got a 250, and the events that were stored for them, one a recipient.',
          unit: 'ops',
          width: 8,
          queries: [
            [perSecond('inlet_mails_accepted_total'), 'mails'],
            [perSecond('inlet_events_stored_total'), 'events'],
          ],
        },
        { ...attempts, width: 8 },
        { ...ended, width: 8 },
      ],
      Queue: [
        {
          title: 'Mail on the streams',
          about:
            'Fresh mail, and mail that waits for a retry or its turn. Only the first is pressing.',
          unit: 'short',
          width: 8,
          queries: [
            [lane('mail'), 'fresh'],
            [lane('retry'), 'retry'],
          ],
        },
        {
          title: 'Oldest mail',
          about: 'Fresh mail should be seconds old; a retry may be as old as the whole schedule.',
          unit: 's',
          width: 8,
          queries: [[`max by (lane) (${of('inlet_queue_age_seconds')})`, '{{lane}}']],
        },
        { ...room, width: 8 },
      ],
      API: [
        {
          title: 'Requests by status',
          about: 'Probes are left out. 429 is the rate limit.',
          unit: 'reqps',
          width: 8,
          stacked: true,
          queries: [[perSecond('inlet_api_requests_total', 'status', PROBES), '{{status}}']],
        },
        {
          title: 'Time to answer',
          about: 'Test webhooks wait for their receiver and are left out.',
          unit: 's',
          width: 8,
          queries: quantiles('inlet_api_request_duration_seconds', 'route!~".*/test"'),
        },
        {
          title: 'Since regular work succeeded',
          about:
            'Invoices, expiries and the like: the last good round of any process. An hour at most.',
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
          about: 'Empty where no operator runs.',
          unit: 'ops',
          stacked: true,
          queries: [
            [perSecond('inlet_operator_reconciles_total', 'kind, result'), '{{kind}} {{result}}'],
          ],
        },
        {
          title: 'Time to reconcile',
          about: 'One resource.',
          unit: 's',
          width: 6,
          queries: quantiles('inlet_operator_reconcile_seconds'),
        },
        {
          title: 'Leaders',
          about: 'One, while operators run.',
          unit: 'short',
          width: 6,
          queries: [[`sum(${of('inlet_operator_is_leader')})`, 'leaders']],
        },
        {
          title: 'Resources that are not ready',
          about:
            'Wrong specs, domains that wait for their DNS, errors: their conditions say which.',
          unit: 'short',
          queries: [
            [
              `max by (kind, ready) (${of('inlet_operator_resources', 'ready!="true"')})`,
              '{{kind}} {{ready}}',
            ],
          ],
        },
        {
          title: 'Resources that wait for a look',
          about:
            'Many at once after a restart. For long: RECONCILE_CONCURRENCY or KUBE_REQUESTS_PER_SECOND are short.',
          unit: 'short',
          queries: [[`max(${of('inlet_operator_queued_resources')})`, 'resources']],
        },
      ],
      Processes: [
        {
          title: 'CPU',
          about: 'Cores that each process takes.',
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
          about: 'How late a process comes to its work, 99th percentile.',
          unit: 's',
          width: 6,
          thresholds: [0.1, 0.5],
          queries: [[ofInlet('nodejs_eventloop_lag_p99_seconds'), `{{component}} ${ofPod}`]],
        },
        {
          title: 'Versions',
          about: 'What runs. Two versions at once: a rollout is under way.',
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
    about: 'From the stream to the receivers: what waits, what is attempted, what fails.',
    rows: {
      Queue: [
        { ...backlog, width: 6 },
        { ...oldest, width: 6 },
        {
          title: 'Retry lane',
          about: 'Asleep until a retry or its turn, or in hand. They hold up no fresh mail.',
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
          title: 'Fresh mail by partition',
          about: 'One that stands out has no leader, or a disk of its own trouble.',
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
      Promptness: [
        {
          title: 'From the end of DATA to the first attempt',
          about: 'What senders of urgent mail feel.',
          unit: 's',
          queries: quantiles('inlet_mail_to_first_attempt_seconds'),
        },
        {
          title: 'How late retries start',
          about: 'Against their due time, the wait for the turn of their receiver included.',
          unit: 's',
          queries: quantiles('inlet_retry_late_seconds'),
        },
      ],
      Attempts: [
        { ...attempts, width: 8 },
        {
          title: 'Attempts by status',
          about: 'Status codes, or why no answer came.',
          unit: 'reqps',
          width: 8,
          stacked: true,
          queries: [[perSecond('inlet_webhook_attempts_total', 'status'), '{{status}}']],
        },
        {
          title: 'Share of attempts that fail',
          about: 'Above one half look at our own way out: egress, DNS, the clock.',
          unit: 'percentunit',
          width: 8,
          max: 1,
          thresholds: [0.2, 0.5],
          queries: [
            [
              `${perSecond('inlet_webhook_attempts_total', '', 'outcome!="accepted"')} / (${perSecond('inlet_webhook_attempts_total')} > 0) or vector(0)`,
              'failing',
            ],
          ],
        },
        {
          title: 'Time of attempts that were accepted',
          about: 'How long receivers take to answer. They have WEBHOOK_TIMEOUT.',
          unit: 's',
          thresholds: [5, 10],
          queries: quantiles('inlet_webhook_attempt_seconds', 'outcome="accepted"'),
        },
        {
          title: 'Time of attempts that failed',
          about: 'Near WEBHOOK_TIMEOUT: receivers hang, and hold slots while they do.',
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
            'Addresses whose receiver has accepted nothing since its last failure; noticed: for FAILING_AFTER.',
          unit: 'short',
          width: 8,
          queries: [
            [`max by (noticed) (${of('inlet_failing_addresses')})`, 'noticed: {{noticed}}'],
          ],
        },
      ],
      Dispatchers: [
        {
          title: 'Mails in hand',
          about:
            'Up to MAIL_SLOTS and RETRY_SLOTS each. At the limit with CPU idle: slots are short.',
          unit: 'short',
          width: 6,
          queries: [[`sum by (${POD}, lane) (${of('inlet_mail_in_hand')})`, `${ofPod} {{lane}}`]],
        },
        {
          title: 'Attempts under way',
          about: 'Open requests to receivers.',
          unit: 'short',
          width: 6,
          queries: [[`sum by (${POD}) (${of('inlet_webhook_in_flight')})`, ofPod]],
        },
        {
          title: 'Mails put off',
          about:
            'To their turn: their receiver is slow or failing, so they sleep and leave the slots to others. Handed back: nothing could be done with them, the log says why.',
          unit: 'ops',
          width: 6,
          queries: [
            [perSecond('inlet_mail_delayed_total'), 'to their turn'],
            [perSecond('inlet_mail_handed_back_total'), 'handed back'],
          ],
        },
        {
          title: 'Writing outcomes to MongoDB',
          about: 'A batch of up to 500. A mail keeps its slot until then.',
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
          about: 'Kept for replay included.',
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
    about: 'SMTP: who is let in, what is refused, and how long a sender waits.',
    rows: {
      Mail: [
        {
          title: 'Mails accepted',
          about: 'Mails that got a 250, by gateway.',
          unit: 'ops',
          width: 8,
          stacked: true,
          queries: [[perSecond('inlet_mails_accepted_total', POD), ofPod]],
        },
        {
          title: 'Bytes accepted',
          about: 'Raw mail.',
          unit: 'Bps',
          width: 8,
          queries: [[perSecond('inlet_mail_bytes_total'), 'bytes']],
        },
        {
          title: 'Events',
          about:
            'Stored, one a recipient; folded: the sender repeated a mail, our 250 was lost or late.',
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
          about: '4xx: the sender tries again. 5xx: it gives up and tells its user.',
          unit: 'ops',
          width: 6,
          queries: [
            [perSecond('inlet_mails_refused_total', '', 'code=~"4.."'), '4xx'],
            [`${perSecond('inlet_mails_refused_total', '', 'code=~"5.."')} or vector(0)`, '5xx'],
          ],
        },
        { ...deferred, width: 6 },
      ],
      Promptness: [
        {
          title: 'Reading a mail',
          about: 'MIME parsing, all of it CPU.',
          unit: 's',
          queries: quantiles('inlet_mail_parse_seconds'),
        },
        {
          title: 'Storing a mail',
          about: 'Until JetStream has it on disk. The sender waits for this.',
          unit: 's',
          thresholds: [0.25, 1],
          queries: quantiles('inlet_mail_store_seconds'),
        },
      ],
      Verdicts: [
        {
          title: 'Authentication results',
          about:
            'SPF, DKIM, DMARC, ARC and reverse DNS. temperror: the DNS did not answer in time.',
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
          about: 'By what scored the mail.',
          unit: 'ops',
          width: 8,
          stacked: true,
          queries: [
            [perSecond('inlet_spam_verdicts_total', 'kind, result'), '{{kind}} {{result}}'],
          ],
        },
        {
          title: 'rspamd',
          about: 'Time until it answered or failed. Empty without one.',
          unit: 's',
          width: 8,
          queries: quantiles('inlet_rspamd_seconds'),
        },
      ],
      Connections: [
        {
          title: 'Open connections',
          about: 'Up to MAX_CONNECTIONS for each gateway; beyond, 421.',
          unit: 'short',
          width: 12,
          queries: [[`sum by (${POD}) (${of('inlet_smtp_connections')})`, ofPod]],
        },
        {
          title: 'Mails that broke off',
          about: 'The sender went away in the midst of DATA; it tries again.',
          unit: 'ops',
          width: 12,
          queries: [[perSecond('inlet_mails_abandoned_total'), 'mails']],
        },
      ],
      Protection: [
        {
          title: 'Sources that are counted',
          about: 'Those whose connections, messages or unknown recipients count towards a limit.',
          unit: 'short',
          width: 8,
          queries: [[`sum by (${POD}) (${of('inlet_smtp_tracked_sources')})`, ofPod]],
        },
        {
          title: 'Blocklists',
          about: 'Answers by list. Failures let mail in. Empty without a list.',
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
          title: 'Certificate',
          about:
            'Time until the certificate expires that gateways show, and the API where it speaks HTTPS itself. Empty without one.',
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
      'The busiest accounts of each process, METRICS_ACCOUNTS of them; other is everybody else. For exact numbers of one account ask GET /v1/usage.',
    rows: {
      Mail: [
        {
          title: 'Most mail',
          about: 'Events stored within the range shown.',
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
          about: 'Raw bytes within the range shown.',
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
          title: 'Mail by account',
          about: 'Events stored; a recipient each.',
          unit: 'ops',
          width: 24,
          stacked: true,
          queries: [[perSecond('inlet_account_mails_total', 'account'), '{{account}}']],
        },
      ],
      Delivery: [
        {
          title: 'Most deliveries given up',
          about: 'Within the range shown. Their owners want to know.',
          kind: 'bargauge',
          unit: 'short',
          queries: [
            [
              `topk(10, sum by (account) (increase(${of('inlet_account_deliveries_total', 'status="failed"')}[$__range])) > 0)`,
              '{{account}}',
            ],
          ],
        },
        {
          title: 'Most attempts that failed',
          about: 'Within the range shown: receivers that are away, slow or refuse.',
          kind: 'bargauge',
          unit: 'short',
          queries: [
            [
              `topk(10, sum by (account) (increase(${of('inlet_account_attempts_total', 'outcome!="accepted"')}[$__range])) > 0)`,
              '{{account}}',
            ],
          ],
        },
        {
          title: 'Deliveries that ended, by account',
          about: 'Delivered or given up.',
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
          title: 'Share of attempts that fail, by account',
          about: 'Accounts that stand at 1 have receivers that accept nothing.',
          unit: 'percentunit',
          max: 1,
          queries: [
            [
              `1 - (sum by (account) (${rate('inlet_account_attempts_total', 'outcome="accepted"')}) or 0 * sum by (account) (${rate('inlet_account_attempts_total')})) / (sum by (account) (${rate('inlet_account_attempts_total')}) > 0)`,
              '{{account}}',
            ],
          ],
        },
      ],
      Labels: [
        {
          title: 'Mail of accounts without a label',
          about: 'Much of it: raise METRICS_ACCOUNTS.',
          unit: 'percentunit',
          max: 1,
          width: 24,
          queries: [
            [
              `(${perSecond('inlet_account_mails_total', '', 'account="other"')} or vector(0)) / (${perSecond('inlet_account_mails_total')} > 0)`,
              'other',
            ],
          ],
        },
      ],
    },
  },
};
