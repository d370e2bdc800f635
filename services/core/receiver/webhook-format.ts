/** What a receiver gets for an email: which body, and which headers in addition to Standard Webhooks. */
import { z } from 'zod';

import { describeSchema } from '../api-reference.ts';
import { WEBHOOK_FORMATS } from './webhook-format-names.ts';

export const WebhookFormat = z
  .enum(WEBHOOK_FORMATS)
  .describe(
    'body of its webhooks: JSON of Inlet (inlet), the same with the headers of a CloudEvent ' +
      '(cloudevents), what the inbound webhook of another service posts (postmark, sendgrid, ' +
      'mailgun, cloudmailin), or the email itself (raw)',
  );
export type WebhookFormat = z.infer<typeof WebhookFormat>;
describeSchema(WebhookFormat, 'WebhookFormat');

/** Whether the body is made of the stored payload; `raw` is made of the email itself. */
export type OtherBody = 'postmark' | 'sendgrid' | 'mailgun' | 'cloudmailin';
export const hasOtherBody = (format: WebhookFormat | undefined): format is OtherBody =>
  format !== undefined && format !== 'inlet' && format !== 'cloudevents' && format !== 'raw';
