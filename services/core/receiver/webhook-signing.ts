/** How webhooks are signed: with a secret that the receiver shares, or with a private key. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';

export const WebhookSigning = z
  .enum(['hmac', 'ed25519'])
  .describe(
    'hmac: with a secret that the receiver has, too; ed25519: with a private key that Inlet keeps',
  );
export type WebhookSigning = z.infer<typeof WebhookSigning>;
describeSchema(WebhookSigning, 'WebhookSigning');
