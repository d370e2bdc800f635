/** The schema of an InboundAddress resource. */
import { z } from 'zod';

import { DESCRIPTION_MAX_CHARS, PayloadSettings, TTL_MAX_HOURS } from '../account/address.ts';
import { WEBHOOK_URL_MAX_CHARS } from '../delivery/webhook-url.ts';
import { SPAM_SCORE_MAX } from '../mail/spam.ts';
import {
  AccountRef,
  commonStatus,
  immutable,
  ResourceEnvironment,
  rules,
  SecretName,
  settingsOf,
} from './spec-fields.ts';

export const InboundAddressSpec = z
  .object({
    accountRef: AccountRef,
    environment: ResourceEnvironment,
    webhookUrl: z
      .string()
      .min(1)
      .max(WEBHOOK_URL_MAX_CHARS)
      .meta({
        description: 'HTTPS URL, publicly reachable, that receives the webhooks',
        ...rules(
          {
            rule: "isURL(self) && url(self).getScheme() == 'https' && url(self).getHostname() != ''",
            message: 'must be an https URL with a host',
          },
          {
            rule: "!self.contains('#') && !self.matches('^[^/]*//[^/?]*@')",
            message: 'must have neither a user nor a fragment',
          },
        ),
      }),
    localPart: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        'what stands before the @, or * for every name that has no address; made up when absent',
      ),
    domain: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        "a verified domain of the same account, one within it, or *. and either; the platform's own when absent",
      ),
    permanent: z.boolean().optional().describe('default true, but false when ttlHours is given'),
    ttlHours: z
      .int()
      .min(1)
      .max(TTL_MAX_HOURS)
      .optional()
      .describe("hours until expiry when not permanent; default: the account's defaultTtlHours"),
    enabled: z.boolean().default(true).describe('false refuses mail and keeps the address'),
    description: z
      .string()
      .max(DESCRIPTION_MAX_CHARS)
      .optional()
      .describe('for people; the API shows it'),
    spamRefuseAbove: z
      .number()
      .min(0)
      .max(SPAM_SCORE_MAX)
      .optional()
      .describe('spam score above which mail is refused; never when absent'),
    payload: settingsOf(PayloadSettings)
      .optional()
      .describe('what the payload holds beside or instead of what is usual'),
    secretName: SecretName.optional().describe(
      'Secret that gets webhook_secret, webhook_url and address; default: the name of this resource with -webhook',
    ),
    secretGeneration: z
      .int()
      .min(1)
      .default(1)
      .meta({
        description:
          'raise it to have another webhook secret; the former one signs beside it for a while',
        ...rules({ rule: 'self >= oldSelf', message: 'secretGeneration can only be raised' }),
      }),
  })
  .meta(
    rules(
      ...immutable('localPart', 'domain', 'permanent', 'ttlHours', 'secretName'),
      {
        rule: '!(has(self.ttlHours) && has(self.permanent) && self.permanent)',
        message: 'ttlHours contradicts permanent',
      }, // D6
    ),
  );
export type InboundAddressSpec = z.infer<typeof InboundAddressSpec>;

export const InboundAddressStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('as the API shows it'),
  address: z.string().optional().describe('where to send mail'),
  secretName: z.string().optional().describe('the Secret that the operator wrote'),
  secretGeneration: z.int().optional().describe('of the webhook secret in use'),
  expiresAt: z
    .string()
    .optional()
    .meta({ format: 'date-time', description: 'absent when the address never expires' }),
});
export type InboundAddressStatus = z.infer<typeof InboundAddressStatus>;
