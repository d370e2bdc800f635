/**
 * The objects that serve the MTA-STS policy of a domain from `mta-sts.<domain>`: a certificate of
 * cert-manager, and an Ingress or an HTTPRoute with a listener of its own. They are in the namespace
 * of Inlet, next to the Service of its API.
 */
import { createHash } from 'node:crypto';

import type { ManagedBy } from '../../resource/managed-by.ts';
import { POLICY_PATH, policyHost } from '../../deliverability/mta-sts.ts';

export type MtaStsRouting = {
  /** Namespace of the objects. */
  namespace: string;
  /** The Service of the API. */
  service: { name: string; port: number };
  issuer: { kind: string; name: string };
  /** An Ingress of this class, undefined for the default one; or listeners of this Gateway. */
  via: { ingressClass: string | undefined } | { gateway: { namespace: string; name: string } };
};

export type RouteKind = 'Certificate' | 'Ingress' | 'ListenerSet' | 'HTTPRoute';
type RouteObject = {
  apiVersion: string;
  kind: RouteKind;
  metadata: { name: string; namespace: string; labels: Record<string, string> };
  spec: object;
};

export const MANAGED_BY_OPERATOR = { 'app.kubernetes.io/managed-by': 'inlet-operator' };
/** Changes with the content of an object, so that it is written only then. */
export const CONTENT_LABEL = 'inlet.email/content';
/** Stands for the resource: names are too long for labels. */
export const OWNER_LABEL = 'inlet.email/owner';
const DIGEST_CHARS = 32;
const GATEWAY_API = 'gateway.networking.k8s.io';

/** In the order in which they are made. */
export const routeKinds = ({ via }: Pick<MtaStsRouting, 'via'>): RouteKind[] =>
  'gateway' in via ? ['Certificate', 'ListenerSet', 'HTTPRoute'] : ['Certificate', 'Ingress'];

/** The name of each object, and of the Secret with the certificate. */
export const routeName = policyHost;

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, DIGEST_CHARS);

export const ownerLabel = ({ namespace, name }: ManagedBy): string => digest([namespace, name]);

export function routeObjects(
  domain: string,
  owner: ManagedBy,
  routing: MtaStsRouting,
): RouteObject[] {
  const host = policyHost(domain);
  const name = routeName(domain);
  const { namespace, service, issuer, via } = routing;
  const object = (apiVersion: string, kind: RouteKind, spec: object): RouteObject => {
    const labels = {
      ...MANAGED_BY_OPERATOR,
      [OWNER_LABEL]: ownerLabel(owner),
      [CONTENT_LABEL]: digest([apiVersion, spec]),
    };
    return { apiVersion, kind, metadata: { name, namespace, labels }, spec };
  };
  const certificate = object('cert-manager.io/v1', 'Certificate', {
    secretName: name,
    dnsNames: [host],
    privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Always' },
    issuerRef: { group: 'cert-manager.io', ...issuer },
  });
  if (!('gateway' in via))
    return [
      certificate,
      object('networking.k8s.io/v1', 'Ingress', {
        ...(via.ingressClass !== undefined && { ingressClassName: via.ingressClass }),
        tls: [{ hosts: [host], secretName: name }],
        rules: [
          {
            host,
            http: {
              paths: [
                {
                  path: POLICY_PATH,
                  pathType: 'Exact',
                  backend: { service: { name: service.name, port: { number: service.port } } },
                },
              ],
            },
          },
        ],
      }),
    ];
  return [
    certificate,
    object(`${GATEWAY_API}/v1`, 'ListenerSet', {
      parentRef: { group: GATEWAY_API, kind: 'Gateway', ...via.gateway },
      listeners: [
        {
          name: 'https',
          hostname: host,
          port: 443,
          protocol: 'HTTPS',
          tls: { mode: 'Terminate', certificateRefs: [{ name }] },
        },
      ],
    }),
    object(`${GATEWAY_API}/v1`, 'HTTPRoute', {
      parentRefs: [{ group: GATEWAY_API, kind: 'ListenerSet', name }],
      hostnames: [host],
      rules: [
        {
          matches: [{ path: { type: 'Exact', value: POLICY_PATH } }],
          backendRefs: [{ name: service.name, port: service.port }],
        },
      ],
    }),
  ];
}
