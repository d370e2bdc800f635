/** The settings of routes for MTA-STS policies. The chart makes them of `mtaSts`. */
import { z } from 'zod';

import type { MtaStsRouting } from '../../core/kube/mta-sts/objects.ts';

/** A name of two parts, such as `namespace/name`. */
const Pair = z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must have the form a/b');

export const MtaStsConfig = {
  MTA_STS_ROUTE: z
    .enum(['none', 'ingress', 'gateway'])
    .default('none')
    .describe('what the operator makes for the MTA-STS policy of an InboundDomain'),
  MTA_STS_SERVICE: z
    .string()
    .regex(/^[a-z0-9-]+:\d{1,5}$/, 'must have the form name:port')
    .default('inlet-api:80')
    .describe('Service of the API, as name:port'),
  MTA_STS_INGRESS_CLASS: z
    .string()
    .optional()
    .describe("class of the Ingresses; the cluster's default when unset"),
  MTA_STS_GATEWAY: Pair.optional().describe(
    'Gateway that the routes attach to with a ListenerSet, as namespace/name',
  ),
  MTA_STS_ISSUER: Pair.default('ClusterIssuer/letsencrypt').describe(
    'issuer of cert-manager for the certificates, as kind/name',
  ),
};

export const gatewayIsNamed = ({
  MTA_STS_ROUTE,
  MTA_STS_GATEWAY,
}: {
  MTA_STS_ROUTE: string;
  MTA_STS_GATEWAY?: string | undefined;
}): boolean => MTA_STS_ROUTE !== 'gateway' || MTA_STS_GATEWAY !== undefined;

export const GATEWAY_NEEDED = {
  path: ['MTA_STS_GATEWAY'],
  message: 'is required with MTA_STS_ROUTE=gateway',
};

type Settings = z.output<z.ZodObject<typeof MtaStsConfig>>;

/** @returns undefined when the operator makes no routes */
export function mtaStsRouting(config: Settings, namespace: string): MtaStsRouting | undefined {
  if (config.MTA_STS_ROUTE === 'none') return undefined;
  const [service = '', port = ''] = config.MTA_STS_SERVICE.split(':');
  const [kind = '', name = ''] = config.MTA_STS_ISSUER.split('/');
  const [gatewayNamespace = '', gatewayName = ''] = (config.MTA_STS_GATEWAY ?? '').split('/');
  return {
    namespace,
    service: { name: service, port: Number(port) },
    issuer: { kind, name },
    via:
      config.MTA_STS_ROUTE === 'gateway'
        ? { gateway: { namespace: gatewayNamespace, name: gatewayName } }
        : { ingressClass: config.MTA_STS_INGRESS_CLASS },
  };
}
