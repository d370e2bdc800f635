/** What a customer may say about a new address besides its name, its receiver and its lifetime. */
import type { ContentSettings } from '../delivery/retention.ts';
import type { StoredAllowedAttachments } from '../mail/allowed-attachments.ts';
import type { StoredAllowedSenders } from '../mail/allowed-senders.ts';
import { type AddressRecord, type Replies, repliesChange } from './address.ts';
import { type PayloadSettings, SPEC_PAYLOAD } from './payload-settings.ts';
import type { Hook } from './hook.ts';
import type { Rule } from './rule.ts';

/** As requests and resources have them. */
export type AddressOptions = ContentSettings &
  Replies & {
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
  };

/** As a new record has them: what is not said has its default. */
export const storedOptions = (asked: AddressOptions) =>
  ({
    payload: { ...SPEC_PAYLOAD, ...asked.payload },
    spam_refuse_above: asked.spam_refuse_above ?? null,
    allowed_senders: asked.allowed_senders ?? null,
    refuse_infected: asked.refuse_infected ?? null,
    allowed_attachments: asked.allowed_attachments ?? null,
    max_per_hour: asked.max_per_hour ?? null,
    labels: asked.labels ?? [],
    rules: asked.rules ?? [],
    hook: asked.hook ?? null,
    reply_addresses: false,
    reply_only: false,
    ...repliesChange(asked),
    retention_hours: asked.retention_hours ?? null,
    redact: asked.redact ? [...asked.redact] : null,
  }) satisfies Partial<AddressRecord>;
