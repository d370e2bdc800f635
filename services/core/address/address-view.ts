/** An address as the API shows it (spec 2.1). */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../resource/api-reference.ts';
import { labelsView } from './labels.ts';
import { shapeOf } from '../resource/field.ts';
import { examplesOf, shownFields } from '../resource/view.ts';
import { FailingReason, shownReason } from '../receiver/failing-reason.ts';
import { Timestamp, timestamp } from '../time/timestamp.ts';
import { type Address, isExpired, type ListedAddress } from './address.ts';
import { ADDRESS_FIELDS } from './address-fields.ts';
import { ManagedByView, managedByView } from '../resource/managed-by.ts';
import {
  shownSecret,
  SPEC_WEBHOOK,
  webhookSettingsView,
  WebhookSettingsView,
} from '../receiver/webhook-settings.ts';
import { FormerSecretsValidUntil, formerSecretsValidUntil } from '../receiver/secret-overlap.ts';
import { orNull } from '../resource/described.ts';

const LISTED_EXAMPLE = {
  id: EXAMPLE.address_id,
  address: 'orders@in.example.com',
  webhook_url: EXAMPLE.webhook_url,
  is_enabled: true,
  is_permanent: true,
  email_count: 1,
  created_at: EXAMPLE.created_at,
};

const { description, ...settings } = shapeOf(ADDRESS_FIELDS, 'view');

/**
 * Address object of spec 2.1, as create, get and update return it; the fields after `updated_at`
 * are our own.
 */
export const AddressView = z.object({
  id: z.string(),
  address: z.string().describe('the receiving email address'),
  webhook_url: z
    .string()
    .nullable()
    .describe('of its first receiver; null for an address whose email is only stored and read'),
  webhook_secret: orNull(
    z.string(),
    'secret that signs the webhooks of this address; starts with whsec_; null without the ' +
      'permission secrets:read, and with ed25519, whose private key is never shown',
  ),
  is_enabled: z.boolean(),
  is_permanent: z.boolean().describe('true when the address never expires'),
  expires_at: Timestamp.nullable().describe('null for permanent addresses'),
  email_count: z.int().describe('number of emails that this address has received'),
  description,
  created_at: Timestamp,
  updated_at: Timestamp,
  webhook_enabled: z
    .boolean()
    .describe(
      'false: no new email is sent to webhook_url; further receivers get it, and it can be read',
    ),
  ...WebhookSettingsView.shape,
  ...settings,
  is_failing: z
    .boolean()
    .describe('true when the receiver has rejected every webhook for too long'),
  failing_reason: FailingReason,
  failing_since: Timestamp.nullable().describe(
    'time of the first failed attempt since the last accepted one; null when there is none',
  ),
  former_secrets_valid_until: FormerSecretsValidUntil,
  managed_by: ManagedByView.nullable().describe(
    'the Kubernetes resource that owns the address; changes must be made there; null when there is none',
  ),
});
export type AddressView = z.infer<typeof AddressView>;
describeSchema(AddressView, 'Address', {
  ...LISTED_EXAMPLE,
  webhook_secret: EXAMPLE.webhook_secret,
  expires_at: null,
  updated_at: EXAMPLE.created_at,
  webhook_enabled: true,
  ...webhookSettingsView(SPEC_WEBHOOK),
  ...examplesOf(ADDRESS_FIELDS),
  is_failing: false,
  failing_reason: null,
  failing_since: null,
  former_secrets_valid_until: null,
  managed_by: null,
});

/** The response of a creation or rotation, which has the secret without `secrets:read` (D10). */
export const AddressWithSecret = AddressView.extend({
  webhook_secret: orNull(
    z.string(),
    'secret that signs the webhooks of this address; starts with whsec_; null with ed25519, ' +
      'whose private key is never shown',
  ),
});
export type AddressWithSecret = z.infer<typeof AddressWithSecret>;
describeSchema(AddressWithSecret, 'AddressWithSecret', {
  ...exampleOf(AddressView),
  webhook_secret: EXAMPLE.webhook_secret,
});

/** List item of spec 2.1: no secret. */
export const AddressListItem = AddressView.pick({
  id: true,
  address: true,
  webhook_url: true,
  is_enabled: true,
  is_permanent: true,
  email_count: true,
  created_at: true,
}).extend({
  description: AddressView.shape.description.optional().describe('only with `include=description`'),
  mode: AddressView.shape.mode.optional().describe('only with `include=description`'),
});
export type AddressListItem = z.infer<typeof AddressListItem>;
describeSchema(AddressListItem, 'AddressListItem', LISTED_EXAMPLE);

export function addressListItem(address: ListedAddress, now: Date): AddressListItem {
  return {
    id: address.id,
    address: address.address,
    webhook_url: address.webhook_url,
    is_enabled: address.is_enabled && !isExpired(address, now), // D7: an expired address shows as disabled
    is_permanent: address.is_permanent,
    email_count: address.email_count,
    created_at: timestamp(address.created_at),
  };
}

/** @param mayReadSecrets whether the caller has `secrets:read` */
export const addressView = (address: Address, mayReadSecrets: boolean, now: Date): AddressView => ({
  ...addressWithSecret(address, now),
  ...(!mayReadSecrets && { webhook_secret: null }),
});

export function addressWithSecret(address: Address, now: Date): AddressWithSecret {
  return {
    ...addressListItem(address, now),
    webhook_secret: shownSecret(address),
    expires_at: address.expires_at && timestamp(address.expires_at),
    updated_at: timestamp(address.updated_at),
    webhook_enabled: address.webhook_enabled,
    ...webhookSettingsView(address),
    ...shownFields(ADDRESS_FIELDS, address),
    labels: labelsView(address.labels),
    is_failing: address.failing_noticed_at !== undefined,
    failing_reason: shownReason(address),
    failing_since: address.failing_since ? timestamp(address.failing_since) : null,
    former_secrets_valid_until: formerSecretsValidUntil(address.former_secrets, now),
    managed_by: managedByView(address.managed_by),
  };
}
