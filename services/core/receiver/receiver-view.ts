/** Receivers of an address as the API shows them: the address itself first, then the further ones. */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../api-reference.ts';
import { type Address, type AddressChange, isExpired } from '../address/address.ts';
import { PayloadSettings, SPEC_PAYLOAD } from '../address/payload-settings.ts';
import { ManagedByView, managedByView } from '../managed-by.ts';
import { FormerSecretsValidUntil, formerSecretsValidUntil } from '../address/secret-overlap.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import {
  shownSecret,
  SPEC_WEBHOOK,
  webhookSettingsView,
  WebhookSettingsView,
} from '../address/webhook-settings.ts';
import type { Receiver, ReceiverChange, ReceiverRecord } from './receiver.ts';

export const ReceiverView = z.object({
  id: z.string().describe('rcv_…; for the first receiver, the id of the address'),
  address_id: z.string(),
  url: z
    .string()
    .nullable()
    .describe(
      'HTTPS URL that receives the webhooks; null for the first receiver of an address without one, ' +
        'and with the mode pull',
    ),
  description: z.string().nullable(),
  is_enabled: z
    .boolean()
    .describe(
      'false: no new email is sent to it, as to the first receiver of an address that is disabled',
    ),
  payload: PayloadSettings,
  ...WebhookSettingsView.shape,
  is_failing: z
    .boolean()
    .describe('true when the receiver has rejected every webhook for too long'),
  failing_since: Timestamp.nullable().describe(
    'time of the first failed attempt since the last accepted one; null when there is none',
  ),
  last_pulled_at: Timestamp.nullable().describe(
    'when a consumer asked for its emails with the mode pull, accurate to the minute; null for never',
  ),
  former_secrets_valid_until: FormerSecretsValidUntil,
  created_at: Timestamp,
  updated_at: Timestamp,
  managed_by: ManagedByView.nullable().describe(
    'the Kubernetes resource that owns it; changes must be made there; null when there is none',
  ),
});
export type ReceiverView = z.infer<typeof ReceiverView>;
describeSchema(ReceiverView, 'Receiver', {
  id: EXAMPLE.receiver_id,
  address_id: EXAMPLE.address_id,
  url: 'https://warehouse.example.com/inbound',
  description: 'Warehouse',
  is_enabled: true,
  payload: SPEC_PAYLOAD,
  ...webhookSettingsView(SPEC_WEBHOOK),
  is_failing: false,
  failing_since: null,
  last_pulled_at: null,
  former_secrets_valid_until: null,
  created_at: EXAMPLE.created_at,
  updated_at: EXAMPLE.created_at,
  managed_by: null,
});

/** The response of a creation and of a rotation. */
export const ReceiverWithSecret = ReceiverView.extend({
  webhook_secret: z
    .string()
    .nullable()
    .describe(
      'signs the webhooks of this receiver; starts with whsec_; null with ed25519, whose private ' +
        'key is never shown',
    ),
});
describeSchema(ReceiverWithSecret, 'ReceiverWithSecret', {
  ...exampleOf(ReceiverView),
  webhook_secret: EXAMPLE.webhook_secret,
});

/** A further receiver, or the first one with the URL of its address. */
export type ShownReceiver = ReceiverRecord;

export const receiverView = (one: ShownReceiver, now: Date): ReceiverView => ({
  id: one.id,
  address_id: one.address_id,
  url: one.url,
  description: one.description,
  is_enabled: one.is_enabled,
  payload: one.payload,
  ...webhookSettingsView(one),
  is_failing: one.failing_noticed_at !== undefined,
  failing_since: one.failing_since ? timestamp(one.failing_since) : null,
  last_pulled_at: one.pulled_at ? timestamp(one.pulled_at) : null,
  former_secrets_valid_until: formerSecretsValidUntil(one.former_secrets, now),
  created_at: timestamp(one.created_at),
  updated_at: timestamp(one.updated_at),
  managed_by: managedByView(one.managed_by),
});

export const receiverWithSecret = (
  one: ShownReceiver & Pick<Receiver, 'webhook_secret'>,
  now: Date,
): z.infer<typeof ReceiverWithSecret> => ({
  ...receiverView(one, now),
  webhook_secret: shownSecret(one),
});

/** The first receiver of an address, whose settings are those of the address. */
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
