/**
 * The operator's permissions in a cluster, and the resources that it uses. The chart generates its
 * roles from this file.
 */
import { API_VERSION, GROUP, KIND_NAMES, KINDS } from '../../core/kube/custom-resource.ts';
import type { Resource, Verb } from '../../adapters/kube/client.ts';

type Rule = { apiGroups: string[]; resources: string[]; verbs: Verb[] };

const plurals = KIND_NAMES.map((kind) => KINDS[kind].plural);

/** In every namespace that it watches: a ClusterRole, or a Role in each. */
export const RULES: readonly Rule[] = [
  { apiGroups: [GROUP], resources: plurals, verbs: ['list', 'watch', 'patch'] }, // patch: for the finalizer
  { apiGroups: [GROUP], resources: plurals.map((plural) => `${plural}/status`), verbs: ['patch'] },
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch', 'create', 'update'] },
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'] },
];

/** In its own namespace, for leader election: a Role. */
export const LEASE_RULES: readonly Rule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
];

/** In its own namespace, where it makes routes for MTA-STS policies: a Role, only with this value. */
const routeVerbs: Verb[] = ['get', 'create', 'patch', 'delete'];
const certificates = {
  apiGroups: ['cert-manager.io'],
  resources: ['certificates'],
  verbs: routeVerbs,
};
export const ROUTE_RULES: Readonly<Record<'ingress' | 'gateway', readonly Rule[]>> = {
  ingress: [
    certificates,
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses'], verbs: routeVerbs },
  ],
  gateway: [
    certificates,
    {
      apiGroups: ['gateway.networking.k8s.io'],
      resources: ['listenersets', 'httproutes'],
      verbs: routeVerbs,
    },
  ],
};

const [, version = ''] = API_VERSION.split('/');

export const RESOURCES = {
  Account: { group: GROUP, version, plural: KINDS.Account.plural },
  InboundAddress: { group: GROUP, version, plural: KINDS.InboundAddress.plural },
  InboundReceiver: { group: GROUP, version, plural: KINDS.InboundReceiver.plural },
  InboundDomain: { group: GROUP, version, plural: KINDS.InboundDomain.plural },
  ApiToken: { group: GROUP, version, plural: KINDS.ApiToken.plural },
  AccountNotification: { group: GROUP, version, plural: KINDS.AccountNotification.plural },
  SenderList: { group: GROUP, version, plural: KINDS.SenderList.plural },
  AccountBucket: { group: GROUP, version, plural: KINDS.AccountBucket.plural },
  Secret: { group: '', version: 'v1', plural: 'secrets' },
  Event: { group: 'events.k8s.io', version: 'v1', plural: 'events' },
  Certificate: { group: 'cert-manager.io', version: 'v1', plural: 'certificates' },
  Ingress: { group: 'networking.k8s.io', version: 'v1', plural: 'ingresses' },
  ListenerSet: { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'listenersets' },
  HTTPRoute: { group: 'gateway.networking.k8s.io', version: 'v1', plural: 'httproutes' },
  Lease: { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' },
} as const satisfies Record<string, Resource>;
