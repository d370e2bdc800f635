/** How webhooks go to a receiver, in the resources of addresses and of further receivers. */
import { z } from 'zod';

import { WEBHOOK_FIELDS } from '../../receiver/webhook-settings.ts';
import { specShape } from '../../resource/spec.ts';
import { PULL_FORMATS } from '../../receiver/webhook-mode.ts';
import { ReceiverAuthSpec } from './receiver-auth-spec.ts';
import { rules } from './spec-fields.ts';

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
      .regex(/^\/[^#\\\s]*$/, 'must be a path that begins with /')
      .default('/')
      .describe('path of the URL'),
  })
  .describe(
    'a Service of this namespace that receives the webhooks over HTTPS, by the name ' +
      '<name>.<namespace>.svc; instead of a URL',
  );

export const WebhookSpec = {
  service: ServiceRef.optional(),
  caBundle: z
    .string()
    .max(CA_BUNDLE_MAX_CHARS)
    .optional()
    .describe('PEM of the authorities of the Service; when absent, those that all receivers have'),
  auth: ReceiverAuthSpec.optional().describe(
    'how Inlet authenticates to the receiver; the operator reads the Secrets again every five ' +
      'minutes',
  ),
  ...specShape(WEBHOOK_FIELDS),
};

export const PULL_HAS_PAYLOAD = {
  rule: `!has(self.mode) || self.mode != 'pull' || self.format in ['${PULL_FORMATS.join("', '")}']`,
  message: 'with the mode pull, format is inlet or cloudevents',
};

export const CA_NEEDS_SERVICE = {
  rule: '!has(self.caBundle) || has(self.service)',
  message: 'caBundle is only for a service',
};
