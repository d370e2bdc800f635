/** The settings of webhooks, for the dispatcher and for test webhooks of the API. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

import { Duration } from '../../core/duration.ts';
import { NetworkList } from '../../core/network.ts';
import type { WebhookOptions } from '../../adapters/http/webhook.ts';

export const WebhookConfig = {
  WEBHOOK_TIMEOUT: Duration.prefault('30s').describe(
    'time limit for the whole response of a receiver',
  ),
  WEBHOOK_ALLOWED_NETWORKS: NetworkList.prefault('').describe(
    'CIDR ranges that webhooks may reach although they are not public, separated by commas',
  ),
  WEBHOOK_CA_FILE: z
    .string()
    .optional()
    .describe('PEM file of further certificate authorities for the certificates of receivers'),
};
export type WebhookConfig = z.output<z.ZodObject<typeof WebhookConfig>>;

export async function webhookOptions(config: WebhookConfig): Promise<WebhookOptions> {
  const extraCa =
    config.WEBHOOK_CA_FILE === undefined ? [] : [await readFile(config.WEBHOOK_CA_FILE, 'utf8')];
  return {
    timeoutMs: config.WEBHOOK_TIMEOUT,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    extraCa,
  };
}
