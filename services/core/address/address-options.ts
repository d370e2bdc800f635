/** What requests and resources ask of an address: as a new record has it, and what a change changes. */
import type { Shape } from '../resource/field.ts';
import { withDefaults } from '../resource/record.ts';
import { expectationAfter, newExpectation } from './expectation.ts';
import type { ManagedBy } from '../resource/managed-by.ts';
import {
  type AddressChange,
  type AddressRecord,
  type ManagedAddress,
  repliesChange,
} from './address.ts';
import { ADDRESS_FIELDS } from './address-fields.ts';
import type { Lifetime } from './lifetime.ts';
import { type PayloadSettings, SPEC_PAYLOAD } from '../receiver/payload-settings.ts';
import type { ReceiverAuth } from '../receiver/receiver-auth.ts';
import {
  WEBHOOK_FIELDS,
  webhookChanges,
  type WebhookSettings,
} from '../receiver/webhook-settings.ts';
import type { WebhookSigning } from '../receiver/webhook-signing.ts';

/** As requests and resources have them. */
type AddressOptions = Partial<
  Pick<AddressRecord, 'webhook_enabled' | keyof Shape<typeof ADDRESS_FIELDS, 'create'>> &
    Pick<WebhookSettings, 'when' | 'mode' | 'format' | 'service'>
> & { payload?: Partial<PayloadSettings> };

/** What a creation asks for. */
export type NewAddress = Lifetime &
  AddressOptions & {
    /** Normalized, or `*`; random when absent: see `checkLocalPart`. */
    local_part?: string | undefined;
    /** Normalized, with or without `*.`; the shared domain when absent: see `checkDomainPart`. */
    domain?: string | undefined;
    /** null: its email is only stored and read. */
    webhook_url: string | null;
    auth?: ReceiverAuth | null | undefined;
    signing?: WebhookSigning | undefined;
    managed_by?: ManagedBy | undefined;
    secret_generation?: number | undefined;
  };

/** As a new record has them: what is not said has its default. */
export function storedOptions(requested: AddressOptions, now: Date) {
  const { when, mode, format, service } = withDefaults(WEBHOOK_FIELDS, requested);
  return {
    webhook_enabled: requested.webhook_enabled ?? true,
    when,
    mode,
    format,
    service,
    ...withDefaults(ADDRESS_FIELDS, {
      ...requested,
      payload: { ...SPEC_PAYLOAD, ...requested.payload },
      ...newExpectation(requested.expect, now),
      ...repliesChange(requested),
    }),
  };
}

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
