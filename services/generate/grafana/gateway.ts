/** The dashboard about SMTP. */
import type { Dashboard } from './grafana.ts';
import { deferred, refused } from './panels.ts';
import { of, perSecond, quantiles, POD, ofPod } from './queries.ts';

export const gateway: Dashboard = {
  uid: 'inlet-gateway',
  title: 'Inlet: gateway',
  about: 'SMTP: who may connect, what is refused, and how long senders wait.',
  chooses: 'pod',
  next: { uid: 'inlet-tenants', title: 'tenants' },
  rows: {
    Mail: [
      {
        title: 'Accepted emails',
        about: 'Emails that got a 250, by gateway.',
        unit: 'ops',
        stacked: true,
        queries: [[perSecond('inlet_mails_accepted_total', POD), ofPod]],
      },
      {
        title: 'Accepted bytes',
        about: 'Raw size of the emails.',
        unit: 'Bps',
        queries: [[perSecond('inlet_mail_bytes_total'), 'bytes']],
      },
      {
        title: 'Events',
        about:
          'Stored: one for each recipient. Folded: the sender repeated an email because our 250 was lost or late.',
        unit: 'ops',
        queries: [
          [perSecond('inlet_events_stored_total'), 'stored'],
          [perSecond('inlet_events_folded_total'), 'folded'],
        ],
      },
    ],
    Refusals: [
      { ...refused, width: 12 },
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
        width: 12,
        queries: quantiles('inlet_mail_parse_seconds'),
      },
      {
        title: 'Time to decide about a recipient',
        about: 'RCPT waits for it. Known recipients come from a cache.',
        unit: 's',
        width: 12,
        thresholds: [0.25, 1],
        queries: quantiles('inlet_smtp_rcpt_seconds'),
      },
      {
        title: 'Time to store an email',
        about: 'Until JetStream has it on disk. The sender waits for this.',
        unit: 's',
        width: 12,
        thresholds: [0.25, 1],
        queries: quantiles('inlet_mail_store_seconds'),
      },
    ],
    Verdicts: [
      {
        title: 'Authentication results',
        about: 'SPF, DKIM, DMARC, ARC and reverse DNS. temperror: DNS did not respond in time.',
        emptyWhen: 'MAIL_AUTH is off',
        unit: 'ops',
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
        stacked: true,
        queries: [[perSecond('inlet_spam_verdicts_total', 'kind, result'), '{{kind}} {{result}}']],
      },
      {
        title: 'rspamd',
        about: 'Time until rspamd responded or failed.',
        emptyWhen: 'RSPAMD_URL is not set',
        unit: 's',
        queries: quantiles('inlet_rspamd_seconds'),
      },
    ],
    Threads: [
      {
        title: 'Emails that took too long',
        about: 'They used up the CPU time or memory of their thread, by lane and stage.',
        unit: 'ops',
        stacked: true,
        queries: [
          [
            perSecond('inlet_content_took_too_long_total', 'lane, stage, reason'),
            '{{lane}} {{stage}} {{reason}}',
          ],
        ],
      },
      {
        title: 'Emails in the threads',
        about: 'By lane. Small emails never wait for large ones.',
        unit: 'short',
        queries: [[`sum by (lane) (${of('inlet_content_mails')})`, '{{lane}}']],
      },
    ],
    Malware: [
      {
        title: 'Malware verdicts',
        about: 'By scanner. error: it did not answer in time.',
        emptyWhen: 'there is no scanner (CLAMD, or the antivirus module of rspamd)',
        unit: 'ops',
        stacked: true,
        queries: [[perSecond('inlet_virus_verdicts_total', 'kind, result'), '{{kind}} {{result}}']],
      },
      {
        title: 'clamd',
        about: 'Time until clamd answered or failed.',
        emptyWhen: 'CLAMD is not set',
        unit: 's',
        queries: quantiles('inlet_clamd_seconds'),
      },
      {
        title: 'Age of signatures',
        about: 'Since the signatures of clamd were built.',
        emptyWhen: 'CLAMD is not set, or clamd does not answer',
        unit: 's',
        kind: 'stat',
        thresholds: [2 * 86_400, 3 * 86_400],
        queries: [
          [`time() - min(${of('inlet_clamd_signatures_timestamp_seconds')})`, 'signatures'],
        ],
      },
    ],
    Connections: [
      {
        title: 'Open connections',
        about: 'At most MAX_CONNECTIONS for each gateway. Further connections get 421.',
        unit: 'short',
        queries: [[`sum by (${POD}) (${of('inlet_smtp_connections')})`, ofPod]],
      },
      {
        title: 'Connections that ended badly',
        about:
          'By reason. tls_failed: within a TLS handshake. lost_in_data: the client left during DATA, ' +
          'and will retry. The log line connection.ended has the address.',
        emptyWhen: 'no connection has ended badly',
        unit: 'ops',
        stacked: true,
        queries: [
          [
            perSecond(
              'inlet_smtp_connections_ended_total',
              'reason',
              'reason!~"quit|left|silent|shutting_down"',
            ),
            '{{reason}}',
          ],
        ],
      },
    ],
    Protection: [
      {
        title: 'Tracked sources',
        about:
          'Source networks whose connections, messages or unknown recipients count towards a limit.',
        unit: 'short',
        queries: [[`sum by (${POD}) (${of('inlet_smtp_tracked_sources')})`, ofPod]],
      },
      {
        title: 'Blocklists',
        about: 'Results by list. If a lookup fails, the mail is accepted.',
        emptyWhen: 'DNSBL_ZONES is not set',
        unit: 'ops',
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
          'expires.',
        emptyWhen: 'no process has a certificate',
        unit: 's',
        kind: 'stat',
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
};
