/** The schema of an InboundAddress resource. */
import { z } from 'zod';

import { TTL_MAX_HOURS } from '../../address/address.ts';
import { ADDRESS_FIELDS } from '../../address/address-fields.ts';
import { Expectation } from '../../address/expectation.ts';
import { AllowedAttachments } from '../../mail/allowed-attachments.ts';
import { AllowedSenders } from '../../mail/allowed-senders.ts';
import { specShape } from '../../resource/spec.ts';
import { HookSpec } from './hook-spec.ts';
import { PayloadSpec } from './payload-spec.ts';
import {
  AccountRef,
  commonStatus,
  immutable,
  ReceiverUrl,
  ResourceEnvironment,
  rules,
  SecretGeneration,
  SecretName,
  settingsOf,
} from './spec-fields.ts';
import { CA_NEEDS_SERVICE, PULL_HAS_PAYLOAD, WebhookSpec } from './webhook-spec.ts';
import { optional } from '../../resource/described.ts';

export const InboundAddressSpec = z
  .object({
    accountRef: AccountRef,
    environment: ResourceEnvironment,
    webhookUrl: ReceiverUrl.optional().describe(
      'HTTPS URL that receives the webhooks; it must be publicly reachable; when this and service ' +
        'are absent, email is only stored, unless mode is pull: it can be read, and no webhook is sent',
    ),
    webhookEnabled: z
      .boolean()
      .default(true)
      .describe(
        'false: no new email is sent to webhookUrl or service; further receivers get it, and it ' +
          'can be read',
      ),
    ...WebhookSpec,
    localPart: z
      .string()
      .min(1)
      .max(64)
      .meta(
        rules({
          rule: "!self.matches('[\\\\s@+]')",
          message: 'must have no space, no @ and no +, which starts a tag',
        }),
      )
      .optional()
      .describe(
        'part before the @, or * for a catch-all of the domain; when absent, Inlet generates one',
      ),
    domain: optional(
      z.string().min(1).max(255),
      'a verified domain of the account or a subdomain of it, or *. and such a domain for ' +
        'all its subdomains; when absent, the domain that all accounts share',
    ),
    permanent: optional(
      z.boolean(),
      'true for an address that never expires; default: true, or false when ttlHours is set',
    ),
    ttlHours: optional(
      z.int().min(1).max(TTL_MAX_HOURS),
      "hours until the address expires, when it is not permanent; default: the account's defaultTtlHours",
    ),
    enabled: z
      .boolean()
      .default(true)
      .describe('false: the address refuses mail but is not deleted'),
    ...specShape(ADDRESS_FIELDS),
    allowedSenders: z
      .object({
        senders: AllowedSenders.shape.senders,
        requireAuthenticated: AllowedSenders.shape.require_authenticated,
        acceptForwarded: AllowedSenders.shape.accept_forwarded,
      })
      .optional()
      .describe('whose email the address accepts; when absent, that of everybody'),
    replyAddresses: z
      .object({
        only: z
          .boolean()
          .default(false)
          .describe('true: email to other than valid reply addresses is refused with 550 5.1.1'),
        keyGeneration: z
          .int()
          .min(1)
          .default(1)
          .meta({
            description:
              'increase it to rotate the key that signs reply addresses; during the overlap, those ' +
              'of the former key are accepted, too',
            ...rules({ rule: 'self >= oldSelf', message: 'keyGeneration can only be increased' }),
          }),
        keyOverlapHours: optional(
          z.int().min(0).max(TTL_MAX_HOURS),
          'hours that reply addresses of a former key are accepted after a rotation; default: 24',
        ),
      })
      .optional()
      .describe(
        'signed reply addresses: the Secret has reply_key, which makes them; when absent, they are ' +
          'turned off',
      ),
    allowedAttachments: z
      .object({
        types: AllowedAttachments.shape.types
          .unwrap()
          .unwrap()
          .optional()
          .describe(
            'content types such as application/pdf or image/*; an empty list allows no attachment; ' +
              'when absent, all types',
          ),
        maxBytes: AllowedAttachments.shape.max_bytes
          .unwrap()
          .unwrap()
          .optional()
          .describe('of the content of each attachment; when absent, any size'),
      })
      .optional()
      .describe('which attachments the address accepts; when absent, all'),
    hook: HookSpec.optional().describe(
      "asked about each email before the reply to its sender; when absent, the account's",
    ),
    expect: settingsOf(Expectation)
      .extend({ every: Expectation.shape.every })
      .optional()
      .describe('email that the address expects, and whose absence is reported; when absent, none'),
    payload: PayloadSpec.optional().describe('options for the payload of the webhooks'),
    secretName: SecretName.optional().describe(
      'name of the Secret that the operator creates with webhook_secret or public_key, ' +
        'webhook_url if there is one, and address, and address_id and reply_key with ' +
        'replyAddresses; default: the name of this resource followed by -webhook',
    ),
    secretGeneration: SecretGeneration,
  })
  .meta(
    rules(
      ...immutable('localPart', 'domain', 'permanent', 'ttlHours', 'secretName'),
      {
        rule: '!(has(self.webhookUrl) && has(self.service))',
        message: 'webhookUrl and service exclude each other',
      },
      PULL_HAS_PAYLOAD,
      CA_NEEDS_SERVICE,
      {
        rule: '!(has(self.ttlHours) && has(self.permanent) && self.permanent)',
        message: 'ttlHours contradicts permanent',
      }, // D6
      {
        rule:
          '!(has(self.retentionHours) && self.retentionHours == 0 && has(self.payload) && ' +
          '(has(self.payload.raw) && self.payload.raw || ' +
          "has(self.payload.attachments) && self.payload.attachments == 'url'))",
        message: 'retentionHours: 0 contradicts links in the payload',
      }, // D44
    ),
  );
export type InboundAddressSpec = z.infer<typeof InboundAddressSpec>;

export const InboundAddressStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the address in the API'),
  address: z.string().optional().describe('the email address'),
  secretName: z.string().optional().describe('name of the Secret that the operator created'),
  silentSince: z.string().optional().meta({
    format: 'date-time',
    description: 'since when the expected email has been absent; absent while it arrives',
  }),
  secretGeneration: z.int().optional().describe('secretGeneration of the current webhook secret'),
  expiresAt: z.string().optional().meta({
    format: 'date-time',
    description: 'when the address expires; absent when it never does',
  }),
});
export type InboundAddressStatus = z.infer<typeof InboundAddressStatus>;
