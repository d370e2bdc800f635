/** The setting of routes for MTA-STS policies. The chart makes it of `mtaSts`. */
import { z } from 'zod';

import { Json } from '../../adapters/process/config.ts';
import type { MtaStsRouting } from '../../core/kube/mta-sts/objects.ts';

/** A name of two parts, such as `namespace/name`. */
const Pair = z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'must have the form a/b');

const Routes = z
  .strictObject({
    route: z.enum(['none', 'ingress', 'gateway']).default('none'),
    service: z
      .string()
      .regex(/^[a-z0-9-]+:\d{1,5}$/, 'must have the form name:port')
      .default('inlet-api:80'),
    ingress_class: z.string().min(1).optional(),
    gateway: Pair.optional(),
    issuer: Pair.default('ClusterIssuer/letsencrypt'),
  })
  .refine(({ route, gateway }) => route !== 'gateway' || gateway !== undefined, {
    path: ['gateway'],
    message: 'is required with the route gateway',
  });

export const MtaStsConfig = {
  MTA_STS: Json(Routes, 'deliverability.md')
    .prefault('{}')
    .describe(
      'JSON that says what the operator makes for the MTA-STS policy of an InboundDomain; the chart ' +
        'writes it: see docs/deliverability.md',
    ),
};

/** @returns undefined when the operator makes no routes */
export function mtaStsRouting(
  { MTA_STS: routes }: z.output<z.ZodObject<typeof MtaStsConfig>>,
  namespace: string,
): MtaStsRouting | undefined {
  if (routes.route === 'none') return undefined;
  const [service = '', port = ''] = routes.service.split(':');
  const [kind = '', name = ''] = routes.issuer.split('/');
  const [gatewayNamespace = '', gatewayName = ''] = (routes.gateway ?? '').split('/');
  return {
    namespace,
    service: { name: service, port: Number(port) },
    issuer: { kind, name },
    via:
      routes.route === 'gateway'
        ? { gateway: { namespace: gatewayNamespace, name: gatewayName } }
        : { ingressClass: routes.ingress_class },
  };
}
