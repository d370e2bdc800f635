/** When an address counts as failing: its receiver has rejected every webhook for too long. */
import type { Attempt } from './delivery.ts';

/**
 * What attempts show about a receiver: when it last accepted a webhook, and the first failure since
 * then.
 */
export type ReceiverNews = { hasAccepted: boolean; failingSince: Date | undefined };

export function receiverNews(attempts: readonly Pick<Attempt, 'at' | 'outcome'>[]): ReceiverNews {
  const accepted = attempts
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ at }) => at.getTime());
  const lastAccepted = Math.max(-Infinity, ...accepted);
  const failed = attempts
    .filter(({ outcome, at }) => outcome !== 'accepted' && at.getTime() > lastAccepted)
    .map(({ at }) => at.getTime());
  return {
    hasAccepted: accepted.length > 0,
    failingSince: failed.length > 0 ? new Date(Math.min(...failed)) : undefined,
  };
}

export type FailureFacts = {
  failing_since: Date;
  /** The newest delivery without success; undefined when there is none. */
  last_failure_at: Date | undefined;
  is_enabled: boolean;
  /** A setting of the account. */
  disable_failing_addresses: boolean;
};

export type FailureVerdict = 'wait' | 'notice' | 'disable';

/** One old failure proves nothing: the first and the last failure must be this far apart. */
export function failureVerdict(
  { failing_since, last_failure_at, is_enabled, disable_failing_addresses }: FailureFacts,
  failingAfterMs: number,
): FailureVerdict {
  if (
    last_failure_at === undefined ||
    last_failure_at.getTime() - failing_since.getTime() < failingAfterMs
  )
    return 'wait';
  return disable_failing_addresses && is_enabled ? 'disable' : 'notice';
}
