/** The fields of requests about where webhooks go, and how: of addresses and of further receivers. */
import { z } from 'zod';

import { PayloadSettings } from '../../core/receiver/payload-settings.ts';
import { WEBHOOK_FORMATS } from '../../core/receiver/webhook-format-names.ts';
import { PULL_FORMATS } from '../../core/receiver/webhook-mode.ts';
import { WEBHOOK_FIELDS } from '../../core/receiver/webhook-settings.ts';
import { StorageRequest } from '../../core/bucket/storage-settings.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { tokenUrlFault } from '../../core/receiver/token-url.ts';
import { checkWebhookUrl, WEBHOOK_URL_MAX_CHARS } from '../../core/network/webhook-url.ts';
import { compiled } from '../http/input/expression-field.ts';
import { issueOf, RULE_TEXT } from '../../core/error/app-error.ts';

export type BodySettings = {
  /** Networks that are not public, but that webhooks may reach. */
  allowedNetworks: readonly string[];
  /** Whether links to files are configured; without them, the payload contains all attachments. */
  offersFiles: boolean;
};
/** @param allowedNetworks not public, but webhooks may reach them */
export const webhookUrl = (allowedNetworks: readonly string[]) =>
  z
    .string()
    .transform((text, context) => {
      const checked = checkWebhookUrl(text, allowedNetworks);
      if ('url' in checked) return checked.url;
      context.issues.push(issueOf(checked.fault, text));
      return z.NEVER;
    })
    .meta({
      format: 'uri',
      maxLength: WEBHOOK_URL_MAX_CHARS,
      pattern: '^[^#]*$', // D27: no fragment
      description: 'publicly reachable HTTPS URL that receives the webhooks',
    });

/** @param offersFiles whether links to files are configured */
export function payloadBody(offersFiles: boolean) {
  const { attachments, raw, extract } = PayloadSettings.shape;
  return z
    .strictObject({
      attachments: attachments
        .unwrap()
        .refine(
          (value) => value !== 'url' || offersFiles,
          'must be inline: this installation has no LINK_KEYS',
        )
        .optional()
        .describe('default: inline'),
      raw: raw
        .unwrap()
        .refine(
          (value) => !value || offersFiles,
          'must be false: this installation has no LINK_KEYS',
        )
        .optional()
        .describe('default: false'),
      extract: extract
        .unwrap()
        .optional()
        .describe('what Inlet reads from the email into `extracted` of the payload; default: none'),
      storage: StorageRequest.nullable()
        .optional()
        .describe(
          'files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none)',
        ),
    })
    .describe(
      'how the payload carries attachments and the raw email, and its optional parts; links ' +
        'require LINK_KEYS in the settings of the API',
    );
}

/** What the bodies of addresses and of further receivers say about webhooks. */
export function webhookFields({ allowedNetworks }: Pick<BodySettings, 'allowedNetworks'>) {
  const shape = shapeOf(WEBHOOK_FIELDS, 'create');
  const auth = shape.auth.superRefine((value, context) => {
    const fault = tokenUrlFault(value, allowedNetworks);
    const path = ['oauth2', 'token_url'];
    if (fault) context.issues.push({ ...issueOf(fault, value, RULE_TEXT[fault]), path });
  });
  return { ...shape, when: compiled(shape.when), auth };
}

export const URL_TEXT =
  'publicly reachable HTTPS URL that receives the webhooks; null for an address whose email is only ' +
  'stored: it can be read, and no webhook is sent';
export const WebhookEnabled = z
  .boolean()
  .describe(
    'false: no new email is sent to webhook_url; further receivers get it, and it can be read; ' +
      'default: true',
  );

/** Matches a body with a format that only a POST has and the mode pull. The API document uses it. */
export const PULL_WITH_OTHER_FORMAT = {
  required: ['mode', 'format'],
  properties: {
    mode: { const: 'pull' },
    format: { enum: WEBHOOK_FORMATS.filter((format) => !PULL_FORMATS.includes(format)) },
  },
};
