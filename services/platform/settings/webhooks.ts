/** The settings of webhooks, for all who send any: the dispatcher, and the API for tests. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

import { Duration } from '../../core/duration.ts';
import { NetworkList } from '../../core/network.ts';
import type { WebhookOptions } from '../../adapters/http/webhook.ts';

export const WebhookConfig = {
  WEBHOOK_TIMEOUT: Duration.prefault('30s').describe(
    'time that a receiver has for its whole answer',
  ),
  WEBHOOK_ALLOWED_NETWORKS: NetworkList.prefault('').describe(
    'CIDR ranges that webhooks may reach though they are not public, separated by commas',
  ),
  WEBHOOK_CA_FILE: z
    .string()
    .optional()
    .describe('PEM file of certificate authorities that receivers may use beside the public ones'),
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
