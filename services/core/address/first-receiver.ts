/** What a change of an address changes: at its first receiver, and of the email that it expects. */
import { expectationAfter } from '../expectation.ts';
import type { AddressChange, ManagedAddress } from './address.ts';
import { webhookChanges } from './webhook-settings.ts';

type Change = Omit<AddressChange, 'signing'>;

/**
 * With the state of what it expects, and without the settings of the first receiver that are so
 * already. MongoDB compares the others.
 */
export function differingIn(
  before: ManagedAddress,
  { webhook_enabled, mode, when, format, service, auth, payload, ...change }: Change,
  now: Date,
): Change {
  const webhook = { webhook_enabled, mode, when, format, service, auth, payload };
  return {
    ...change,
    ...webhookChanges(before, webhook),
    ...expectationAfter(before, change, now),
  };
}
