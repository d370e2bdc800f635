/** When an address counts as failing: its receiver has accepted nothing for too long, though there was something to accept. */
import type { Attempt } from './delivery.ts';

/** What attempts say of a receiver: whether it accepted anything, and when the first failure after that began. */
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
  /** Of the newest delivery that is not delivered; undefined without one. */
  last_failure_at: Date | undefined;
  is_enabled: boolean;
  /** What the account asks for. */
  disable_failing_addresses: boolean;
};

export type FailureVerdict = 'wait' | 'notice' | 'disable';

/** A single failure long ago says little: between the first and the last one there must be the whole time. */
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
