/**
 * All metrics of the gateway except the queue's. The label `reply` has the names in
 * core/smtp/smtp-reply.ts, and the label `reason` those and a few in core/smtp/connection-end.ts.
 */
import { createAccountLabels } from '../../adapters/process/account-labels.ts';
import { ANY, type Meter } from '../../adapters/process/meter.ts';
import {
  outOfMemory,
  queueFull,
  serverFull,
  type SmtpReply,
  tryLater,
} from '../../core/smtp/smtp-reply.ts';
import type { HookAnswer } from '../../core/decision/hook-answer.ts';
import type { Ruling } from '../../core/delivery/ruling.ts';
import type { Spam } from '../../core/mail/spam.ts';
import { type Stage, STAGES } from './stage.ts';
import type { Virus } from '../../core/mail/virus.ts';

type AuthenticationMethod = 'spf' | 'dkim' | 'dmarc' | 'arc' | 'iprev';

/** A connection, a command or an email can be refused. */
export type RefusedCommand = 'connect' | 'mail' | 'rcpt' | 'data' | 'other';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Refusals that report a problem of Inlet, not of the sender. */
const OWN_PROBLEMS: readonly [RefusedCommand, SmtpReply][] = [
  ['rcpt', tryLater],
  ['data', tryLater],
  ['data', queueFull],
  ['data', outOfMemory],
  ['connect', serverFull],
];

const LANES = ['small', 'large'] as const;
type LaneName = (typeof LANES)[number];
type LaneState = { name: LaneName; isReady: () => boolean; inFlight: () => number };
const ENDS = ['timeout', 'memory', 'fault'] as const;
type ThreadEnd = (typeof ENDS)[number];

type Options = {
  openConnections: () => number;
  /** Sources that the limits currently count. */
  trackedSources: () => number;
  /** Accounts with a label of their own. */
  namedAccounts: number;
  hasClamd: boolean;
  /** When clamd's signatures were built; undefined without clamd. */
  signaturesBuiltAt: () => Promise<Date | undefined>;
};

