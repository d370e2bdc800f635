/** What custom resources say about receivers that fail. */
import type { Address } from '../address/address.ts';
import { type FailingReason, shownReason } from '../receiver/failing-reason.ts';

/**
 * Inlet disables an address that has failed for too long, if the account asks for it. Only an edit
 * of the resource enables it again.
 */
export const isDisabledAsFailing = ({
  is_enabled,
  failing_noticed_at,
}: Pick<Address, 'is_enabled' | 'failing_noticed_at'>) =>
  !is_enabled && failing_noticed_at !== undefined;

/** Why a receiver counts as failing. */
export const failureOf = (record: Parameters<typeof shownReason>[0]): string => {
  const reason = shownReason(record);
  return reason === null ? 'has accepted nothing for too long' : REFUSES[reason];
};

const REFUSES: Record<FailingReason, string> = {
  secret_rotated: 'has responded with 401 or 403 since its webhook secret was rotated',
  auth_changed: 'has refused the authentication since that changed',
  gone: 'has responded with 410 Gone',
};
