/** A change of an address as one of its first receiver. */
import type { AddressChange, ManagedAddress } from './address.ts';
import { webhookChanges } from './webhook-settings.ts';

type Change = Omit<AddressChange, 'signing'>;

/** A change without the settings of the first receiver that are so already. MongoDB compares the others. */
export function differingIn(
  before: ManagedAddress,
  { webhook_enabled, mode, when, format, service, auth, payload, ...change }: Change,
): Change {
  const webhook = { webhook_enabled, mode, when, format, service, auth, payload };
  return { ...change, ...webhookChanges(before, webhook) };
}
