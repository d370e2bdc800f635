/**
 * K.5: the MTA-STS policy of an InboundDomain: its mode, the objects that serve it, and when they
 * go.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { challengeValue } from '../../services/core/domain/challenge.ts';
import { policyRecord } from '../../services/core/deliverability/mta-sts.ts';
import type { MxCertificate } from '../../services/core/deliverability/mx-certificate.ts';
import type { MtaStsRouting, RouteKind } from '../../services/core/kube/mta-sts/objects.ts';
import { definitionOf } from '../support/kube-api/definitions.ts';
import { manifest } from '../support/manifests.ts';
import { createNamespace, type TestNamespace } from './namespace.ts';
import { type Operator, type OperatorBed, startOperatorBed } from './operator-bed.ts';

const MINUTE_MS = 60_000;
const INGRESS: MtaStsRouting = {
  namespace: 'inlet',
  service: { name: 'inlet-api', port: 80 },
  issuer: { kind: 'ClusterIssuer', name: 'letsencrypt' },
  via: { ingressClass: 'nginx' },
};
const GATEWAY: MtaStsRouting = {
  ...INGRESS,
  via: { gateway: { namespace: 'infra', name: 'public' } },
};
const COVERING: MxCertificate = {
  names: ['mx.in.example'],
  notAfter: new Date(Date.now() + 365 * 86_400_000),
  isSelfSigned: false,
};

let bed: OperatorBed;
let operator: Operator;
let certificate: MxCertificate | undefined;
const parts = new AsyncDisposableStack();
const start = async (mtaStsRouting: MtaStsRouting | undefined) =>
  parts.use(await bed.start({ settings: { mtaStsRouting }, mxCertificate: () => certificate }));
beforeAll(async () => {
  bed = parts.use(await startOperatorBed());
  operator = await start(INGRESS);
});
afterAll(() => parts.disposeAsync());
beforeEach(() => {
  certificate = COVERING;
});

const own = (domain: string, mtaSts?: string) =>
  manifest('InboundDomain', 'own', {
    accountRef: { name: 'shop' },
    domain,
    ...(mtaSts && { mtaSts }),
  });

async function claimed(domain: string, mtaSts?: string, by = operator): Promise<TestNamespace> {
  const space = createNamespace(bed, by);
  await space.withAccount();
  await space.settle(own(domain, mtaSts));
  return space;
}
async function verified(domain: string, mtaSts?: string, by = operator): Promise<TestNamespace> {
  const space = await claimed(domain, mtaSts, by);
  const [{ token } = {}] = await space.records('domains');
  bed.dns.set(domain, {
    txt: [challengeValue(String(token))],
    mx: [{ exchange: 'mx.in.example', priority: 10 }],
  });
  bed.passMs(MINUTE_MS);
  await space.reconcile('InboundDomain', 'own');
  return space;
}
const stateOf = (space: TestNamespace) => space.condition('InboundDomain', 'own', 'MtaSts');
const statusOf = (space: TestNamespace) => space.get('InboundDomain', 'own')?.status;
const modeOf = async (space: TestNamespace) => (await space.records('domains'))[0]?.mta_sts;
const KINDS: RouteKind[] = ['Certificate', 'Ingress', 'ListenerSet', 'HTTPRoute'];
const find = (kind: RouteKind, domain: string) =>
  bed.kube.objects.find({
    definition: definitionOf(kind),
    namespace: 'inlet',
    name: `mta-sts.${domain}`,
  });
const routeOf = (domain: string) => KINDS.filter((kind) => find(kind, domain));

test('K.5: a domain without a policy has no condition and no route', async () => {
  const space = await verified('plain.example');
  expect([stateOf(space), statusOf(space)?.mtaSts, routeOf('plain.example')]).toEqual([
    undefined,
    undefined,
    [],
  ]);
});

test('K.5: a policy waits for the verification, then has an Ingress and a certificate', async () => {
  const waiting = await claimed('routed.example', 'testing');
  expect([stateOf(waiting), routeOf('routed.example')]).toEqual(['False Unverified', []]);
  const space = await verified('first.example', 'testing');
  expect([stateOf(space), await modeOf(space)]).toEqual(['True Testing', 'testing']);
  expect(statusOf(space)?.mtaSts).toEqual({
    mode: 'testing',
    record: {
      type: 'TXT',
      name: '_mta-sts.first.example',
      value: policyRecord('testing', ['mx.in.example']),
    },
  });
  expect(find('Ingress', 'first.example')?.spec).toMatchObject({
    ingressClassName: 'nginx',
    tls: [{ hosts: ['mta-sts.first.example'], secretName: 'mta-sts.first.example' }],
    rules: [{ host: 'mta-sts.first.example' }],
  });
  expect(find('Certificate', 'first.example')?.spec).toMatchObject({
    secretName: 'mta-sts.first.example',
    dnsNames: ['mta-sts.first.example'],
    issuerRef: { kind: 'ClusterIssuer', name: 'letsencrypt' },
  });
  const before = bed.kube.calls.length;
  await space.reconcile('InboundDomain', 'own');
  expect(bed.kube.calls.slice(before)).toEqual(['get certificates', 'get ingresses']);
});

test('K.5: with a Gateway, the route has a listener of its own', async () => {
  const space = await verified('gateway.example', 'testing', await start(GATEWAY));
  expect([stateOf(space), routeOf('gateway.example')]).toEqual([
    'True Testing',
    ['Certificate', 'ListenerSet', 'HTTPRoute'],
  ]);
  expect(find('ListenerSet', 'gateway.example')?.spec).toMatchObject({
    parentRef: { kind: 'Gateway', namespace: 'infra', name: 'public' },
    listeners: [{ hostname: 'mta-sts.gateway.example', protocol: 'HTTPS' }],
  });
  expect(find('HTTPRoute', 'gateway.example')?.spec).toMatchObject({
    parentRefs: [{ kind: 'ListenerSet', name: 'mta-sts.gateway.example' }],
    rules: [{ backendRefs: [{ name: 'inlet-api', port: 80 }] }],
  });
});

test('K.5: without a route in the chart, the policy is served and the condition says what to do', async () => {
  const space = await verified('own-route.example', 'testing', await start(undefined));
  expect([stateOf(space), await modeOf(space), routeOf('own-route.example')]).toEqual([
    'True Testing',
    'testing',
    [],
  ]);
  const conditions = statusOf(space)?.conditions as { type: string; message: string }[];
  expect(conditions.find(({ type }) => type === 'MtaSts')?.message).toContain('mtaSts.route');
});

test('K.5: enforce is refused while the certificate does not cover an MX host', async () => {
  certificate = { ...COVERING, names: ['other.in.example'] };
  const space = await verified('strict.example', 'testing');
  await space.settle(own('strict.example', 'enforce'));
  expect([stateOf(space), await modeOf(space)]).toEqual(['False EnforceRefused', 'testing']);
  const conditions = statusOf(space)?.conditions as { type: string; message: string }[];
  expect(conditions.find(({ type }) => type === 'MtaSts')?.message).toBe(
    'The certificate of the MX hosts does not cover mx.in.example. The policy is still testing',
  );
  expect(space.condition('InboundDomain', 'own')).toBe('True Ready');

  certificate = COVERING;
  await space.reconcile('InboundDomain', 'own');
  expect([stateOf(space), await modeOf(space)]).toEqual(['True Enforced', 'enforce']);

  certificate = undefined;
  await space.reconcile('InboundDomain', 'own');
  expect([stateOf(space), await modeOf(space)]).toEqual(['False CertificateGap', 'enforce']);
});

test('K.5: the objects go with the mode, and again with the resource', async () => {
  const space = await verified('leaving.example', 'testing');
  await space.settle(own('leaving.example', 'none'));
  expect([stateOf(space), await modeOf(space), routeOf('leaving.example')]).toEqual([
    'False Off',
    'none',
    [],
  ]);
  await space.settle(own('leaving.example', 'testing'));
  expect(routeOf('leaving.example')).toEqual(['Certificate', 'Ingress']);
  space.delete('InboundDomain', 'own');
  expect(await space.reconcile('InboundDomain', 'own')).toEqual({ result: 'removed' });
  expect(routeOf('leaving.example')).toEqual([]);
  expect(await space.audited()).toEqual([
    'domain.created',
    'domain.deleted',
    'domain.updated',
    'domain.updated',
    'domain.updated',
    'domain.verified',
  ]);
});

test('K.5: the deletion of another resource of the same domain leaves the route', async () => {
  const space = await verified('both.example', 'testing');
  const other = await claimed('both.example', 'testing');
  other.delete('InboundDomain', 'own');
  await other.reconcile('InboundDomain', 'own');
  expect(routeOf('both.example')).toEqual(['Certificate', 'Ingress']);
  expect(stateOf(space)).toBe('True Testing');
});

test('K.5: an object of that name that is not of the operator stays as it is', async () => {
  const name = 'mta-sts.taken.example';
  const place = { definition: definitionOf('Ingress'), namespace: 'inlet', name };
  const spec = { rules: [] };
  bed.kube.verbs.create(place, { metadata: { name, namespace: 'inlet' }, spec });
  const space = await verified('taken.example', 'testing');
  expect(stateOf(space)).toBe('False RouteRefused');
  expect(find('Ingress', 'taken.example')?.spec).toEqual(spec);
  space.delete('InboundDomain', 'own');
  await space.reconcile('InboundDomain', 'own');
  expect(routeOf('taken.example')).toEqual(['Ingress']);
});

test('K.5: what the cluster refuses is in the condition, and the domain stays ready', async () => {
  bed.kube.faults.order({ status: 403 }, { on: 'patch certificates' });
  const space = await verified('refused.example', 'testing');
  expect([stateOf(space), space.condition('InboundDomain', 'own')]).toEqual([
    'False RouteRefused',
    'True Ready',
  ]);
  await space.reconcile('InboundDomain', 'own');
  expect(stateOf(space)).toBe('True Testing');
});
