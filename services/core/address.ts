/** An inbound address: what is stored, what the API shows of it (spec 2.1) and what a request may say about it (spec 4.1). */
import { z } from 'zod';

import { Timestamp, timestamp } from './timestamp.ts';

/** Live and test tokens see two separate worlds of one account (D11). */
export const Environment = z.enum(['live', 'test']);
export type Environment = z.infer<typeof Environment>;

/** An address as the services know it; `webhook_secret` is in clear only in memory. */
export type Address = {
  id: string;
  account_id: string;
  environment: Environment;
  /** Normalised: see email-address.ts. */
  address: string;
  webhook_url: string;
  webhook_secret: string;
  is_enabled: boolean;
  is_permanent: boolean;
  /** null for permanent addresses */
  expires_at: Date | null;
  email_count: number;
  description: string | null;
  created_at: Date;
  updated_at: Date;
  /** Set on deletion: the address refuses mail and is unseen, but delivers what it accepted before (D8). */
  deleted_at: Date | null;
};

export const DESCRIPTION_MAX_CHARS = 500; // D9
export const WEBHOOK_URL_MAX_CHARS = 2048; // D9
export const TTL_MAX_HOURS = 8760; // D6

/** Address object of spec 2.1, as create, get and update return it. */
export const AddressView = z.object({
  id: z.string(),
  address: z.string().describe('the receiving email address'),
  webhook_url: z.string(),
  webhook_secret: z.string().describe('signs the webhooks of this address; prefix whsec_'),
  is_enabled: z.boolean(),
  is_permanent: z.boolean().describe('true when the address never expires'),
  expires_at: Timestamp.nullable().describe('null for permanent addresses'),
  email_count: z.int().describe('emails received by this address'),
  description: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type AddressView = z.infer<typeof AddressView>;

/** List item of spec 2.1: no secret. */
export const AddressListItem = AddressView.pick({
  id: true, address: true, webhook_url: true, is_enabled: true, is_permanent: true, email_count: true, created_at: true,
});
export type AddressListItem = z.infer<typeof AddressListItem>;

/** Whether mail to this address has ended by its own clock (D7). */
export function isExpired(address: Pick<Address, 'expires_at'>, now: Date): boolean {
  return address.expires_at !== null && address.expires_at <= now;
}

export function addressView(address: Address, now: Date): AddressView {
  return {
    id: address.id,
    address: address.address,
    webhook_url: address.webhook_url,
    webhook_secret: address.webhook_secret,
    is_enabled: address.is_enabled && !isExpired(address, now), // D7: an expired address shows as disabled
    is_permanent: address.is_permanent,
    expires_at: address.expires_at && timestamp(address.expires_at),
    email_count: address.email_count,
    description: address.description,
    created_at: timestamp(address.created_at),
    updated_at: timestamp(address.updated_at),
  };
}

export function addressListItem(address: Address, now: Date): AddressListItem {
  return AddressListItem.parse(addressView(address, now));
}
