/** How a delivery ends without an attempt. */
import { hasNoTarget, type WebhookMode } from '../receiver/webhook-mode.ts';

/**
 * Why no webhook is sent of an email that its address accepted: the first receiver has no URL, is
 * switched off, or its filter did not let the email pass. The email is stored and read like any other.
 */
export const UNSENT = ['no_url', 'disabled', 'filtered'] as const;
export type Unsent = (typeof UNSENT)[number];

/**
 * `lost`: no stream has its message any more. `expired`: no attempt succeeded within the lifetime of
 * an email. `unread`: no consumer acknowledged it while its content was stored. `backlog_full`: too many
 * emails of its account waited already.
 */
export const FAILED_ENDS = ['lost', 'expired', 'unread', 'backlog_full'] as const;
export type FailedEnd = (typeof FAILED_ENDS)[number];

/** How a delivery ends without an attempt: as failed, or as delivered because none is to be made. */
export const ENDS = [...FAILED_ENDS, ...UNSENT] as const;
export type DeliveryEnd = (typeof ENDS)[number];

/**
 * Why no webhook is sent; undefined for one that is. A replay sends what was not sent before, if there
 * is a URL now. A release does not: the filter counts.
 */
export function unsentAs(
  { unsent }: { unsent?: Unsent | undefined },
  state: { began_at?: Date; released_at?: Date } | undefined,
  target: { webhook_url: string | null; mode?: WebhookMode | undefined } | undefined,
): Unsent | undefined {
  if (target !== undefined && hasNoTarget(target)) return 'no_url';
  if (unsent === 'no_url') return undefined; // it has a URL now
  const isReplayed =
    state?.began_at !== undefined && state.began_at.getTime() !== state.released_at?.getTime();
  return isReplayed ? undefined : unsent;
}
