/** Receivers of an address as the API shows them: the address itself first, then the further ones. */
import { z } from 'zod';

import { describeSchema, EXAMPLE, exampleOf } from '../api-reference.ts';
import { type Address, isExpired } from '../address/address.ts';
import { PayloadSettings, SPEC_PAYLOAD } from '../address/payload-settings.ts';
import { ManagedByView, managedByView } from '../managed-by.ts';
import { FormerSecretsValidUntil, formerSecretsValidUntil } from '../address/secret-overlap.ts';
import { Timestamp, timestamp } from '../timestamp.ts';
import { WebhookFormat } from '../address/webhook-format.ts';
import { WebhookSigning } from '../address/webhook-signing.ts';
import type { Receiver, ReceiverRecord } from './receiver.ts';
import { ReceiverAuthView } from '../address/receiver-auth.ts';

export const ReceiverView = z.object({
  id: z.string().describe("rcv_…; for the address's own receiver, the id of the address"),
  address_id: z.string(),
  url: z.string().describe('HTTPS URL that receives the webhooks'),
  description: z.string().nullable(),
  is_enabled: z.boolean().describe('false: no new email is sent to it'),
  payload: PayloadSettings,
  when: z
    .string()
    .nullable()
    .describe('filter in CEL: it gets only emails for which this is true; null for all'),
  format: WebhookFormat,
  signing: WebhookSigning,
  public_key: z
    .string()
    .nullable()
    .describe('verifies its webhooks; starts with whpk_; null with hmac'),
  auth: ReceiverAuthView.nullable().describe(
    'how Inlet authenticates to it, without secrets; null when it does not',
  ),
  is_failing: z
    .boolean()
    .describe('true when the receiver has rejected every webhook for too long'),
  failing_since: Timestamp.nullable().describe(
    'time of the first failed attempt since the last accepted one; null when there is none',
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
  when: null,
  format: 'inlet',
  signing: 'hmac',
  public_key: null,
  auth: null,
  is_failing: false,
  failing_since: null,
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

export const receiverView = (one: ReceiverRecord, now: Date): ReceiverView => ({
  id: one.id,
  address_id: one.address_id,
  url: one.url,
  description: one.description,
  is_enabled: one.is_enabled,
  payload: one.payload,
  when: one.when,
  format: one.format,
  signing: one.signing,
  public_key: one.public_key,
  auth: one.auth,
  is_failing: one.failing_noticed_at !== undefined,
  failing_since: one.failing_since ? timestamp(one.failing_since) : null,
  former_secrets_valid_until: formerSecretsValidUntil(one.former_secrets, now),
  created_at: timestamp(one.created_at),
  updated_at: timestamp(one.updated_at),
  managed_by: managedByView(one.managed_by),
});

export const receiverWithSecret = (one: Receiver, now: Date) => ({
  ...receiverView(one, now),
  webhook_secret: one.signing === 'hmac' ? one.webhook_secret : null,
});

/** The receiver that every address has: its own URL, payload settings and secret. */
export const ownReceiverView = (address: Address, now: Date): ReceiverView =>
  receiverView(
    {
      ...address,
      address_id: address.id,
      url: address.webhook_url,
      is_enabled: address.is_enabled && !isExpired(address, now), // D7
      payload: address.payload ?? SPEC_PAYLOAD,
      when: null,
      format: 'inlet',
      signing: 'hmac',
      public_key: null,
      auth: null,
      service: null,
    },
    now,
  );
