/** The webhook secret on demand. Each view is an event (D36). */
import { z } from 'zod';

import { describeSchema, EXAMPLE } from '../../core/resource/api-reference.ts';
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import {
  FormerSecretsValidUntil,
  formerSecretsValidUntil,
} from '../../core/receiver/secret-overlap.ts';
import { AppError, notFound } from '../../core/error/app-error.ts';
import type { WebhookSigning } from '../../core/receiver/webhook-signing.ts';
import type { Audit } from '../../platform/audit.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';

export const WebhookSecretView = z.object({
  webhook_secret: z.string().describe('signs the webhooks; starts with whsec_'),
  former_secrets_valid_until: FormerSecretsValidUntil,
});
describeSchema(WebhookSecretView, undefined, {
  webhook_secret: EXAMPLE.webhook_secret,
  former_secrets_valid_until: null,
});

type WebhookSecretEndpointDependencies = {
  addresses: Pick<Addresses, 'find'>;
  /** The signing secrets of an address, including former ones. */
  target: (addressId: string) => Promise<WebhookTarget | undefined>;
  audit: Audit;
};

export const webhookSecretEndpoint = ({
  addresses,
  target,
  audit,
}: WebhookSecretEndpointDependencies): Endpoint =>
  defineEndpoint({
    call: 'GET /addresses/{address_id}/secret',
    operationId: 'getWebhookSecret',
    summary: 'Get the webhook secret, and how long a former one also signs; each view is an event',
    permission: 'secrets:read',
    reach: 'limited',
    tag: 'addresses',
    errors: ['conflict'],
    response: WebhookSecretView,
    handle: async ({ params: { address_id: id }, ...cause }) => {
      const [address, found] = await Promise.all([
        addresses.find(cause.caller, id, cause.now),
        target(id),
      ]);
      if (address === undefined || found === undefined) throw notFound('address');
      refusePrivateKey(address);
      await audit(cause, { type: 'address.secret_viewed', address_id: id, data: {} });
      return webhookSecretView(found, cause.now);
    },
  });

/** @throws AppError `conflict` */
export function refusePrivateKey({ signing }: { signing: WebhookSigning }): void {
  if (signing !== 'hmac')
    throw new AppError(
      'conflict',
      'The private key of a receiver is never shown. Its public_key verifies the webhooks',
    );
}

export const webhookSecretView = (
  { webhook_secret, former_secrets }: WebhookTarget,
  now: Date,
): z.infer<typeof WebhookSecretView> => ({
  webhook_secret,
  former_secrets_valid_until: formerSecretsValidUntil(former_secrets, now),
});
