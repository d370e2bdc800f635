/** Settings of the operator. */
import { z } from 'zod';

import { AddressConfig } from '../platform/settings/addresses.ts';
import { CommonConfig } from '../adapters/process/config.ts';
import { DnsConfig } from '../adapters/dns/resolver.ts';
import { MongoConfig } from '../adapters/mongo/connection.ts';
import { NatsConfig } from '../adapters/stream/connection.ts';
import { PlanConfig } from '../platform/settings/plans.ts';
import { SecretsConfig } from '../adapters/mongo/secrets.ts';
import { LinkConfig } from '../platform/settings/links.ts';
import { WebhookConfig } from '../platform/settings/webhooks.ts';
import { Duration } from '../core/duration.ts';

export const OperatorConfig = z.object({
  ...CommonConfig,
  ...MongoConfig,
  ...NatsConfig,
  ...SecretsConfig,
  ...PlanConfig,
  ...AddressConfig,
  DNS_SERVERS: DnsConfig.DNS_SERVERS,
  DNS_TIMEOUT: DnsConfig.DNS_TIMEOUT,
  WEBHOOK_ALLOWED_NETWORKS: WebhookConfig.WEBHOOK_ALLOWED_NETWORKS,
  PUBLIC_API_URL: LinkConfig.PUBLIC_API_URL,
  KUBECONFIG: z
    .string()
    .optional()
    .describe("kubeconfig file of the cluster; the pod's service account when unset"),
  WATCH_NAMESPACES: z
    .string()
    .default('')
    .transform((text) => [
      ...new Set(
        text
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      ),
    ])
    .describe('namespaces whose resources are tended, separated by commas; all when empty'),
  LEASE_NAMESPACE: z
    .string()
    .optional()
    .describe("namespace of the Lease by which operators elect a leader; the pod's own when unset"),
  LEASE_NAME: z.string().default('inlet-operator').describe('name of that Lease'),
  LEASE_DURATION: Duration.prefault('10s').describe(
    'time after which the Lease of a leader that died is taken over',
  ),
  RESYNC_INTERVAL: Duration.prefault('5m').describe(
    'how often every resource is listed and looked at anew',
  ),
  WATCH_TIMEOUT: Duration.prefault('60s').describe(
    'how long one watch goes on; one that is silent for 5 s more is taken for dead',
  ),
  RECONCILE_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(8)
    .describe('resources that are worked on at once'),
  KUBE_REQUESTS_PER_SECOND: z.coerce
    .number()
    .min(1)
    .default(50)
    .describe('requests to the Kubernetes API each second, on average; twice as many at once'),
});
export type OperatorConfig = z.output<typeof OperatorConfig>;
