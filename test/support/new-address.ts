/** The one maker of addresses for tests that need no API. */
import { randomBytes } from 'node:crypto';

import type { Address } from '../../services/core/address/address.ts';
import { SPEC_WEBHOOK } from '../../services/core/receiver/webhook-settings.ts';
import { newId } from '../../services/core/ids.ts';
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
