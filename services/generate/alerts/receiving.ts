/** Alerts about the way of an email into the stream: SMTP, certificates, checks of its content. */
import { OUR_DEFERRALS } from './slo.ts';
import type { Alert } from './alert.ts';

export const RECEIVING: readonly Alert[] = [
  {
    name: 'InletMailDeferred',
    dashboard: 'inlet-gateway',
    users: 'Email arrives late. Some senders tell their users that the delivery is delayed.',
    rules: [
      {
        severity: 'critical',
        for: '5m',
        expr: `
          sum by (namespace) (rate(inlet_mails_refused_total{${OUR_DEFERRALS}}[5m]))
            / (sum by (namespace) (rate(inlet_mails_refused_total{${OUR_DEFERRALS}}[5m]))
              + sum by (namespace) (rate(inlet_mails_accepted_total[5m])))
            > 0.01`,
        when: 'More than 1 % of mail gets a 4xx reply for a reason on our side',
        summary:
          '{{ $value | humanizePercentage }} of mail is deferred with a 4xx reply for a reason on our side',
        means: 'Gateways cannot store or check some mail. Senders keep it and retry.',
      },
    ],
  },
  {
    name: 'InletConnectionsFull',
    dashboard: 'inlet-gateway',
    users: 'Email is delayed by some minutes. Senders retry.',
    rules: [
      {
        severity: 'warning',
        for: '5m',
        expr: 'sum by (namespace) (increase(inlet_mails_refused_total{reply="server_full"}[10m])) > 0',
        when: 'Gateways refuse connections because `MAX_CONNECTIONS` are open',
        means:
          'A gateway closes the connection that has sent no mail for the longest time (at least ten ' +
          'seconds), or else refuses the new one, with reply 421.',
      },
    ],
  },
  {
    name: 'InletNoMail',
    dashboard: 'inlet-gateway',
    users: 'Their email does not arrive. Senders get connection errors and retry.',
    rules: [
      {
        severity: 'warning',
        for: '10m',
        expr: `
          sum by (namespace) (increase(inlet_mails_accepted_total[1h])) == 0
            and sum by (namespace) (increase(inlet_mails_accepted_total[1h] offset 1d)) > 100`,
        when: 'No mail has arrived for an hour, but more than 100 emails did in the same hour yesterday',
        means:
          'Gateways are running, but mail does not reach them. On a quiet holiday this can be normal.',
      },
    ],
  },
  {
    name: 'InletStoreSlow',
    dashboard: 'inlet-gateway',
    users: 'Nothing at first. Senders wait longer for their 250.',
    rules: [
      {
        severity: 'warning',
        for: '10m',
        expr: 'histogram_quantile(0.99, sum by (namespace, le) (rate(inlet_mail_store_seconds_bucket[10m]))) > 1',
        when: 'JetStream takes more than a second to store an email (99th percentile)',
        summary: 'JetStream takes {{ $value | humanizeDuration }} to store an email',
        means:
          'Each email waits for a disk sync on a majority of the replicas. The disks, or the network between ' +
          'the nodes of NATS, are slow.',
      },
    ],
  },
  {
    name: 'InletLookupsFailing',
    dashboard: 'inlet-gateway',
    users: '`authentication` in the payload shows `temperror`. Spam scores are lower than usual.',
    rules: [
      {
        severity: 'warning',
        for: '15m',
        expr: `
          sum by (namespace) (rate(inlet_authentication_results_total{method=~"spf|dkim|dmarc",
            result="temperror"}[15m]))
            / sum by (namespace) (rate(inlet_authentication_results_total{method=~"spf|dkim|dmarc"}[15m])) > 0.2
            and sum by (namespace) (increase(inlet_authentication_results_total{method=~"spf|dkim|dmarc"}[15m])) > 60`,
        when: 'More than 20 % of SPF, DKIM and DMARC results are `temperror`',
        summary: '{{ $value | humanizePercentage }} of mail authentication results are temperror',
        means:
          'DNS does not respond within 5 seconds. Mail is accepted without a verdict about its ' +
          'sender. Addresses that refuse spam refuse less of it.',
      },
    ],
  },
  {
    name: 'InletScannersFailing',
    dashboard: 'inlet-gateway',
    users: 'In payloads, `spam.scored_by` is `inlet`, or `virus.verdict` is `error`.',
    rules: [
      {
        cause: 'rspamd',
        severity: 'warning',
        for: '15m',
        expr: `
          sum by (namespace) (rate(inlet_rspamd_seconds_count{outcome="failed"}[15m]))
            / sum by (namespace) (rate(inlet_rspamd_seconds_count[15m])) > 0.1`,
        when: 'rspamd fails for more than 10 % of mail',
        summary: 'rspamd fails for {{ $value | humanizePercentage }} of mail',
        means: 'These emails get the built-in spam score instead.',
      },
      {
        cause: 'clamd',
        severity: 'warning',
        for: '15m',
        expr: `
          sum by (namespace) (rate(inlet_virus_verdicts_total{result="error"}[15m]))
            / sum by (namespace) (rate(inlet_virus_verdicts_total[15m])) > 0.1`,
        when: 'The malware scan fails for more than 10 % of mail',
        summary: 'The malware scan fails for {{ $value | humanizePercentage }} of mail',
        means:
          'These emails are accepted without a scan, also by addresses with `refuse_infected`.',
      },
      {
        cause: 'signatures',
        severity: 'warning',
        for: '1h',
        expr: 'time() - min by (namespace) (inlet_clamd_signatures_timestamp_seconds) > 3 * 86400',
        when: 'The signatures of clamd are more than three days old',
        summary: 'The signatures of clamd are {{ $value | humanizeDuration }} old',
        means: 'Malware of the last days gets the verdict `clean`.',
      },
    ],
  },
  {
    name: 'InletContentTookTooLong',
    dashboard: 'inlet-gateway',
    users:
      'They have `parse_timeout`, `parse_out_of_memory` or `rules_timeout` in `parse_warnings`, or ' +
      '`temperror` as authentication. Other emails to the same addresses wait.',
    rules: [
      {
        severity: 'warning',
        expr: 'sum by (namespace) (increase(inlet_content_took_too_long_total[10m])) > 5',
        when: 'More than five emails in ten minutes used up the CPU time or memory of the thread that read them',
        summary: '{{ $value | humanize }} emails in ten minutes took too long to read',
        means:
          'Ordinary emails take milliseconds, so somebody may be sending emails that are made to be slow.',
      },
    ],
  },
  {
    name: 'InletContentThreadNotReady',
    dashboard: 'inlet-gateway',
    users: 'Nothing while other gateways are ready. Then senders cannot connect, and retry.',
    rules: [
      {
        severity: 'critical',
        for: '5m',
        expr: 'min by (namespace, instance, lane) (inlet_content_thread_ready) == 0',
        when: 'A gateway has no thread that can read emails in one of its two lanes',
        summary: 'Gateway {{ $labels.instance }} cannot read emails in the {{ $labels.lane }} lane',
        means:
          'The thread does not start, or is replaced all the time. The gateway gets no new connections.',
      },
    ],
  },
  {
    name: 'InletCertificateNotRenewed',
    dashboard: 'inlet-gateway',
    users:
      'Nothing before it expires. Then some email is delayed and bounces, and API requests fail.',
    rules: [
      {
        cause: 'expires_soon',
        severity: 'warning',
        for: '1h',
        expr: 'min by (namespace, component) (inlet_tls_certificate_expiry_timestamp_seconds) - time() < 14 * 86400',
        when: 'The certificate for STARTTLS or of the API expires in less than 14 days',
        summary:
          'The certificate of {{ $labels.component }} expires in {{ $value | humanizeDuration }}',
        means: 'By now it should have been renewed.',
      },
      {
        cause: 'almost_expired',
        severity: 'critical',
        expr: 'min by (namespace, component) (inlet_tls_certificate_expiry_timestamp_seconds) - time() < 2 * 86400',
        when: 'It expires in less than two days, or has expired',
        summary:
          'The certificate of {{ $labels.component }} expires in {{ $value | humanizeDuration }}',
        means:
          'Senders that verify it (MTA-STS, DANE) then deliver no mail, and API clients do not connect.',
      },
      {
        cause: 'not_reloaded',
        severity: 'warning',
        expr: 'sum by (namespace, component) (increase(inlet_tls_reload_failures_total[15m])) > 0',
        when: 'A changed certificate could not be loaded within the last 15 minutes',
        summary: 'A renewed certificate of {{ $labels.component }} could not be loaded',
        means: 'The process still serves the previous one.',
      },
    ],
  },
];
