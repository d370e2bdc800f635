/**
 * When an address counts as failing: its receiver has rejected every webhook for too long, or it says
 * with 410 that it wants none again (Standard Webhooks), or it refuses webhooks right after the secret
 * or the authentication changed, so that the wrong one is the likely cause (D284). Nobody should wait
 * for days to hear of the last two.
 */
import type { CredentialsChange, FailingReason } from '../receiver/failing-reason.ts';
import type { Attempt } from './delivery.ts';

/**
 * What attempts show about a receiver: whether it accepted a webhook, and the first failure and the
 * first 410 since then.
 */
export type ReceiverNews = {
  hasAccepted: boolean;
  failingSince: Date | undefined;
  goneAt: Date | undefined;
};

export function receiverNews(
  attempts: readonly Pick<Attempt, 'at' | 'outcome' | 'status_code'>[],
): ReceiverNews {
  const accepted = attempts
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ at }) => at.getTime());
  const lastAccepted = Math.max(-Infinity, ...accepted);
  const failed = attempts.filter(
    ({ outcome, at }) => outcome !== 'accepted' && at.getTime() > lastAccepted,
  );
  return {
    hasAccepted: accepted.length > 0,
    failingSince: firstOf(failed),
    goneAt: firstOf(failed.filter(({ status_code }) => status_code === GONE)),
  };
}

const GONE = 410;

const firstOf = (attempts: readonly Pick<Attempt, 'at'>[]): Date | undefined =>
  attempts.length > 0 ? new Date(Math.min(...attempts.map(({ at }) => at.getTime()))) : undefined;

export type FailureFacts = {
  failing_since: Date;
  /** The newest delivery without success; undefined when there is none. */
  last_failure_at: Date | undefined;
  is_enabled: boolean;
  /** It is marked already, because it refuses credentials. */
  is_noticed: boolean;
  /** A setting of the account. */
  disable_failing_addresses: boolean;
};

export type FailureVerdict = 'wait' | 'notice' | 'disable';

/** One old failure proves nothing: the first and the last failure must be this far apart. */
export function failureVerdict(
  {
    failing_since,
    last_failure_at,
    is_enabled,
    is_noticed,
    disable_failing_addresses,
  }: FailureFacts,
  failingAfterMs: number,
): FailureVerdict {
  if (
    last_failure_at === undefined ||
    last_failure_at.getTime() - failing_since.getTime() < failingAfterMs
  )
    return 'wait';
  if (disable_failing_addresses && is_enabled) return 'disable';
  return is_noticed ? 'wait' : 'notice';
}

const REASONS = { secret: 'secret_rotated', auth: 'auth_changed' } as const;

/** So many failed attempts in a row are not a coincidence. */
export const REFUSALS_IN_A_ROW = 3;
/** An address with little email has fewer: then the last one counts when it is this old. */
const LONG_MS = 3_600_000;
/** Email may be rare, so the first refusal may come days after the former secret's end. */
const WATCHED_MS = 7 * 86_400_000;
/** The last refusals of a receiver that began to fail at the end of the watched time count, too. */
const COUNTED_MS = 86_400_000;

/** Receivers are no longer watched if their former secret ended before this. */
export const watchedSince = (now: Date): Date => new Date(now.getTime() - WATCHED_MS - COUNTED_MS);

export type RefusalFacts = {
  failing_since: Date;
  credentials_changed?: CredentialsChange;
  /** When it responded with 410. */
  gone_at?: Date;
  /** The newest ones, in any order. */
  attempts: readonly Pick<Attempt, 'at' | 'status_code' | 'token_status'>[];
};

/** Why a receiver counts as failing now; undefined when it does not. */
export function refusalReason(
  { failing_since, credentials_changed, gone_at, attempts }: RefusalFacts,
  now: Date,
): FailingReason | undefined {
  // an earlier release ends a failure without the end of gone_at
  if (gone_at && gone_at >= failing_since) return 'gone';
  if (!credentials_changed) return undefined;
  const { what, at, until } = credentials_changed;
  const watchedUntilMs = until.getTime() + WATCHED_MS;
  if (failing_since < at || failing_since.getTime() > watchedUntilMs) return undefined;
  const last = attempts
    .filter((attempt) => attempt.at >= failing_since)
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .slice(-REFUSALS_IN_A_ROW);
  if (last.length === 0 || !last.every(refusesCredentials)) return undefined;
  const isLong = now.getTime() - failing_since.getTime() >= LONG_MS;
  return last.length === REFUSALS_IN_A_ROW || isLong ? REASONS[what] : undefined;
}

const UNAUTHORIZED = [401, 403];
/** With 400, an authorization server refuses the client, too (RFC 6749 §5.2). */
const TOKEN_REFUSED = [400, ...UNAUTHORIZED];

const refusesCredentials = ({
  status_code,
  token_status,
}: Pick<Attempt, 'status_code' | 'token_status'>): boolean =>
  token_status === undefined
    ? UNAUTHORIZED.includes(status_code ?? 0)
    : TOKEN_REFUSED.includes(token_status);
