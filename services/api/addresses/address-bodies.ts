/** The request bodies of the address calls (spec 4.1, D6, D33). */
import { z } from 'zod';

import { PER_HOUR_MAX, TTL_MAX_HOURS, repliesContradict } from '../../core/address/address.ts';
import { ttlContradicts } from '../../core/address/lifetime.ts';
import { ExpectationRequest } from '../../core/expectation.ts';
import { hookRequest } from '../../core/address/hook.ts';
import { Labels, storedLabels } from '../../core/address/labels.ts';
import { RulesRequest } from '../../core/address/rule.ts';
import { Redact, RetentionHours, retentionContradicts } from '../../core/delivery/retention.ts';
import {
  AllowedAttachments,
  storedAllowedAttachments,
} from '../../core/mail/allowed-attachments.ts';
import { AllowedSenders, storedAllowedSenders } from '../../core/mail/allowed-senders.ts';
import { SPAM_SCORE_MAX } from '../../core/mail/spam.ts';
import { DESCRIPTION_MAX_CHARS } from '../../core/resource/description.ts';
import { textField } from '../../core/resource/text-field.ts';
import { LocalPart, Place } from './name-fields.ts';
import {
  PULL_WITH_OTHER_FORMAT,
  type BodySettings,
  payloadBody,
  URL_TEXT,
  WebhookEnabled,
  webhookFields,
  webhookUrl,
} from './webhook-fields.ts';

export const Description = textField({ maxChars: DESCRIPTION_MAX_CHARS }).describe('free text');

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

export type AddressBodySettings = BodySettings & {
  /** Whether REPLY_KEYS are configured; without them, no address can have reply addresses. */
  offersReplies: boolean;
};

