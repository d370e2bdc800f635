/** Alerts about the way of an email from the stream to its receiver. */
import type { Alert } from './alert.ts';

export const DELIVERY: readonly Alert[] = [
  {
    name: 'InletQueueOld',
    dashboard: 'inlet-delivery',
    users: 'Webhooks are late.',
    rules: [
      {
        severity: 'critical',
        for: '5m',
        expr: 'max by (namespace, partition) (inlet_queue_age_seconds{lane="mail"}) > 300',
        when: 'The oldest accepted email has waited more than five minutes, and no attempt has finished',
        summary:
          'The oldest email in partition {{ $labels.partition }} has waited {{ $value | humanizeDuration }} ' +
          'for its first attempt',
        means: 'Dispatchers do not process this partition, or are far behind. Nothing is lost.',
      },
    ],
  },
  {
    name: 'InletDispatchersBehind',
    dashboard: 'inlet-delivery',
    users: 'Webhooks are late.',
    rules: [
      {
        cause: 'backlog',
        severity: 'warning',
        for: '15m',
        expr: 'max by (namespace) (inlet_dispatcher_backlog_mails) > 5000',
        when: 'More than 5,000 emails wait for their first attempt',
        summary: '{{ $value }} emails wait for their first attempt',
        means: 'Mail arrives faster than dispatchers attempt it.',
      },
      {
        cause: 'first_attempts',
        severity: 'warning',
        for: '10m',
        expr: `
          histogram_quantile(0.95,
            sum by (namespace, le) (rate(inlet_mail_to_first_attempt_seconds_bucket{paced!="true"}[10m]))) > 60`,
        when: 'Emails wait more than a minute for their first attempt (95th percentile)',
        summary: 'Emails wait {{ $value | humanizeDuration }} for their first attempt',
        means:
          'Emails that wait for their own receiver, or the share of their account, do not count.',
      },
    ],
  },
  {
    name: 'InletRetryBacklogLarge',
    dashboard: 'inlet-delivery',
    users:
      'Webhooks of these receivers are late, or end with the outcome `backlog_full`. They can be replayed ' +
      'for `REPLAY_RETENTION`.',
    rules: [
      {
        cause: 'large',
        severity: 'warning',
        for: '30m',
        expr: 'sum by (namespace) (max by (namespace, partition, state) (inlet_queue_mails{lane="retry"})) > 100000',
        when: 'More than 100,000 emails wait in the retry lane',
        summary: '{{ $value }} emails wait in the retry lane',
        means:
          'Receivers fail, or are slower than their mail arrives. Fresh mail of other addresses is not delayed.',
      },
      {
        cause: 'full',
        severity: 'warning',
        expr: 'sum by (namespace) (increase(inlet_deliveries_given_up_total{reason="backlog_full"}[15m])) > 0',
        when: 'Emails that had to wait for their receiver have failed within the last 15 minutes',
        summary: '{{ $value | humanize }} emails could not wait for their receivers, and failed',
        means:
          'The lane has `RETRY_MAX_MAILS` emails, or an account a quarter of them. Emails that ' +
          'need not wait are delivered.',
      },
    ],
  },
  {
    name: 'InletDeliveriesLost',
    dashboard: 'inlet-delivery',
    users: 'A failed delivery that cannot be replayed, and a notification `email.lost`.',
    rules: [
      {
        severity: 'critical',
        expr: 'sum by (namespace) (increase(inlet_deliveries_given_up_total{reason="lost"}[15m])) > 0',
        when: 'Deliveries have ended with the outcome `lost` within the last 15 minutes',
        summary: '{{ $value | humanize }} accepted emails are lost',
        means:
          'Their next attempt was overdue for 15 minutes, and no stream has them: NATS has lost data, or ' +
          'somebody has deleted messages or streams.',
      },
    ],
  },
  {
    name: 'InletMailNaks',
    dashboard: 'inlet-delivery',
    users: 'The webhooks of these emails are not sent.',
    rules: [
      {
        cause: 'naks',
        severity: 'warning',
        for: '20m',
        expr: 'sum by (namespace, lane) (increase(inlet_mail_nak_total[10m])) > 10',
        when: 'Dispatchers have returned emails to the stream (NAK) more than ten times in ten minutes',
        summary: 'Emails of the {{ $labels.lane }} lane are redelivered every few seconds',
        means:
          'A backend or a bug keeps them from an attempt. They wait, for `DELIVERY_LIFETIME` at most.',
      },
      {
        cause: 'secret_keys',
        severity: 'warning',
        for: '20m',
        expr: 'max by (namespace, component) (inlet_missing_secret_keys) > 0',
        when: '`SECRET_KEYS` of a process lacks a key that stored secrets were encrypted with',
        summary:
          'SECRET_KEYS of a {{ $labels.component }} lacks a key that stored secrets were encrypted with',
        means: 'Emails that need it wait. All others are delivered.',
      },
    ],
  },
  {
    name: 'InletOutcomesRefused',
    dashboard: 'inlet-delivery',
    users: 'The attempt is missing in the delivery, which keeps its former status.',
    rules: [
      {
        severity: 'warning',
        expr: 'sum by (namespace) (increase(inlet_outcomes_refused_total[15m])) > 0',
        when: 'MongoDB has refused the outcome of a webhook within the last 15 minutes',
        summary: 'MongoDB has refused outcomes of webhooks',
        means:
          'It is not down or full: it does not accept the record itself. Emails that were not accepted are ' +
          'tried again, less and less often, until their schedule is over. Then they are in the stream `FAILED`.',
      },
    ],
  },
  {
    name: 'InletMailSetAside',
    dashboard: 'inlet-delivery',
    users:
      'The receiver was not called. The owner sees a failed delivery with the reason, and is notified ' +
      '(not of `dead`).',
    rules: [
      {
        cause: 'failed',
        severity: 'warning',
        expr: 'sum by (namespace) (increase(inlet_mail_set_aside_total[15m])) > 0',
        when: 'Inlet could not process emails within the last 15 minutes, and ended them as failed',
        means: 'They are in the stream `FAILED` and can be replayed.',
      },
      {
        cause: 'dead',
        severity: 'warning',
        expr: 'max by (namespace) (inlet_stream_messages{stream="DEAD"}) > 0',
        when: 'The stream `DEAD` has messages that could not be read',
        summary: '{{ $value }} messages could not be read and are in the stream DEAD',
        means:
          'Something else published them, a stored message was damaged, or Inlet has a bug. They block no ' +
          'other email.',
      },
    ],
  },
  {
    name: 'InletWebhooksFailing',
    dashboard: 'inlet-delivery',
    users: 'Webhooks are late, or missing until they are replayed.',
    rules: [
      {
        cause: 'attempts',
        severity: 'warning',
        for: '15m',
        expr: `
          (
            sum by (namespace) (rate(inlet_webhook_attempts_total{outcome!="accepted"}[10m]))
                / sum by (namespace) (rate(inlet_webhook_attempts_total[10m])) > 0.5
              and sum by (namespace) (increase(inlet_webhook_attempts_total[10m])) > 20
          ) or (
            sum by (namespace) (rate(inlet_webhook_attempts_total{outcome!="accepted"}[6h]))
                / sum by (namespace) (rate(inlet_webhook_attempts_total[6h])) > 0.9
              and sum by (namespace) (increase(inlet_webhook_attempts_total[6h])) > 10
              and sum by (namespace) (increase(inlet_webhook_attempts_total{outcome!="accepted"}[45m])) > 0
          )`,
        when:
          'More than half of all attempts fail. In a small installation, nine of ten within six hours, one of ' +
          'them within the last 45 minutes',
        summary: '{{ $value | humanizePercentage }} of webhook attempts fail',
        means: 'So many receivers rarely fail at the same time: check our own egress first.',
      },
      {
        cause: 'deliveries',
        severity: 'warning',
        for: '15m',
        expr: `
          sum by (namespace) (rate(inlet_deliveries_total{status="failed"}[30m]))
            / sum by (namespace) (rate(inlet_deliveries_total[30m])) > 0.1
            and sum by (namespace) (increase(inlet_deliveries_total[30m])) > 20`,
        when: 'More than 10 % of the deliveries that ended within 30 minutes failed',
        summary: '{{ $value | humanizePercentage }} of deliveries fail for good',
        means:
          'Receivers returned a final status (4xx except 429), or failed through the whole retry schedule.',
      },
      {
        cause: 'slow',
        severity: 'warning',
        for: '15m',
        expr: `
          histogram_quantile(0.95,
            sum by (namespace, le) (rate(inlet_webhook_attempt_seconds_bucket{outcome="accepted"}[10m]))) > 10`,
        when: 'Accepted webhooks take more than ten seconds (95th percentile)',
        summary: 'Receivers take {{ $value | humanizeDuration }} to respond',
        means: 'Inlet spaces their emails out. At `WEBHOOK_TIMEOUT`, an attempt fails.',
      },
    ],
  },
  {
    name: 'InletAddressesUnhealthy',
    dashboard: 'inlet-delivery',
    users:
      'Owners see `is_failing` or `silent_since`, and an event `address.failing` or `address.silent`.',
    rules: [
      {
        cause: 'failing',
        severity: 'info',
        for: '10m',
        expr: 'max by (namespace) (inlet_failing_addresses{noticed="true"}) > 0',
        when:
          'The receiver of an address accepts nothing for `FAILING_AFTER`, or refuses its new secret or ' +
          'authentication',
        summary: 'The receivers of {{ $value }} addresses accept nothing',
        means: 'It is probably abandoned or misconfigured.',
      },
      {
        cause: 'silent',
        severity: 'info',
        for: '10m',
        expr: 'max by (namespace) (inlet_silent_addresses) > 0',
        when: 'An enabled live address has not got the email that it expects',
        summary: 'Expected email does not arrive at {{ $value }} addresses',
        means:
          'One: its sender. Many of a domain: its DNS. Many of all domains: Inlet or the way to it.',
      },
    ],
  },
];
