/**
 * All metrics of the gateway except the queue's. The label `reply` has the names in
 * core/smtp/smtp-reply.ts.
 */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

import { createAccountLabels } from '../adapters/process/account-labels.ts';
import {
  outOfMemory,
  queueFull,
  serverFull,
  type SmtpReply,
  tryLater,
} from '../core/smtp/smtp-reply.ts';
import type { Spam } from '../core/mail/spam.ts';

type AuthenticationMethod = 'spf' | 'dkim' | 'dmarc' | 'arc' | 'iprev';

/** What was refused: a connection, a command or an email. */
export type RefusedCommand = 'connect' | 'mail' | 'rcpt' | 'data' | 'other';
export type CountRefused = (command: RefusedCommand, reply: SmtpReply) => void;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Refusals that report a problem of Inlet, not of the sender. */
const OWN_PROBLEMS: readonly [RefusedCommand, SmtpReply][] = [
  ['rcpt', tryLater],
  ['data', tryLater],
  ['data', queueFull],
  ['data', outOfMemory],
  ['connect', serverFull],
];

type Options = {
  openConnections: () => number;
  /** Sources that the limits currently count. */
  trackedSources: () => number;
  /** Accounts with a label of their own. */
  namedAccounts: number;
};

export function createGatewayMetrics(
  registry: Registry,
  { openConnections, trackedSources, namedAccounts }: Options,
) {
  const registers = [registry];
  const accepted = new Counter({
    name: 'inlet_mails_accepted_total',
    help: 'emails accepted with 250',
    registers,
  });
  const events = new Counter({
    name: 'inlet_events_stored_total',
    help: 'events stored on the stream, one per recipient',
    registers,
  });
  const repeats = new Counter({
    name: 'inlet_events_folded_total',
    help: 'events folded into an earlier one because the sender repeated the email',
    registers,
  });
  const bytes = new Counter({
    name: 'inlet_mail_bytes_total',
    help: 'raw bytes of accepted emails',
    registers,
  });
  const refused = new Counter({
    name: 'inlet_mails_refused_total',
    help: 'refusals by command and reply',
    labelNames: ['command', 'reply', 'code'],
    registers,
  });
  for (const [command, { name: reply, code }] of OWN_PROBLEMS)
    // an alert sees the first one only as an increase from 0
    refused.inc({ command, reply, code }, 0);
  const abandoned = new Counter({
    name: 'inlet_mails_abandoned_total',
    help: 'emails whose sender disconnected during DATA',
    registers,
  });
  const bareLineEnds = new Counter({
    name: 'inlet_mails_with_bare_line_ends_total',
    help: 'accepted emails that contain a bare CR or LF',
    registers,
  });
  const parseSeconds = new Histogram({
    name: 'inlet_mail_parse_seconds',
    help: 'time to parse an email',
    buckets: SECONDS,
    registers,
  });
  const storeSeconds = new Histogram({
    name: 'inlet_mail_store_seconds',
    help: 'time to store an event on disk',
    buckets: SECONDS,
    registers,
  });
  const acceptSeconds = new Histogram({
    name: 'inlet_mail_accept_seconds',
    help: 'time from the end of DATA to the reply 250',
    buckets: SECONDS,
    registers,
  });
  const accountMails = new Counter({
    name: 'inlet_account_mails_total',
    help: 'events stored, by account, for the busiest accounts',
    labelNames: ['account'],
    registers,
  });
  const accountBytes = new Counter({
    name: 'inlet_account_mail_bytes_total',
    help: 'raw bytes of the emails of these events',
    labelNames: ['account'],
    registers,
  });
  const accounts = createAccountLabels({
    limit: namedAccounts,
    now: Date.now,
    onGained: () => undefined, // both counters start with the first email
    onLost: (account) => {
      accountMails.remove({ account });
      accountBytes.remove({ account });
    },
  });
  new Gauge({
    name: 'inlet_smtp_connections',
    help: 'open SMTP connections',
    registers,
    collect: function collectConnections() {
      this.set(openConnections());
    },
  });
  new Gauge({
    name: 'inlet_smtp_tracked_sources',
    help: 'sources (IPv4 addresses and IPv6 /64 networks) that the limits currently count',
    registers,
    collect: function collectTrackedSources() {
      this.set(trackedSources());
    },
  });
  const authentication = new Counter({
    name: 'inlet_authentication_results_total',
    help: 'results of SPF, DKIM, DMARC, ARC and reverse DNS (iprev)',
    labelNames: ['method', 'result'],
    registers,
  });
  const authenticationSeconds = new Histogram({
    name: 'inlet_authentication_seconds',
    help: 'time to authenticate an email, DNS lookups included',
    buckets: SECONDS,
    registers,
  });
  const rspamdSeconds = new Histogram({
    name: 'inlet_rspamd_seconds',
    help: 'time until rspamd answered or failed',
    labelNames: ['outcome'],
    buckets: SECONDS,
    registers,
  });
  const verdicts = new Counter({
    name: 'inlet_spam_verdicts_total',
    help: 'emails by scorer and verdict',
    labelNames: ['kind', 'result'],
    registers,
  });
  const blocklists = new Counter({
    name: 'inlet_blocklist_lookups_total',
    help: 'lookups of sources in DNS blocklists',
    labelNames: ['blocklist', 'result'],
    registers,
  });
  return {
    accepted(rawBytes: number, durationMs: number) {
      accepted.inc();
      bytes.inc(rawBytes);
      acceptSeconds.observe(durationMs / 1000);
    },
    stored({
      isRepeat,
      accountId,
      rawBytes,
    }: {
      isRepeat: boolean;
      accountId: string;
      rawBytes: number;
    }) {
      if (isRepeat) return repeats.inc();
      const account = accounts.of(accountId);
      events.inc();
      accountMails.inc({ account });
      accountBytes.inc({ account }, rawBytes);
    },
    refused: (command: RefusedCommand, reply: SmtpReply) =>
      refused.inc({ command, reply: reply.name, code: reply.code }),
    abandoned: () => abandoned.inc(),
    bareLineEnds: () => bareLineEnds.inc(),
    blocklistAnswered: (blocklist: string, result: 'listed' | 'not_listed' | 'failed') =>
      blocklists.inc({ blocklist, result }),
    authenticated(results: Record<AuthenticationMethod, string>, durationMs: number) {
      for (const [method, result] of Object.entries(results))
        authentication.inc({ method, result });
      authenticationSeconds.observe(durationMs / 1000);
    },
    rspamdAnswered: (outcome: 'answered' | 'failed', durationMs: number) =>
      rspamdSeconds.observe({ outcome }, durationMs / 1000),
    judged: ({ scored_by, verdict }: Pick<Spam, 'scored_by' | 'verdict'>) =>
      verdicts.inc({ kind: scored_by, result: verdict }),
    parsed: (durationMs: number) => parseSeconds.observe(durationMs / 1000),
    durablyStored: (durationMs: number) => storeSeconds.observe(durationMs / 1000),
  };
}
export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
