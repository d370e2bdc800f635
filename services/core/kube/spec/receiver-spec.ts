/** The schema of an InboundReceiver resource. */
import { z } from 'zod';

import { RECEIVER } from '../../receiver/receiver.ts';
import { specShape } from '../../resource/spec.ts';
import { PayloadSpec } from './payload-spec.ts';
import {
  commonStatus,
  immutable,
  OBJECT_NAME_MAX_CHARS,
  ReceiverUrl,
  rules,
  SecretGeneration,
  SecretName,
} from './spec-fields.ts';
import { CA_NEEDS_SERVICE, PULL_HAS_PAYLOAD, WebhookSpec } from './webhook-spec.ts';

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

export const InboundReceiverSpec = z
  .object({
    addressRef: AddressRef,
    ...specShape(RECEIVER.fields),
    url: ReceiverUrl.optional().describe(
      'HTTPS URL that receives the webhooks; it must be publicly reachable',
    ),
    payload: PayloadSpec.optional().describe(
      'options that change the payload; when absent, the defaults',
    ),
    service: WebhookSpec.service,
    caBundle: WebhookSpec.caBundle,
    auth: WebhookSpec.auth,
    secretName: SecretName.optional().describe(
      'name of the Secret that the operator creates with url, and webhook_secret or public_key; ' +
        'default: the name of this resource followed by -receiver',
    ),
    secretGeneration: SecretGeneration,
  })
  .meta(
    rules(
      {
        rule:
          "has(self.mode) && self.mode == 'pull' ? !(has(self.url) && has(self.service)) : " +
          'has(self.url) != has(self.service)',
        message: 'exactly one of url and service; with the mode pull, at most one',
      },
      PULL_HAS_PAYLOAD,
      CA_NEEDS_SERVICE,
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
