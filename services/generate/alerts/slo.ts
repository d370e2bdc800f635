/**
 * The service level objectives of a release, and the rules that alert when it spends its error
 * budget too fast. The dashboards show the same shares.
 *
 * The windows and burn rates are those of the SRE workbook (chapter "Alerting on SLOs"): at 14.4, a
 * budget of 30 days is spent in two days; at 6 in five days; at 1 in 30 days.
 */
/** Sums the rate of a counter over a window, with further matchers. */
export type SumRate = (metric: string, ...matchers: string[]) => string;

export type Slo = {
  /** In the names of rules and alerts. */
  name: 'Acceptance' | 'FirstAttempt' | 'Delivery';
  title: string;
  about: string;
  users: string;
  /** Share of good events that is promised. */
  objective: number;
  /** PromQL for the rate of all events, and of the good ones. */
  all: (sumRate: SumRate) => string;
  good: (sumRate: SumRate) => string;
  dashboard: 'inlet-gateway' | 'inlet-delivery';
  severities: Record<'fast' | 'slow', 'critical' | 'warning' | 'info'>;
};

/**
 * Without `server_full`: it refuses a connection, not an email, and a single client can cause
 * thousands. InletConnectionsFull reports it.
 */
export const OUR_DEFERRALS = 'reply=~"try_later|out_of_memory|queue_full"';
/** Emails that waited for their own receiver, or their account's share, say nothing about Inlet. */
const UNPACED = 'paced!="true"'; // dispatchers of earlier releases have no such label
/** Prometheus 3 writes the bound of a bucket as a float, earlier versions as they read it. */
const within = (seconds: number) => `le=~"${seconds}|${seconds}.0"`;

export const SLOS: readonly Slo[] = [
  {
    name: 'Acceptance',
    title: 'Accepted within 1 s',
    about:
      'Share of emails that got a 250 within one second of the end of DATA. Emails that got a 4xx for a ' +
      'reason on our side count as late. Objective: 99.9 %.',
    users: 'Senders wait for their 250 or repeat their mail. Webhooks are late by the same time.',
    objective: 0.999,
    all: (sumRate) =>
      `(${sumRate('inlet_mail_accept_seconds_count')} + ${sumRate('inlet_mails_refused_total', OUR_DEFERRALS)})`,
    good: (sumRate) => sumRate('inlet_mail_accept_seconds_bucket', within(1)),
    dashboard: 'inlet-gateway',
    severities: { fast: 'critical', slow: 'warning' },
  },
  {
    name: 'FirstAttempt',
    title: 'First attempt within 5 s',
    about:
      'Share of emails whose first attempt started within five seconds of the end of DATA. Emails that ' +
      'waited for their own receiver, or for the share of their account, do not count. Objective: 99 %.',
    users: 'Webhooks are late.',
    objective: 0.99,
    all: (sumRate) => sumRate('inlet_mail_to_first_attempt_seconds_count', UNPACED),
    good: (sumRate) => sumRate('inlet_mail_to_first_attempt_seconds_bucket', UNPACED, within(5)),
    dashboard: 'inlet-delivery',
    severities: { fast: 'critical', slow: 'warning' },
  },
  {
    name: 'Delivery',
    title: 'Delivered within the schedule',
    about:
      'Share of deliveries that a receiver accepted before the retry schedule ended. Receivers cause most ' +
      'failures, so the objective is 95 %.',
    users: 'Their webhooks are missing. Deliveries have the status `failed`.',
    objective: 0.95,
    all: (sumRate) => sumRate('inlet_deliveries_total'),
    good: (sumRate) => sumRate('inlet_deliveries_total', 'status="delivered"'),
    dashboard: 'inlet-delivery',
    severities: { fast: 'warning', slow: 'info' },
  },
];

/** PromQL for the share of bad events. */
export const errorShare = ({ good, all }: Slo, sumRate: SumRate): string =>
  `1 - ${good(sumRate)} / ${all(sumRate)}`;

