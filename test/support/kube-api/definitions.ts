/**
 * The resources that the API server of tests knows: those that the operator uses, as in a cluster
 * with the CRDs. The zod schemas stand for the schemas of the CRDs: they refuse, drop
 * unknown fields and set defaults. Validation rules in CEL are not modelled.
 */
import type { z } from 'zod';

import { GROUP, KIND_NAMES, KINDS, VERSION } from '../../../services/core/kube/custom-resource.ts';

export type Definition = {
  kind: string;
  group: string;
  version: string;
  plural: string;
  /**
   * Of a custom resource, which also has a generation and its status in a subresource.
   */
  spec?: z.ZodObject;
  /** Whether an update of a missing object creates it. */
  isCreatedByUpdate?: boolean;
  /** Whether an update without a resource version is accepted. */
  isUpdatedUnconditionally?: boolean;
};

const GATEWAY_API = 'gateway.networking.k8s.io';

export const DEFINITIONS: readonly Definition[] = [
  ...KIND_NAMES.map((kind) => ({
    kind,
    group: GROUP,
    version: VERSION,
    plural: KINDS[kind].plural,
    spec: KINDS[kind].spec as z.ZodObject,
  })),
  { kind: 'Secret', group: '', version: 'v1', plural: 'secrets', isUpdatedUnconditionally: true },
  { kind: 'Certificate', group: 'cert-manager.io', version: 'v1', plural: 'certificates' },
  { kind: 'Ingress', group: 'networking.k8s.io', version: 'v1', plural: 'ingresses' },
  { kind: 'ListenerSet', group: GATEWAY_API, version: 'v1', plural: 'listenersets' },
  { kind: 'HTTPRoute', group: GATEWAY_API, version: 'v1', plural: 'httproutes' },
  { kind: 'Event', group: 'events.k8s.io', version: 'v1', plural: 'events' },
  {
    kind: 'Lease',
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    isCreatedByUpdate: true,
  },
];

export const apiVersionOf = ({ group, version }: Definition): string =>
  group === '' ? version : `${group}/${version}`;

/** As error messages name it: `secrets`, `accounts.inlet.email`. */
export const qualifiedName = ({ group, plural }: Definition): string =>
  group === '' ? plural : `${plural}.${group}`;

export const definitionOf = (kind: string): Definition => {
  const found = DEFINITIONS.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind} in the API server of tests`);
  return found;
};
