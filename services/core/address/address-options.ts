/** What a customer may say about a new address. */
import type { ContentSettings } from '../delivery/retention.ts';
import type { StoredAllowedAttachments } from '../mail/allowed-attachments.ts';
import type { StoredAllowedSenders } from '../mail/allowed-senders.ts';
import type { ManagedBy } from '../managed-by.ts';
import { type AddressRecord, type Replies, repliesChange } from './address.ts';
import type { Lifetime } from './lifetime.ts';
import { type PayloadSettings, SPEC_PAYLOAD } from './payload-settings.ts';
import { type Expectation, newExpectation } from '../expectation.ts';
import type { Hook } from './hook.ts';
import type { ClusterService, ReceiverAuth } from './receiver-auth.ts';
import type { WebhookFormat } from './webhook-format.ts';
import type { WebhookMode } from '../webhook-mode.ts';
import type { WebhookSigning } from './webhook-signing.ts';
import type { Rule } from './rule.ts';

/** As requests and resources have them. */
export type AddressOptions = ContentSettings &
  Replies & {
    webhook_enabled?: boolean | undefined;
    when?: string | null | undefined;
    mode?: WebhookMode | undefined;
    format?: WebhookFormat | undefined;
    /** Set for a Service of the cluster. */
    service?: ClusterService | null | undefined;
    payload?: Partial<PayloadSettings> | undefined;
    spam_refuse_above?: number | null | undefined;
    allowed_senders?: StoredAllowedSenders | null | undefined;
    refuse_infected?: boolean | null | undefined;
    allowed_attachments?: StoredAllowedAttachments | null | undefined;
    max_per_hour?: number | null | undefined;
    /** As records have them: see labels.ts. */
    labels?: string[] | undefined;
    rules?: Rule[] | undefined;
    hook?: Hook | null | undefined;
    expect?: Expectation | null | undefined;
  };

/** What a creation asks for. */
export type NewAddress = Lifetime &
  AddressOptions & {
    /** Normalized, or `*`; random when absent: see `checkLocalPart`. */
    local_part?: string | undefined;
    /** Normalized, with or without `*.`; the shared domain when absent: see `checkPlace`. */
    domain?: string | undefined;
    /** null: its email is only stored and read. */
    webhook_url: string | null;
    auth?: ReceiverAuth | null | undefined;
    signing?: WebhookSigning | undefined;
    description?: string | undefined;
    managed_by?: ManagedBy | undefined;
    secret_generation?: number | undefined;
  };

/** As a new record has them: what is not said has its default. */
export const storedOptions = (asked: AddressOptions, now: Date) =>
  ({
    webhook_enabled: asked.webhook_enabled ?? true,
    when: asked.when ?? null,
    mode: asked.mode ?? 'push',
    format: asked.format ?? 'inlet',
    service: asked.service ?? null,
    payload: { ...SPEC_PAYLOAD, ...asked.payload },
    spam_refuse_above: asked.spam_refuse_above ?? null,
    allowed_senders: asked.allowed_senders ?? null,
    refuse_infected: asked.refuse_infected ?? null,
    allowed_attachments: asked.allowed_attachments ?? null,
    max_per_hour: asked.max_per_hour ?? null,
    labels: asked.labels ?? [],
    rules: asked.rules ?? [],
    hook: asked.hook ?? null,
    expect: asked.expect ?? null,
    ...newExpectation(asked.expect, now),
    reply_addresses: false,
    reply_only: false,
    ...repliesChange(asked),
    retention_hours: asked.retention_hours ?? null,
    redact: asked.redact ? [...asked.redact] : null,
  }) satisfies Partial<AddressRecord>;
