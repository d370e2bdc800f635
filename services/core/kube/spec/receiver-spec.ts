/** The schema of an InboundReceiver resource. */
import { z } from 'zod';

import { DESCRIPTION_MAX_CHARS } from '../../resource/description.ts';
import { EXPRESSION_MAX_CHARS } from '../../address/rule.ts';
import { WebhookFormat } from '../../address/webhook-format.ts';
import { WebhookSigning } from '../../address/webhook-signing.ts';
import { ReceiverAuthSpec } from './receiver-auth-spec.ts';
import { PayloadSpec } from './payload-spec.ts';
import {
  commonStatus,
  immutable,
  OBJECT_NAME_MAX_CHARS,
  rules,
  SecretGeneration,
  SecretName,
  WebhookUrl,
} from './spec-fields.ts';

const AddressRef = z
  .object({
    name: z
      .string()
      .min(1)
      .max(OBJECT_NAME_MAX_CHARS)
      .describe('name of the InboundAddress resource'),
  })
  .meta({
    description: 'the InboundAddress resource whose email it receives, in the same namespace',
    ...rules({ rule: 'self.name == oldSelf.name', message: 'addressRef cannot be changed' }),
  });

/** A PEM bundle of a few authorities. */
const CA_BUNDLE_MAX_CHARS = 65_536;

const ServiceRef = z
  .object({
    name: z
      .string()
      .min(1)
      .max(63)
      .describe('name of the Service')
      .meta(
        rules({
          rule: "self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
          message: 'must be a name of a Service',
        }),
      ),
    port: z.int().min(1).max(65_535).default(443).describe('port of the Service'),
    path: z
      .string()
      .max(1024)
      .regex(/^\/[^#\\\s]*$/)
      .default('/')
      .describe('path of the URL'),
  })
  .describe(
    'a Service of this namespace that receives the webhooks over HTTPS, by the name ' +
      '<name>.<namespace>.svc; instead of url',
  );

export const InboundReceiverSpec = z
  .object({
    addressRef: AddressRef,
    url: WebhookUrl.optional().describe(
      'HTTPS URL that receives the webhooks; it must be publicly reachable',
    ),
    service: ServiceRef.optional(),
    caBundle: z
      .string()
      .max(CA_BUNDLE_MAX_CHARS)
      .optional()
      .describe(
        'PEM of the authorities of the Service; when absent, those that all receivers have',
      ),
    auth: ReceiverAuthSpec.optional().describe(
      'how Inlet authenticates to the receiver; the operator reads the Secrets again every few ' +
        'minutes (RESYNC_INTERVAL)',
    ),
    enabled: z.boolean().default(true).describe('false: no new email is sent to it'),
    description: z
      .string()
      .max(DESCRIPTION_MAX_CHARS)
      .optional()
      .describe('free text, which the API shows'),
    payload: PayloadSpec.optional().describe(
      'options that change the payload; when absent, the defaults',
    ),
    when: z
      .string()
      .min(1)
      .max(EXPRESSION_MAX_CHARS)
      .optional()
      .describe('filter in CEL: it gets only emails for which this is true; when absent, all'),
    format: WebhookFormat.default('inlet'),
    signing: WebhookSigning.default('hmac'),
    secretName: SecretName.optional().describe(
      'name of the Secret that the operator creates with url, and webhook_secret or public_key; ' +
        'default: the name of this resource followed by -receiver',
    ),
    secretGeneration: SecretGeneration,
  })
  .meta(
    rules(
      { rule: 'has(self.url) != has(self.service)', message: 'exactly one of url and service' },
      {
        rule: '!has(self.caBundle) || has(self.service)',
        message: 'caBundle is only for a service',
      },
      ...immutable('secretName'),
    ),
  );
export type InboundReceiverSpec = z.infer<typeof InboundReceiverSpec>;

export const InboundReceiverStatus = z.object({
  ...commonStatus,
  id: z.string().optional().describe('id of the receiver in the API'),
  address: z.string().optional().describe('the email address'),
  secretName: z.string().optional().describe('name of the Secret that the operator created'),
});
export type InboundReceiverStatus = z.infer<typeof InboundReceiverStatus>;
