/** Causes in Inlet: receiving, queues, stuck emails, and receivers. */
import { QUEUE_AGE_MAX_SECONDS } from '../cluster/status.ts';
import { type Cause, counted, runbook, when } from './cause.ts';
import { type Facts, gained, greatest, samples } from './facts.ts';

const STORE_SECONDS = 1;
const BACKLOG_MAILS = 5_000;

/** Emails that were refused with one of these replies while the pods were asked. */
const refused = (facts: Facts, ...replies: string[]): number =>
  replies.reduce((sum, reply) => sum + gained(facts, 'inlet_mails_refused_total', { reply }), 0);

/** The mean of a histogram while the pods were asked, in seconds; 0 without a new value. */
function mean(facts: Facts, metric: string): number {
  const count = gained(facts, `${metric}_count`);
  return count === 0 ? 0 : gained(facts, `${metric}_sum`) / count;
}

export const EMAIL_CAUSES: readonly Cause[] = [
  {
    id: 'content-thread',
    area: 'receiving',
    weight: 79,
    page: runbook('InletContentThreadNotReady'),
    signs: (facts) =>
      samples(facts, 'inlet_content_thread_ready')
        .filter(({ value }) => value === 0)
        .map(({ pod, labels }) => `pod ${pod.name} cannot read emails in the ${labels.lane} lane`),
    explains: ['unready', 'mail-deferred'],
  },
  {
    id: 'queue-full',
    area: 'receiving',
    weight: 78,
    page: runbook('InletQueueFull'),
    signs: (facts) => {
      const count = refused(facts, 'queue_full');
      return when(count > 0, `emails refused because the queue is full: ${count}`);
    },
    explains: ['mail-deferred'],
  },
  {
    id: 'connections-full',
    area: 'receiving',
    weight: 66,
    page: runbook('InletConnectionsFull'),
    signs: (facts) => {
      const count = refused(facts, 'server_full');
      return when(count > 0, `connections refused because MAX_CONNECTIONS are open: ${count}`);
    },
  },
  {
    id: 'mail-deferred',
    area: 'receiving',
    weight: 62,
    page: runbook('InletMailDeferred'),
    signs: (facts) => {
      const count = refused(facts, 'try_later', 'out_of_memory');
      return when(count > 0, `emails deferred for a reason on our side: ${count}`);
    },
  },
  {
    id: 'store-slow',
    area: 'receiving',
    weight: 61,
    page: runbook('InletStoreSlow'),
    signs: (facts) => {
      const seconds = mean(facts, 'inlet_mail_store_seconds');
      return when(seconds > STORE_SECONDS, `JetStream takes ${seconds.toFixed(1)} s for an email`);
    },
    explains: ['mail-deferred'],
  },
  counted(
    'rspamd',
    'inlet_rspamd_seconds_count',
    { outcome: 'failed' },
    {
      area: 'receiving',
      weight: 38,
      page: runbook('InletRspamdFailing'),
      what: 'emails that rspamd did not judge',
    },
  ),
  counted(
    'virus-scan',
    'inlet_virus_verdicts_total',
    { result: 'error' },
    {
      area: 'receiving',
      weight: 39,
      page: runbook('InletVirusScanFailing'),
      what: 'emails without a scan for malware',
    },
  ),
  {
    id: 'queue-old',
    area: 'queues',
    weight: 58,
    page: runbook('InletQueueOld'),
    signs: (facts) => {
      const seconds = Math.round(greatest(facts, 'inlet_queue_age_seconds', { lane: 'mail' }));
      return when(
        seconds > QUEUE_AGE_MAX_SECONDS,
        `the oldest email has waited for ${seconds} s for its first attempt`,
      );
    },
    explains: ['backlog'],
  },
  {
    id: 'backlog',
    area: 'queues',
    weight: 56,
    page: runbook('InletBacklogLarge'),
    signs: (facts) => {
      const mails = greatest(facts, 'inlet_dispatcher_backlog_mails');
      return when(mails > BACKLOG_MAILS, `${mails} emails wait for their first attempt`);
    },
  },
  counted(
    'lost',
    'inlet_deliveries_given_up_total',
    { reason: 'lost' },
    {
      area: 'stuck emails',
      weight: 72,
      page: runbook('InletDeliveriesLost'),
      what: 'deliveries ended because their email is in no stream',
    },
  ),
  counted(
    'backlog-full',
    'inlet_deliveries_given_up_total',
    { reason: 'backlog_full' },
    {
      area: 'stuck emails',
      weight: 71,
      page: runbook('InletBacklogFull'),
      what: 'deliveries ended because their receiver has too many emails waiting',
    },
  ),
  counted(
    'outcomes-refused',
    'inlet_outcomes_refused_total',
    {},
    {
      area: 'stuck emails',
      weight: 69,
      page: runbook('InletOutcomesRefused'),
      what: 'outcomes that MongoDB refused',
    },
  ),
  counted(
    'set-aside',
    'inlet_mail_set_aside_total',
    {},
    {
      area: 'stuck emails',
      weight: 68,
      page: runbook('InletMailSetAside'),
      what: 'emails that Inlet cannot process',
    },
  ),
  counted(
    'naks',
    'inlet_mail_nak_total',
    {},
    {
      area: 'stuck emails',
      weight: 57,
      page: runbook('InletMailNaks'),
      what: 'emails that wait because of an error inside Inlet',
    },
  ),
  counted(
    'stuck',
    'inlet_deliveries_requeued_total',
    {},
    {
      area: 'stuck emails',
      weight: 55,
      page: runbook('InletFirstAttemptsLate'),
      what: 'deliveries that were overdue by 15 minutes, and were queued again',
    },
  ),
  {
    id: 'dead-letters',
    area: 'stuck emails',
    weight: 36,
    page: runbook('InletDeadLetters'),
    signs: (facts) => {
      const count = greatest(facts, 'inlet_stream_messages', { stream: 'DEAD' });
      return when(count > 0, `${count} messages could not be read`);
    },
  },
  {
    id: 'addresses-failing',
    area: 'receivers',
    weight: 49,
    page: runbook('InletAddressesFailing'),
    signs: (facts) => {
      const count = greatest(facts, 'inlet_failing_addresses', { noticed: 'true' });
      return when(count > 0, `${count} addresses have a receiver that has failed for long`);
    },
    explains: ['backlog-full'],
  },
];
