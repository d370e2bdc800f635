/** An address as the API shows it (spec 2.1). */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../api-reference.ts';
import { Labels, labelsView } from './labels.ts';
import { Redact, RetentionHours } from '../delivery/retention.ts';
import { Expectation } from '../expectation.ts';
import { Hook } from './hook.ts';
import { Rules } from './rule.ts';
import { StoredAllowedAttachments } from '../mail/allowed-attachments.ts';
import { StoredAllowedSenders } from '../mail/allowed-senders.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import { type Address, isExpired, type ListedAddress } from './address.ts';
import { PayloadSettings, SPEC_PAYLOAD } from './payload-settings.ts';
import { ManagedByView, managedByView } from '../managed-by.ts';
import {
  shownSecret,
  SPEC_WEBHOOK,
  webhookSettingsView,
  WebhookSettingsView,
} from './webhook-settings.ts';
import { FormerSecretsValidUntil, formerSecretsValidUntil } from './secret-overlap.ts';

const LISTED_EXAMPLE = {
  id: EXAMPLE.address_id,
  address: 'orders@in.example.com',
  webhook_url: EXAMPLE.webhook_url,
  is_enabled: true,
  is_permanent: true,
  email_count: 1,
  created_at: EXAMPLE.created_at,
};

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
  webhook_secret: z
    .string()
    .nullable()
    .describe(
      'secret that signs the webhooks of this address; starts with whsec_; null without the ' +
        'permission secrets:read, and with ed25519, whose private key is never shown',
    ),
  is_enabled: z.boolean(),
  is_permanent: z.boolean().describe('true when the address never expires'),
  expires_at: Timestamp.nullable().describe('null for permanent addresses'),
  email_count: z.int().describe('number of emails that this address has received'),
  description: z.string().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
  webhook_enabled: z
    .boolean()
    .describe(
      'false: no new email is sent to webhook_url; further receivers get it, and it can be read',
    ),
  ...WebhookSettingsView.shape,
  payload: PayloadSettings,
  spam_refuse_above: z
    .number()
    .nullable()
    .describe('mail with a spam score above this is refused with 550 5.7.1; null: none is'),
  labels: Labels.describe('key-value pairs, by which lists and tokens choose addresses'),
  rules: Rules.describe("evaluated in their order, after the account's: see docs/rules.md"),
  hook: Hook.nullable().describe(
    "asked about each email before the reply to its sender: see docs/deciding-hooks.md; null: the account's",
  ),
  expect: Expectation.nullable().describe(
    'email that it expects: its absence is an address.silent event; null: none',
  ),
  silent_since: Timestamp.nullable().describe(
    'when Inlet noticed that the expected email is absent; null while it arrives',
  ),
  reply_addresses: z
    .boolean()
    .describe(
      'whether signed reply addresses of this address are checked: see docs/reply-addresses.md',
    ),
  reply_only: z
    .boolean()
    .describe('whether email to other than its valid reply addresses is refused with 550 5.1.1'),
  allowed_senders: StoredAllowedSenders.nullable().describe(
    'whose email it accepts; null: that of everybody',
  ),
  refuse_infected: z
    .boolean()
    .nullable()
    .describe("whether mail that contains malware is refused with 550 5.7.1; null: the account's"),
  allowed_attachments: StoredAllowedAttachments.nullable().describe(
    'which attachments it accepts; null: all',
  ),
  max_per_hour: z
    .int()
    .nullable()
    .describe('emails that it accepts in an hour; above, senders get 450; null: no limit'),
  retention_hours: RetentionHours.describe(
    'hours after its delivery that the content of an email is stored; 0: it is removed when ' +
      "delivered; null: the account's",
  ),
  redact: Redact.nullable().describe(
    "fields that records and events of new emails do not contain; null: the account's",
  ),
  is_failing: z
    .boolean()
    .describe('true when the receiver has rejected every webhook for too long'),
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
  description: 'Orders of the web shop',
  updated_at: EXAMPLE.created_at,
  webhook_enabled: true,
  ...webhookSettingsView(SPEC_WEBHOOK),
  payload: SPEC_PAYLOAD,
  spam_refuse_above: null,
  allowed_senders: null,
  refuse_infected: null,
  allowed_attachments: null,
  max_per_hour: null,
  labels: { team: 'shop' },
  rules: [],
  hook: null,
  expect: null,
  silent_since: null,
  reply_addresses: false,
  reply_only: false,
  retention_hours: null,
  redact: null,
  is_failing: false,
  failing_since: null,
  former_secrets_valid_until: null,
  managed_by: null,
});

/** The response of a creation or rotation, which has the secret without `secrets:read` (D10). */
export const AddressWithSecret = AddressView.extend({
  webhook_secret: z
    .string()
    .nullable()
    .describe(
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
    description: address.description,
    updated_at: timestamp(address.updated_at),
    webhook_enabled: address.webhook_enabled,
    ...webhookSettingsView(address),
    payload: address.payload ?? SPEC_PAYLOAD,
    spam_refuse_above: address.spam_refuse_above ?? null,
    allowed_senders: address.allowed_senders ?? null,
    refuse_infected: address.refuse_infected ?? null,
    allowed_attachments: address.allowed_attachments ?? null,
    max_per_hour: address.max_per_hour ?? null,
    labels: labelsView(address.labels),
    rules: address.rules ?? [],
    hook: address.hook ?? null,
    expect: address.expect ?? null,
    silent_since: address.silent_since ? timestamp(address.silent_since) : null,
    reply_addresses: address.reply_addresses ?? false,
    reply_only: address.reply_only ?? false,
    retention_hours: address.retention_hours ?? null,
    redact: address.redact ?? null,
    is_failing: address.failing_noticed_at !== undefined,
    failing_since: address.failing_since ? timestamp(address.failing_since) : null,
    former_secrets_valid_until: formerSecretsValidUntil(address.former_secrets, now),
    managed_by: managedByView(address.managed_by),
  };
}