type Speed = {
  word: 'fast' | 'slow';
  /** Both windows of a pair must burn: the long one makes sure, the short one ends the alert. */
  pairs: readonly { burnRate: number; long: string; short: string }[];
  /** Events that are needed for an alert, within a window. */
  least: { events: number; window: string };
  for: string;
  when: (share: (burnRate: number) => string) => string;
  means: string;
};

const SPEEDS: readonly Speed[] = [
  {
    word: 'fast',
    pairs: [
      { burnRate: 14.4, long: '1h', short: '5m' },
      { burnRate: 6, long: '6h', short: '30m' },
    ],
    least: { events: 20, window: '1h' },
    for: '2m',
    when: (share) =>
      `More than ${share(14.4)} miss the objective during 1 h and 5 min, or ${share(6)} during 6 h and 30 min`,
    means:
      'At this rate, the budget of 30 days lasts five days at most, two days at the higher threshold.',
  },
  {
    word: 'slow',
    pairs: [{ burnRate: 1, long: '3d', short: '6h' }],
    least: { events: 100, window: '6h' },
    for: '1h',
    when: (share) => `More than ${share(1)} miss the objective during 3 d and 6 h`,
    means: 'At this rate, nothing of the budget of 30 days is left at its end.',
  },
];

const WINDOWS = ['5m', '30m', '1h', '6h', '3d'];
/** The chart replaces it by the namespace of the release. */
const RELEASE = 'namespace=~".*"';
const inRelease =
  (window: string, f: 'rate' | 'increase' = 'rate'): SumRate =>
  (metric, ...matchers) =>
    `sum by (namespace) (${f}(${metric}{${[RELEASE, ...matchers].join(', ')}}[${window}]))`;

const recordOf = ({ name }: Slo, window: string) =>
  `inlet:${name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()}_errors:ratio_rate${window}`;
/** Without the rounding errors of binary fractions. */
const budget = ({ objective }: Slo) => Number((1 - objective).toFixed(6));

const ruleOf = (slo: Slo, { word, pairs, least, for: pending, means, when }: Speed) => {
  const burns = pairs.map(({ burnRate, long, short }) => {
    const above = `{${RELEASE}} > ${burnRate} * ${budget(slo)}`;
    return `(${recordOf(slo, long)}${above} and ${recordOf(slo, short)}${above})`;
  });
  const enough = `${slo.all(inRelease(least.window, 'increase'))} > ${least.events}`;
  const share = (burnRate: number) => `${Number((100 * burnRate * budget(slo)).toFixed(2))} %`;
  return {
    alert: `InletSlo${slo.name}`,
    expr: `(${burns.join(' or ')}) and on (namespace) ${enough}`,
    for: pending,
    labels: { severity: slo.severities[word], cause: word },
    annotations: {
      summary: `{{ $value | humanizePercentage }} miss the objective "${slo.title}" (${slo.objective * 100} %)`,
      description: `${when(share)}. ${means}`,
      impact: slo.users,
      runbook_url: `http://127.0.0.1:8080/docs/runbooks/InletSlo${slo.name}`,
      dashboard_url: `http://127.0.0.1:3000/d/${slo.dashboard}?var-namespace={{ $labels.namespace }}`,
    },
  };
};

/** The file slo.yaml of the chart: the shares of bad events over each window, and the alerts. */
export const SLO_RULES = {
  groups: [
    {
      name: 'inlet-slo-shares',
      rules: SLOS.flatMap((slo) =>
        WINDOWS.map((window) => ({
          record: recordOf(slo, window),
          expr: errorShare(slo, inRelease(window)),
        })),
      ),
    },
    {
      name: 'inlet-objectives',
      rules: SLOS.flatMap((slo) => SPEEDS.map((speed) => ruleOf(slo, speed))),
    },
  ],
};
