/**
 * A further receiver of an address: one more webhook URL for its email, with its own secret. The
 * first receiver is the address itself.
 */
import { z } from 'zod';

import { PayloadSettings, SPEC_PAYLOAD } from './payload-settings.ts';
import { FormerSecretsValidUntil } from './secret-overlap.ts';
import { WEBHOOK_FIELDS, type WebhookChange, type WithOpenedAuth } from './webhook-settings.ts';
import { CredentialsChange, FailingReason } from './failing-reason.ts';
import { EXAMPLE } from '../resource/api-reference.ts';
import { description } from '../resource/description.ts';
import type { Fields, Shape } from '../resource/field.ts';
import { withDefault } from '../resource/field-kinds.ts';
import { IN_ENVIRONMENT, recordSchema } from '../resource/record.ts';
import type { Resource } from '../resource/resource.ts';
import { Timestamp } from '../time/timestamp.ts';

/** How long a deleted receiver is stored for the deliveries that still need it (D8). */
export const DELETED_RECEIVER_SECONDS = 90 * 86_400;

const url = z.string().nullable().optional();
const payload = PayloadSettings.partial().optional();

const fields = {
  id: {
    view: z.string().describe('rcv_…; for the first receiver, the id of the address'),
    example: EXAMPLE.receiver_id,
  },
  address_id: { record: z.string(), view: z.string(), example: EXAMPLE.address_id },
  /** Null with the mode pull. Requests and resources check it by settings. */
  url: {
    record: z.string().nullable(),
    view: z
      .string()
      .nullable()
      .describe(
        'HTTPS URL that receives the webhooks; null for the first receiver of an address without ' +
          'one, and with the mode pull',
      ),
    create: url,
    change: url,
    spec: z.string().optional(),
    default: null,
    inEvents: 'created',
    example: 'https://warehouse.example.com/inbound',
  },
  description: { ...description, inEvents: 'created', example: 'Warehouse' },
  is_enabled: {
    ...withDefault(z.boolean(), 'false: no new email is sent to it', true),
    view: z
      .boolean()
      .describe(
        'false: no new email is sent to it, as to the first receiver of an address that is disabled',
      ),
    example: true,
  },
  /** Requests check it by settings, and a resource has it in camelCase: see there. */
  payload: {
    record: PayloadSettings,
    view: PayloadSettings,
    create: payload,
    change: payload,
    spec: payload,
    default: SPEC_PAYLOAD,
    example: SPEC_PAYLOAD,
  },
  ...WEBHOOK_FIELDS,
  is_failing: {
    view: z.boolean().describe('true when the receiver has rejected every webhook for too long'),
    example: false,
  },
  failing_reason: { record: FailingReason.optional(), view: FailingReason, example: null },
  /** The first 410 since the last accepted attempt. */
  gone_at: { record: z.date().optional() },
  failing_since: {
    record: z.date().optional(),
    view: Timestamp.nullable().describe(
      'time of the first failed attempt since the last accepted one; null when there is none',
    ),
    example: null,
  },
  /** When Inlet noticed that: see failing.ts. */
  failing_noticed_at: { record: z.date().optional() },
  /** Absent before the first change. */
  credentials_changed: { record: CredentialsChange.optional() },
  /** To a minute. */
  pulled_at: { record: z.date().optional() },
  last_pulled_at: {
    view: Timestamp.nullable().describe(
      'when a consumer asked for its emails with the mode pull, accurate to the minute; null for never',
    ),
    example: null,
  },
  /** Each signs in addition until its time (D17). Absent before the first rotation. */
  former_secrets: { record: z.array(z.object({ valid_until: z.date() })).optional() },
  former_secrets_valid_until: { view: FormerSecretsValidUntil, example: null },
  /** `secretGeneration` of the resource that owns it. */
  secret_generation: { record: z.int().optional() },
  /** Its waiting deliveries continue (D8). */
  deleted_at: { record: z.date().nullable() },
} as const satisfies Fields;

/** For one address, in addition to its own. */
export const RECEIVER = {
  name: 'receiver',
  plural: 'further receivers',
  idPrefix: 'rcv',
  owner: 'address',
  maximum: 10,
  fields,
} as const satisfies Resource;

/** A receiver without its secret, which is stored encrypted. */
export const ReceiverRecord = recordSchema(IN_ENVIRONMENT, fields);
export type ReceiverRecord = z.infer<typeof ReceiverRecord>;

/** A receiver with its secret, or its private key, in clear text, only in memory. */
export type Receiver = ReceiverRecord & { webhook_secret: string };

/** With its authentication in clear text. */
export type ManagedReceiver = Receiver & WithOpenedAuth;

export type ReceiverChange = Partial<
  Pick<ReceiverRecord, Exclude<keyof Shape<typeof fields, 'change'>, keyof WebhookChange>>
> &
  WebhookChange;

export type ReceiverNoun = {
  Record: ManagedReceiver;
  New: ReceiverChange &
    Pick<ReceiverRecord, 'address_id' | 'url' | 'managed_by' | 'secret_generation'>;
  Change: ReceiverChange;
  View: { id: string };
};

/** Whether this is the id of a further receiver, and not of an address or a notification. */
export const isFurtherReceiver = (id: string): boolean => id.startsWith('rcv_');
