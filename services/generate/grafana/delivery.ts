/** The dashboard about the way from the stream to receivers. */
import type { Dashboard } from './grafana.ts';
import { attempts, backlog, ended, failed, oldest, room } from './panels.ts';
import {
  of,
  ofRelease,
  perSecond,
  quantile,
  quantiles,
  queue,
  share,
  POD,
  ofPod,
} from './queries.ts';

export const delivery: Dashboard = {
  uid: 'inlet-delivery',
  title: 'Inlet: delivery',
  about: 'From the stream to the receivers: what waits, what is attempted, and what fails.',
  chooses: 'pod',
  next: { uid: 'inlet-gateway', title: 'gateway' },
  rows: {
    Queue: [
      backlog,
      oldest,
      {
        title: 'Retry lane',
        about:
          'Emails waiting for a retry or for their paced receiver, or in progress. They do not ' +
          'delay first attempts.',
        unit: 'short',
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
        about:
          'The delay that users notice. "paced": emails that waited for their own receiver, or for the share ' +
          'of their account.',
        unit: 's',
        queries: [
          ...quantiles('inlet_mail_to_first_attempt_seconds', 'paced!="true"'),
          [quantile(0.99, 'inlet_mail_to_first_attempt_seconds', 'paced="true"'), 'p99 paced'],
        ],
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
        width: 12,
        thresholds: [5, 10],
        queries: quantiles('inlet_webhook_attempt_seconds', 'outcome="accepted"'),
      },
      {
        title: 'Duration of failed attempts',
        about: 'Near WEBHOOK_TIMEOUT, receivers hang and occupy slots meanwhile.',
        unit: 's',
        width: 12,
        queries: quantiles('inlet_webhook_attempt_seconds', 'outcome!="accepted"'),
      },
    ],
    Outcomes: [
      ended,
      failed,
      {
        title: 'Failing receivers',
        about:
          'Addresses whose receiver has accepted nothing since its last failure. noticed=true: ' +
          'for longer than FAILING_AFTER.',
        unit: 'short',
        queries: [
          [`max by (noticed) (${ofRelease('inlet_failing_addresses')})`, 'noticed: {{noticed}}'],
        ],
      },
      {
        title: 'Silent and unread addresses',
        about:
          'Silent: enabled live addresses whose expected email is absent. Unread: receivers with the mode ' +
          'pull whose oldest email soon fails, because no consumer acknowledges it.',
        unit: 'short',
        queries: [
          [`max(${ofRelease('inlet_silent_addresses')})`, 'silent'],
          [`max(${ofRelease('inlet_unread_addresses')})`, 'unread'],
        ],
      },
    ],
    Dispatchers: [
      {
        title: 'Emails in progress',
        about:
          'At most MAIL_SLOTS for each dispatcher, and half as many retries. With idle CPU, more slots help.',
        unit: 'short',
        queries: [[`sum by (${POD}, lane) (${of('inlet_mail_in_progress')})`, `${ofPod} {{lane}}`]],
      },
      {
        title: 'Attempts in flight',
        about: 'Open requests to receivers.',
        unit: 'short',
        queries: [[`sum by (${POD}) (${of('inlet_webhook_in_flight')})`, ofPod]],
      },
      {
        title: 'Delayed emails',
        about:
          'Paced: their receiver is slow or failing, so they wait without occupying a slot. ' +
          'NAKs: they could not be processed, and the log gives the reason.',
        unit: 'ops',
        queries: [
          [perSecond('inlet_mail_delayed_total'), 'paced'],
          [perSecond('inlet_mail_nak_total'), 'NAKs'],
        ],
      },
      {
        title: 'Time to write outcomes to MongoDB',
        about: 'A batch of up to 200 outcomes. No slot waits for it.',
        unit: 's',
        thresholds: [0.5, 2],
        queries: quantiles('inlet_record_batch_seconds'),
      },
    ],
    Storage: [
      { ...room, width: 12 },
      {
        title: 'Bytes on the streams',
        about: 'Including mail stored for replay.',
        unit: 'bytes',
        width: 12,
        stacked: true,
        queries: [[queue('inlet_stream_bytes', 'stream'), '{{stream}}']],
      },
      {
        title: 'Delivered mail is stored for',
        about: 'Less than promised after a full stream had to make room for new mail.',
        unit: 's',
        width: 12,
        queries: [
          [`max(${ofRelease('inlet_replay_kept_seconds')})`, 'kept'],
          [`max(${ofRelease('inlet_replay_promised_seconds')})`, 'promised'],
        ],
      },
    ],
  },
};
