/** The one maker of addresses for tests that need no API. */
import { randomBytes } from 'node:crypto';

import type { Address } from '../../services/core/address/address.ts';
import type { Recipient } from '../../services/core/address/recipient.ts';
import { SPEC_WEBHOOK } from '../../services/core/receiver/webhook-settings.ts';
import { newId } from '../../services/core/id/ids.ts';
import { newSecret } from '../../services/core/webhook/signature.ts';

/** By default a permanent, enabled, live address of a new account. */
export function newAddress(webhookUrl: string, fields: Partial<Address> = {}): Address {
  const now = fields.created_at ?? new Date();
  const id = newId('addr', now, randomBytes(10));
  return {
    id,
    account_id: newId('acc', now, randomBytes(10)),
    environment: 'live',
    address: `${id.slice(5)}@in.example`,
    webhook_url: webhookUrl,
    webhook_secret: newSecret(randomBytes(32)),
    webhook_enabled: true,
    ...SPEC_WEBHOOK,
    is_enabled: true,
    is_permanent: true,
    expires_at: null,
    email_count: 0,
    description: null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    ...fields,
  };
}

/** What a gateway reads of it at RCPT. */
export const newRecipient = (changes: Partial<Recipient> = {}): Recipient => ({
  id: 'addr_1',
  account_id: 'acc_1',
  environment: 'live',
  address: 'box@in.example',
  is_enabled: true,
  expires_at: null,
  deleted_at: null,
  ...changes,
});

/** What the API shows of a new address, where its request says nothing. */
export const DEFAULT_VIEW = {
  is_enabled: true,
  is_permanent: true,
  expires_at: null,
  webhook_enabled: true,
  when: null,
  mode: 'push',
  format: 'inlet',
  signing: 'hmac',
  public_key: null,
  auth: null,
  payload: { attachments: 'inline', raw: false, extract: [], storage: null },
  spam_refuse_above: null,
  allowed_senders: null,
  refuse_infected: null,
  allowed_attachments: null,
  max_per_hour: null,
  retention_hours: null,
  redact: null,
  hook: null,
  expect: null,
  silent_since: null,
  labels: {},
  rules: [],
  reply_addresses: false,
  reply_only: false,
  is_failing: false,
  failing_reason: null,
  failing_since: null,
  former_secrets_valid_until: null,
  managed_by: null,
};