export function addressBodies({
  allowedNetworks,
  offersFiles,
  offersReplies,
}: AddressBodySettings) {
  const WebhookUrl = webhookUrl(allowedNetworks);

  const Payload = payloadBody(offersFiles);
  const WebhookFields = { ...webhookFields, webhook_enabled: WebhookEnabled.optional() };

  const SpamRefuseAbove = z
    .number()
    .min(0)
    .max(SPAM_SCORE_MAX)
    .nullable()
    .describe(
      'spam score above which an email is refused with 550 5.7.1 after DATA, unless another ' +
        'recipient accepts it; default: null (never)',
    );

  const AllowedSendersField = AllowedSenders.nullable()
    .transform((asked) => asked && storedAllowedSenders(asked))
    .describe(
      'whose email the address accepts; other email is refused with 550 5.7.1 after DATA; default: ' +
        'null (everybody)',
    );

  const RefuseInfected = z
    .boolean()
    .nullable()
    .describe(
      'whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another ' +
        "recipient accepts it: then it is held; default: null (the account's)",
    );
  const LimitFields = {
    allowed_attachments: z
      .strictObject(AllowedAttachments.shape)
      .nullable()
      .transform((asked) => asked && storedAllowedAttachments(asked))
      .optional()
      .describe(
        'which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for ' +
          'the type and 552 5.2.3 for the size, unless another recipient accepts the email; ' +
          'default: null (all)',
      ),
    max_per_hour: z
      .int()
      .min(1)
      .max(PER_HOUR_MAX)
      .nullable()
      .optional()
      .describe(
        'emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; ' +
          'default: null (no limit)',
      ),
  };

  const LabelsField = Labels.transform(storedLabels)
    .optional()
    .describe(
      'key-value pairs, by which lists and tokens choose addresses; replaces all of them; default: none',
    );

  const RulesField = RulesRequest.optional().describe(
    "rules for its email, evaluated in their order after the account's; default: none",
  );

  const HookField = hookRequest(WebhookUrl)
    .nullable()
    .optional()
    .describe(
      "asked about each email before the reply to its sender; default: null (the account's)",
    );

  const ExpectField = ExpectationRequest.nullable()
    .optional()
    .describe(
      'email that the address expects: its absence is an address.silent event; default: null (none)',
    );

  const ReplyFields = {
    reply_addresses: z
      .boolean()
      .refine((value) => !value || offersReplies)
      .optional()
      .describe(
        'whether signed reply addresses of this address are checked; requires REPLY_KEYS in the ' +
          'settings of the API; default: false',
      ),
    reply_only: z
      .boolean()
      .refine((value) => !value || offersReplies)
      .optional()
      .describe(
        'true: email to other than its valid reply addresses is refused with 550 5.1.1; turns ' +
          'reply_addresses on; default: false',
      ),
  };
  const ContentFields = {
    retention_hours: RetentionHours.optional().describe(
      'hours after its delivery that the content of an email is stored, at most as long as this ' +
        'installation stores it; 0: it is removed when delivered, which excludes links in the ' +
        "payload; default: null (the account's)",
    ),
    redact: Redact.nullable()
      .optional()
      .describe(
        'fields that records and events of new emails do not contain; webhooks contain them; ' +
          "default: null (the account's)",
      ),
  };
  type Asked = { retention_hours?: number | null | undefined; payload?: z.output<typeof Payload> };
  const keepsLinks = ({ retention_hours, payload }: Asked) =>
    !retentionContradicts(retention_hours, payload);

  const NewAddress = z
    .strictObject({
      local_part: LocalPart.optional(),
      domain: Place.optional(),
      webhook_url: WebhookUrl.nullable().describe(URL_TEXT),
      ...WebhookFields,
      is_permanent: z
        .boolean()
        .optional()
        .describe('default: true, or false when ttl_hours is given'),
      ttl_hours: z
        .int()
        .min(1)
        .max(TTL_MAX_HOURS)
        .optional()
        .describe(
          "hours until expiry when not permanent; default: the account's default_ttl_hours",
        ),
      description: Description.optional(),
      payload: Payload.optional(),
      spam_refuse_above: SpamRefuseAbove.optional(),
      allowed_senders: AllowedSendersField.optional(),
      refuse_infected: RefuseInfected.optional(),
      ...LimitFields,
      labels: LabelsField,
      rules: RulesField,
      hook: HookField,
      expect: ExpectField,
      ...ReplyFields,
      ...ContentFields,
    })
    .refine((asked) => !ttlContradicts(asked), contradiction('ttl_hours'))
    .refine((asked) => !repliesContradict(asked), contradiction('reply_only'))
    .refine(keepsLinks, contradiction('retention_hours'))
    .meta(NO_CONTRADICTION);

  const AddressPatch = z
    .strictObject({
      webhook_url: WebhookUrl.nullable().optional().describe(URL_TEXT),
      ...WebhookFields,
      is_enabled: z
        .boolean()
        .optional()
        .describe('true for an address that has expired is 409 conflict'),
      is_permanent: z
        .literal(true)
        .optional()
        .describe('only true: the address never expires; 409 conflict if it has expired already'),
      ttl_hours: z
        .int()
        .min(1)
        .max(TTL_MAX_HOURS)
        .optional()
        .describe(
          'hours from now until expiry, also for an address that was permanent; 409 conflict if ' +
            'it has expired already',
        ),
      description: Description.nullable().optional().describe('free text; null for none'),
      payload: Payload.optional(),
      spam_refuse_above: SpamRefuseAbove.optional(),
      allowed_senders: AllowedSendersField.optional(),
      refuse_infected: RefuseInfected.optional(),
      ...LimitFields,
      labels: LabelsField,
      rules: RulesField,
      hook: HookField,
      expect: ExpectField,
      ...ReplyFields,
      ...ContentFields,
    })
    .refine((asked) => !ttlContradicts(asked), contradiction('ttl_hours'))
    .refine((asked) => !repliesContradict(asked), contradiction('reply_only'))
    .refine(keepsLinks, contradiction('retention_hours'))
    .meta(NO_CONTRADICTION);

  return { NewAddress, AddressPatch };
}
