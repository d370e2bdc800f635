/** The settings of webhooks, for the dispatcher and for test webhooks of the API. */
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

import { Duration } from '../../core/time/duration.ts';
import { NetworkList } from '../../core/network/network.ts';
import type { AgentOptions } from '../../adapters/http/agents.ts';
import { optional } from '../../core/resource/described.ts';

function hasReadableCredentials(url: string): boolean {
  const { username = '', password = '' } = URL.parse(url) ?? {};
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

export const WebhookConfig = {
  WEBHOOK_TIMEOUT: Duration.prefault('30s').describe(
    'time limit for the whole response of a receiver',
  ),
  WEBHOOK_ALLOWED_NETWORKS: NetworkList.prefault('').describe(
    'CIDR ranges that webhooks may reach although they are not public, separated by commas',
  ),
  WEBHOOK_PROXY_URL: optional(
    z
      .url({ protocol: /^https?$/ })
      .refine(hasReadableCredentials, 'must have its user name and password in percent-encoding'),
    'HTTP proxy that webhooks go through, such as http://user:password@proxy.example.com:3128',
  ),
  WEBHOOK_CA_FILE: optional(
    z.string(),
    'PEM files of further certificate authorities for the certificates of receivers, separated by commas',
  ),
};
export type WebhookConfig = z.output<z.ZodObject<typeof WebhookConfig>>;

export async function webhookOptions(config: WebhookConfig): Promise<AgentOptions> {
  const caFiles = config.WEBHOOK_CA_FILE?.split(/\s*,\s*/) ?? [];
  return {
    timeoutMs: config.WEBHOOK_TIMEOUT,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    extraCa: await Promise.all(caFiles.map(readAuthorities)),
    proxyUrl: config.WEBHOOK_PROXY_URL,
  };
}

const readAuthorities = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`cannot read WEBHOOK_CA_FILE ${file}`, { cause });
  });