export function createGatewayMetrics(
  { counter, gauge, histogram }: Meter,
  { openConnections, trackedSources, namedAccounts, hasClamd, signaturesBuiltAt }: Options,
) {
  const accepted = counter('inlet_mails_accepted_total', 'emails accepted with 250', {});
  const events = counter(
    'inlet_events_stored_total',
    'events stored on the stream, one per recipient',
    {},
  );
  const repeats = counter(
    'inlet_events_folded_total',
    'events folded into an earlier one because the sender repeated the email',
    {},
  );
  const bytes = counter('inlet_mail_bytes_total', 'raw bytes of accepted emails', {});
  const refused = counter('inlet_mails_refused_total', 'refusals by command and reply', {
    command: ANY,
    reply: ANY,
    code: ANY,
  });
  for (const [command, { name: reply, code }] of OWN_PROBLEMS)
    refused.begin({ command, reply, code }); // an alert sees the first one only as an increase
  const unrecorded = counter(
    'inlet_refusals_unrecorded_total',
    'refusals of accounts that got no record, because there was no room or MongoDB did not answer',
    {},
  );
  const ended = counter(
    'inlet_smtp_connections_ended_total',
    'connections that ended, by why and by their TLS: the version, none, not_offered or failed',
    { reason: ANY, tls: ANY },
  );
  const bareLineEnds = counter(
    'inlet_mails_with_bare_line_ends_total',
    'accepted emails that contain a bare CR or LF',
    {},
  );
  const rcptSeconds = histogram(
    'inlet_smtp_rcpt_seconds',
    'time to decide about a recipient: RCPT waits for it',
    {},
    SECONDS,
  );
  const parseSeconds = histogram('inlet_mail_parse_seconds', 'time to parse an email', {}, SECONDS);
  const storeSeconds = histogram(
    'inlet_mail_store_seconds',
    'time to store an event on disk',
    {},
    SECONDS,
  );
  const acceptSeconds = histogram(
    'inlet_mail_accept_seconds',
    'time from the end of DATA to the reply 250',
    {},
    SECONDS,
  );
  const accountMails = counter(
    'inlet_account_mails_total',
    'events stored, by account, for the busiest accounts',
    { account: ANY },
  );
  const accountBytes = counter(
    'inlet_account_mail_bytes_total',
    'raw bytes of the emails of these events',
    { account: ANY },
  );
  const accountRefused = counter(
    'inlet_account_refused_total',
    'emails for an address that were refused, by account, for the busiest accounts',
    { account: ANY },
  );
  const accounts = createAccountLabels({
    limit: namedAccounts,
    now: Date.now,
    onGained: () => undefined, // the counters start with the first email
    onLost: (account) => {
      accountMails.end({ account });
      accountBytes.end({ account });
      accountRefused.end({ account });
    },
  });
  gauge('inlet_smtp_connections', 'open SMTP connections', {}, (set) => set({}, openConnections()));
  gauge(
    'inlet_smtp_tracked_sources',
    'sources (IPv4 addresses and IPv6 /64 networks) that the limits currently count',
    {},
    (set) => set({}, trackedSources()),
  );
  const authentication = counter(
    'inlet_authentication_results_total',
    'results of SPF, DKIM, DMARC, ARC and reverse DNS (iprev)',
    { method: ANY, result: ANY },
  );
  const authenticationSeconds = histogram(
    'inlet_authentication_seconds',
    'time to authenticate an email, DNS lookups included',
    {},
    SECONDS,
  );
  const rspamdSeconds = histogram(
    'inlet_rspamd_seconds',
    'time until rspamd answered or failed',
    { outcome: ANY },
    SECONDS,
  );
  const verdicts = counter('inlet_spam_verdicts_total', 'emails by scorer and verdict', {
    kind: ANY,
    result: ANY,
  });
  const clamdSeconds = histogram(
    'inlet_clamd_seconds',
    'time until clamd answered or failed, for emails and for attachments of infected ones',
    { outcome: ANY },
    SECONDS,
  );
  const viruses = counter('inlet_virus_verdicts_total', 'emails by scanner and verdict', {
    kind: ANY,
    result: ANY,
  });
  if (hasClamd) viruses.begin({ kind: 'clamd', result: 'error' }); // as for the refusals above
  gauge(
    'inlet_clamd_signatures_timestamp_seconds',
    'when the signatures of clamd were built, in Unix time; absent while clamd does not answer',
    {},
    async (set) => {
      const builtAt = await signaturesBuiltAt().catch(() => undefined);
      if (builtAt) set({}, builtAt.getTime() / 1000);
    },
  );
  const filterErrors = counter(
    'inlet_filter_errors_total',
    'filters of receivers that failed on an email: they counted as true, or held it for lack of time',
    {},
  );
  const ruled = counter(
    'inlet_ruled_mails_total',
    'emails that rules held or dropped, or that they delivered, for each recipient with rules',
    { outcome: ['hold', 'drop', 'deliver'] },
  );
  const hookSeconds = histogram(
    'inlet_hook_seconds',
    'time that a deciding hook took, by its decision; failed: it gave none, so on_error decided',
    { outcome: ['accept', 'refuse', 'defer', 'hold', 'drop', 'failed'] },
    SECONDS,
  );
  const ruleErrors = counter(
    'inlet_rule_errors_total',
    'rules that failed on an email: they did nothing, or held it for lack of time',
    {},
  );
  const blocklists = counter(
    'inlet_blocklist_lookups_total',
    'lookups of sources in DNS blocklists',
    { blocklist: ANY, result: ANY },
  );
  const tookTooLong = counter(
    'inlet_content_took_too_long_total',
    'emails that used up the CPU time or memory of their thread: in the small lane they are handled ' +
      'again in the large one, there without what took too long',
    { lane: LANES, stage: STAGES, reason: ENDS },
  );
  const replaced = counter(
    'inlet_content_threads_replaced_total',
    'threads that read emails and were replaced, because an email held them or they failed',
    { lane: LANES, reason: ENDS },
  );
  let lanes: (() => readonly LaneState[]) | undefined;
  gauge('inlet_content_mails', 'emails that the threads handle', { lane: LANES }, (set) => {
    for (const { name: lane, inFlight } of lanes?.() ?? []) set({ lane }, inFlight());
  });
  gauge(
    'inlet_content_thread_ready',
    '1 while the thread of the lane can handle emails; the gateway is not ready without it',
    { lane: LANES },
    (set) => {
      for (const { name: lane, isReady } of lanes?.() ?? []) set({ lane }, isReady() ? 1 : 0);
    },
  );
  return {
    watchContentLanes(read: () => readonly LaneState[]) {
      lanes = read;
    },
    contentTookTooLong: (lane: LaneName, stage: Stage, reason: ThreadEnd) =>
      tookTooLong.inc({ lane, stage, reason }),
    contentThreadReplaced: (lane: LaneName, reason: ThreadEnd) => replaced.inc({ lane, reason }),
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
    refusedAt: (accountId: string) => accountRefused.inc({ account: accounts.of(accountId) }),
    refusalsUnrecorded: (count: number) => unrecorded.inc(count),
    connectionEnded: (reason: string, tls: string) => ended.inc({ reason, tls }),
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
    clamdAnswered: (outcome: 'answered' | 'failed', durationMs: number) =>
      clamdSeconds.observe({ outcome }, durationMs / 1000),
    virusJudged: ({ scanner, verdict }: Pick<Virus, 'scanner' | 'verdict'>) =>
      viruses.inc({ kind: scanner, result: verdict }),
    filterFailed: () => filterErrors.inc(),
    ruled(rulings: readonly Ruling[]) {
      for (const { action, rules, hook } of rulings) {
        const ofUsers = rules.filter(({ is_built_in: isBuiltIn }) => !isBuiltIn);
        if (action ?? hook ?? ofUsers.length > 0) ruled.inc({ outcome: action ?? 'deliver' });
        for (const { result } of ofUsers) if (result === 'failed') ruleErrors.inc();
      }
    },
    hookAsked: ({ decision, error, durationMs }: HookAnswer) =>
      hookSeconds.observe({ outcome: error === null ? decision : 'failed' }, durationMs / 1000),
    recipientDecided: (durationMs: number) => rcptSeconds.observe(durationMs / 1000),
    parsed: (durationMs: number) => parseSeconds.observe(durationMs / 1000),
    durablyStored: (durationMs: number) => storeSeconds.observe(durationMs / 1000),
  };
}
export type GatewayMetrics = ReturnType<typeof createGatewayMetrics>;
