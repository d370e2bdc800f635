/** The request bodies of the address calls (spec 4.1, D6, D33). */
import { z } from 'zod';

import { TTL_MAX_HOURS, repliesContradict } from '../../core/address/address.ts';
import { ADDRESS_FIELDS } from '../../core/address/address-fields.ts';
import { ttlContradicts } from '../../core/address/lifetime.ts';
import { hookRequest } from '../../core/hook/hook.ts';
import { retentionContradicts } from '../../core/address/content-settings.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { compiled } from '../http/input/expression-field.ts';
import { LocalPart, DomainPart } from './name-fields.ts';
import {
  PULL_WITH_OTHER_FORMAT,
  type BodySettings,
  payloadBody,
  URL_TEXT,
  WebhookEnabled,
  webhookFields,
  webhookUrl,
} from '../receiver/webhook-fields.ts';
import { optional } from '../../core/resource/described.ts';

const CREATE = shapeOf(ADDRESS_FIELDS, 'create');
const VIEW = shapeOf(ADDRESS_FIELDS, 'view');

const contradiction = (field: string) => ({
  path: [field],
  params: { rule: 'conflict' },
  // also checked when another field is invalid, because that field may follow later in the document
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
});
/** D6, D44 and D57, in the document. */
const NO_CONTRADICTION = {
  not: {
    anyOf: [
      PULL_WITH_OTHER_FORMAT,
      {
        required: ['is_permanent', 'ttl_hours'],
        properties: { is_permanent: { const: true }, ttl_hours: {} },
      },
      {
        required: ['reply_addresses', 'reply_only'],
        properties: { reply_addresses: { const: false }, reply_only: { const: true } },
      },
      ...[{ attachments: { const: 'url' } }, { raw: { const: true } }].map((properties) => ({
        required: ['payload', 'retention_hours'],
        properties: {
          payload: { type: 'object', required: Object.keys(properties), properties },
          retention_hours: { const: 0 },
        },
      })),
    ],
  },
};

type AddressBodySettings = BodySettings & {
  /** Whether REPLY_KEYS are configured; without them, no address can have reply addresses. */
  canReply: boolean;
};

export function addressBodies({ allowedNetworks, offersFiles, canReply }: AddressBodySettings) {
  const WebhookUrl = webhookUrl(allowedNetworks);
  const offered = (name: 'reply_addresses' | 'reply_only') =>
    optional(
      z
        .boolean()
        .refine(
          (value) => !value || canReply,
          'must be false: this installation has no REPLY_KEYS',
        ),
      `${VIEW[name].description}; requires REPLY_KEYS in the settings of the API; default: false`,
    );
  const webhook = {
    ...webhookFields({ allowedNetworks }),
    webhook_enabled: WebhookEnabled.optional(),
  };
  const payload = payloadBody(offersFiles).optional();
  /** What the settings of the API decide, in addition to the definition. */
  const checked = {
    rules: compiled(CREATE.rules),
    hook: compiled(hookRequest(WebhookUrl))
      .nullable()
      .optional()
      .describe(CREATE.hook.description ?? ''),
    expect: compiled(CREATE.expect),
    reply_addresses: offered('reply_addresses'),
    reply_only: offered('reply_only'),
  };

  const NewAddress = z.strictObject({
    local_part: LocalPart.optional(),
    domain: DomainPart.optional(),
    webhook_url: WebhookUrl.nullable().describe(URL_TEXT),
    ...webhook,
    is_permanent: optional(z.boolean(), 'default: true, or false when ttl_hours is given'),
    ttl_hours: TtlHours.describe(
      "hours until expiry when not permanent; default: the account's default_ttl_hours",
    ),
    payload,
    ...CREATE,
    ...checked,
  });

  const AddressPatch = z.strictObject({
    webhook_url: WebhookUrl.nullable().optional().describe(URL_TEXT),
    ...webhook,
    is_enabled: optional(z.boolean(), 'true for an address that has expired is 409 conflict'),
    is_permanent: z
      .literal(true)
      .optional()
      .describe('only true: the address never expires; 409 conflict if it has expired already'),
    ttl_hours: TtlHours.describe(
      'hours from now until expiry, also for an address that was permanent; 409 conflict if ' +
        'it has expired already',
    ),
    payload,
    ...shapeOf(ADDRESS_FIELDS, 'change'),
    ...checked,
  });

  return {
    NewAddress: withoutContradictions(NewAddress),
    AddressPatch: withoutContradictions(AddressPatch),
  };
}

const TtlHours = z.int().min(1).max(TTL_MAX_HOURS).optional();

/** What fields must agree about. */
type Agreeing = Parameters<typeof ttlContradicts>[0] &
  Parameters<typeof repliesContradict>[0] & {
    retention_hours?: number | null | undefined;
    payload?: Parameters<typeof retentionContradicts>[1];
  };

const withoutContradictions = <S extends z.ZodObject & z.ZodType<Agreeing>>(schema: S): S =>
  schema
    .refine((requested) => !ttlContradicts(requested), contradiction('ttl_hours'))
    .refine((requested) => !repliesContradict(requested), contradiction('reply_only'))
    .refine(
      ({ retention_hours, payload }) => !retentionContradicts(retention_hours, payload),
      contradiction('retention_hours'),
    )
    .meta(NO_CONTRADICTION);
