/** The first receiver of an address: its settings are those of the address. */
import type { ReceiverChange } from '../receiver/receiver.ts';
import { type Address, type AddressChange, isExpired } from './address.ts';
import { SPEC_PAYLOAD } from '../receiver/payload-settings.ts';

export const firstReceiver = (address: Address, now: Date) => ({
  ...address,
  address_id: address.id,
  url: address.webhook_url,
  is_enabled: address.webhook_enabled && address.is_enabled && !isExpired(address, now), // D7
  payload: address.payload ?? SPEC_PAYLOAD,
});

/** What a change of the first receiver means for its address. */
export const firstReceiverChange = ({
  url,
  is_enabled,
  ...change
}: ReceiverChange): AddressChange => ({
  ...change,
  ...(url !== undefined && { webhook_url: url }),
  ...(is_enabled !== undefined && { webhook_enabled: is_enabled }),
});
