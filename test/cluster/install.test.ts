/**
 * The chart on a real cluster: installed in a namespace with "restricted" pod security, used with
 * resources, mail and webhooks, uninstalled and installed again. Each step needs the ones before it.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { makeCertificate } from '../../services/adapters/tls/certificates.ts';
import { EXAMPLES, exampleArgs } from '../chart/examples.ts';
import { CHART, CRD_CHART } from '../support/charts.ts';
import type { Helm } from '../support/helm.ts';
import { manifest } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import type { Images } from './images.ts';
import { createNamespace, kubectl, type Namespace } from './kubectl.ts';
import {
  ask,
  clusterHelm,
  type ReceiverState,
  runListener,
  setOptions,
  startMailing,
  underLoad,
  uninstall,
  WAIT,
} from './release.ts';
import { failingRunbookCommands } from './runbooks.ts';

const RELEASE = 'mail';
const NAME = 'mail-inlet';
const TLS_SECRET = 'gateway-tls';

const parts = new AsyncDisposableStack();
let helm: Helm;
let images: Images;
let namespace: Namespace;
let monitoring: Namespace;
const timings: string[] = [];
let takeOver: string[];

/** The evaluation profile with two pods of each service, so that one can be replaced. */
const values = (): string[] => {
  const settings = {
    inboundDomain: 'in.example.com',
    'image.repository': images.repository,
    'image.tag': images.tag,
    'gateway.replicaCount': '2',
    'dispatcher.replicaCount': '2',
    'api.replicaCount': '2',
    'operator.replicaCount': '2',
    'operator.namespaces': `{${namespace.name}}`,
    'gateway.tls.existingSecret': TLS_SECRET,
    'webhooks.allowedNetworks': '{10.0.0.0/8}',
    'networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name':
      monitoring.name,
    'gateway.preStopSeconds': '5',
    'api.preStopSeconds': '5',
    'gateway.terminationGracePeriodSeconds': '50',
  };
  return ['-f', join(CHART, 'values-evaluation.yaml'), ...setOptions(settings)];
};

/** A command of helm for the release of the test. */
const release = (command: 'install' | 'upgrade' | 'template', ...options: string[]) =>
  helm(command, RELEASE, CHART, '-n', namespace.name, ...options);

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = Date.now();
  const result = await work();
  timings.push(`${what}: ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

/** Runs JavaScript in a pod of the release, or the sender's. */
const evaluate = (pod: string, script: string): Promise<string> =>
  namespace.run('exec', pod, '--', 'node', '-e', script);

const CONNECTS = (host: string, port: number) =>
  `const s = require('node:net').connect({ host: '${host}', port: ${port}, timeout: 2000 });
   const report = (state) => () => { console.log(state); process.exit() };
   s.on('connect', report('open')).on('timeout', report('closed')).on('error', report('closed'))`;

const RESOLVES = (host: string) =>
  `require('node:dns').promises.lookup('${host}').then(() => 'resolved', ({ code }) => code).then(console.log)`;

const admin = (...words: string[]) =>
  namespace.run('exec', `deploy/${NAME}-api`, '--', 'inlet', 'admin', ...words);

async function putCertificate(): Promise<void> {
  const { cert, key } = await makeCertificate(['mx-1.example.com']);
  await namespace.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: TLS_SECRET },
    stringData: { 'tls.crt': cert, 'tls.key': key },
  });
}

beforeAll(async () => {
  ({ helm, takeOver } = await clusterHelm());
  images = inject('images');
  namespace = parts.use(await createNamespace());
  monitoring = parts.use(await createNamespace());
  await kubectl([
    'label',
    'namespace',
    namespace.name,
    'pod-security.kubernetes.io/enforce=restricted',
  ]);
  await putCertificate();
});

afterAll(async () => {
  process.stdout.write(timings.map((line) => `  ${line}\n`).join(''));
  if (namespace !== undefined) await uninstall(helm, RELEASE, namespace);
  await parts.disposeAsync();
});

test('the API server accepts the objects of profiles and examples, with strict validation', async () => {
  const files = [
    join(CHART, 'values-production.yaml'),
    join(import.meta.dirname, '..', 'fixtures', 'chart', 'everything.values.yaml'),
  ];
  const examples = await Promise.all(EXAMPLES.map((example) => exampleArgs(example)));
  const roles = ['--set', `operator.namespaces={${namespace.name}}`];
  const sets = 'inboundDomain=in.example.com,crds.install=false';
  // Pods of `helm test`: even in a dry run, the API server looks up the account of a Pod.
  const accounts = [`${NAME}-test`, 'own-jobs'];
  for (const account of accounts) await namespace.run('create', 'serviceaccount', account);
  for (const args of [
    ['-f', join(CHART, 'values-evaluation.yaml')], // without namespaces: a ClusterRole
    ...files.map((file) => ['-f', file, ...roles]),
    ...examples.map((example) => [...example.values, ...roles]),
  ]) {
    const rendered = await release('template', ...args, '--set', sets);
    const ofKubernetes = parseAllDocuments(rendered).filter((document) =>
      /^(v1|(apps|batch|policy|autoscaling|networking\.k8s\.io|rbac\.authorization\.k8s\.io)\/v\d)$/.test(
        String(document.get('apiVersion')),
      ),
    );
    expect(
      await kubectl(
        ['-n', namespace.name, 'apply', '--dry-run=server', '--validate=strict', '-f', '-'],
        ofKubernetes.join(''),
      ),
    ).toContain('created');
  }
  for (const example of examples) await example[Symbol.asyncDispose]();
  await namespace.run('delete', 'serviceaccount', ...accounts);
});

test('helm install: every pod is ready, with restricted pod security and a default-deny policy', async () => {
  await namespace.apply({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'of-the-owner' },
    spec: {
      podSelector: {
        matchExpressions: [{ key: 'app.kubernetes.io/instance', operator: 'Exists' }], // not the sender
      },
      policyTypes: ['Ingress', 'Egress'],
    },
  });
  await timed('helm install --wait', () => release('install', ...values(), ...takeOver, ...WAIT));
  expect(
    await namespace.run(
      'get',
      'pods',
      '-o',
      'jsonpath={.items[*].status.containerStatuses[*].restartCount}',
    ),
  ).toMatch(/^[0 ]+$/);
});

test('a second release reports the definitions of the first, and both ways of docs/install work', async () => {
  const second = (chart: string, ...options: string[]) =>
    helm('install', 'second', chart, '-n', monitoring.name, '--dry-run=server', ...options);
  const again = (...options: string[]) => second(CHART, ...values(), ...options);
  await expect(again()).rejects.toThrow(
    /CustomResourceDefinition.* exists and cannot be imported into the current release/,
  );
  await again('--take-ownership');
  await again('--set', `crds.install=false,operator.namespaces={${monitoring.name}}`);
  await expect(second(CRD_CHART)).rejects.toThrow(/exists and cannot be imported/);
  await second(CRD_CHART, '--take-ownership');
});

test('a second release in the namespace, and other names, are refused before anything is applied', async () => {
  const inNamespace = ['-n', namespace.name, '--dry-run=server', ...values()];
  await expect(
    helm('install', 'second', CHART, ...inNamespace, '--set', 'crds.install=false'),
  ).rejects.toThrow(`the release ${RELEASE} is in the namespace ${namespace.name} already`);
  await expect(
    helm('upgrade', RELEASE, CHART, ...inNamespace, '--set', 'fullnameOverride=other'),
  ).rejects.toThrow('nameOverride and fullnameOverride cannot change');
});

test('custom resources create an account, a token and an address with their Secrets', async () => {
  await timed('resources ready, sender and receiver running', () =>
    startMailing(namespace, { release: NAME, image: `${images.repository}:${images.tag}` }),
  );
  expect((await namespace.get('inboundaddress/orders'))?.status?.address).toMatch(
    /@in\.example\.com$/,
  );
});

test('an email at the gateway becomes a signed webhook in a pod, and usage counts it', async () => {
  const sent = await timed('first mails to webhooks', () =>
    underLoad(namespace, async () => undefined),
  );
  expect(sent).toMatchObject({ refusedConnections: 0, brokenConnections: 0, rejected: [] });
  expect(await ask<ReceiverState>(namespace, 'receiver', 'state')).toMatchObject({
    badSignatures: 0,
  });
  const usage = await evaluate(
    'pod/sender',
    `const headers = { authorization: 'Bearer ' + process.env.TOKEN };
     fetch('http://${NAME}-api/v1/usage', { headers }).then((r) => r.text()).then(console.log)`,
  );
  const counted = JSON.parse(usage) as { emails: { total: number } };
  expect(counted.emails.total).toBe(sent.accepted.length);
});

test('D53: an InboundReceiver reaches a Service of its namespace, with the authority of its resource', async () => {
  const secret = await namespace.secret(`${NAME}-trial-tls`);
  await namespace.apply(
    manifest('InboundReceiver', 'service', {
      addressRef: { name: 'orders' },
      service: { name: 'receiver', port: 8443, path: '/busy' },
      caBundle: secret?.['ca.crt'],
    }),
  );
  const { status } = await namespace.untilReady('inboundreceiver/service');
  const { status: orders } = (await namespace.get('inboundaddress/orders')) ?? {};
  const path = `addresses/${String(orders?.id)}/receivers/${String(status?.id)}/test`;
  const answer = await evaluate(
    'pod/sender',
    `const headers = { authorization: 'Bearer ' + process.env.TOKEN };
     fetch('http://${NAME}-api/v1/${path}', { method: 'POST', headers })
       .then((r) => r.text()).then(console.log)`,
  );
  expect(JSON.parse(answer)).toMatchObject({ outcome: 'accepted', status_code: 204 });
  await namespace.run('delete', 'inboundreceiver/service');
});

test('helm test: an email becomes a webhook', async () => {
  expect(
    await timed('helm test', () =>
      helm('test', RELEASE, '-n', namespace.name, '--timeout', '300s'),
    ),
  ).toContain('Succeeded');
});

test('the commands of runbooks find what they name', async () => {
  expect(await failingRunbookCommands(namespace.name, RELEASE, NAME)).toEqual([]);
});

test('network policies: other pods reach neither NATS nor MongoDB, dispatchers not the API server', async () => {
  const [nats, mongodb, gateway] = await Promise.all([
    evaluate('pod/sender', CONNECTS(`${NAME}-nats`, 4222)),
    evaluate('pod/sender', CONNECTS(`${NAME}-mongodb-0.${NAME}-mongodb`, 27_017)),
    evaluate('pod/sender', CONNECTS(`${NAME}-gateway`, 25)),
  ]);
  expect({ nats: nats.trim(), mongodb: mongodb.trim(), gateway: gateway.trim() }).toEqual({
    nats: 'closed',
    mongodb: 'closed',
    gateway: 'open',
  });
  expect(
    (await evaluate(`deploy/${NAME}-dispatcher`, CONNECTS('kubernetes.default.svc', 443))).trim(),
  ).toBe('closed');
  expect((await evaluate(`deploy/${NAME}-dispatcher`, CONNECTS(`${NAME}-nats`, 4222))).trim()).toBe(
    'open',
  );
});

const podAddress = (from: Namespace, selector: string) =>
  from.run('get', 'pods', '-l', selector, '-o', 'jsonpath={.items[0].status.podIP}');

test('network policies: only the monitoring namespace reads metrics, only the cluster DNS gets queries', async () => {
  await runListener(monitoring, `${images.repository}:${images.tag}`);
  const gateway = await podAddress(namespace, 'app.kubernetes.io/component=gateway');
  const listener = await podAddress(monitoring, 'app=listener');
  const inMonitoring = (host: string, port: number) =>
    monitoring.run('exec', 'pod/listener', '--', 'node', '-e', CONNECTS(host, port));
  const reached = {
    metricsBySender: await evaluate('pod/sender', CONNECTS(gateway, 9090)),
    metricsByMonitoring: await inMonitoring(gateway, 9090),
    otherDnsByGateway: await evaluate(`deploy/${NAME}-gateway`, CONNECTS(listener, 53)),
    otherDnsByMonitoring: await inMonitoring(listener, 53), // it does listen
    clusterDnsByGateway: await evaluate(`deploy/${NAME}-gateway`, RESOLVES(`${NAME}-api`)),
  };
  expect(Object.entries(reached).map(([what, state]) => [what, state.trim()])).toEqual([
    ['metricsBySender', 'closed'],
    ['metricsByMonitoring', 'open'],
    ['otherDnsByGateway', 'closed'],
    ['otherDnsByMonitoring', 'open'],
    ['clusterDnsByGateway', 'resolved'],
  ]);
});

test('an upgrade that would hide waiting mail is refused: three NATS nodes do not see the streams of one', async () => {
  const three = release(
    'upgrade',
    ...values(),
    '--set',
    'nats.replicaCount=3',
    ...takeOver,
    '--dry-run=server',
  );
  await expect(three).rejects.toThrow(
    `nats.replicaCount=3 cannot be used: the mail on the volume data-${NAME}-nats-0 was stored by a single server`,
  );
});

test('an upgrade that changes nothing keeps settings and Secrets', async () => {
  const before = await namespace.run(
    'get',
    'secrets',
    `${NAME}-keys`,
    `${NAME}-nats`,
    `${NAME}-mongodb`,
    '-o',
    'jsonpath={.items[*].data}',
  );
  const pods = await namespace.run(
    'get',
    'pods',
    '-l',
    'app.kubernetes.io/component in (gateway,dispatcher,api,nats,mongodb)',
    '-o',
    'jsonpath={.items[*].metadata.uid}',
  );
  await timed('helm upgrade without a change', () =>
    release('upgrade', ...values(), ...takeOver, ...WAIT),
  );
  expect(
    await namespace.run(
      'get',
      'secrets',
      `${NAME}-keys`,
      `${NAME}-nats`,
      `${NAME}-mongodb`,
      '-o',
      'jsonpath={.items[*].data}',
    ),
  ).toBe(before);
  expect(
    await namespace.run(
      'get',
      'pods',
      '-l',
      'app.kubernetes.io/component in (gateway,dispatcher,api,nats,mongodb)',
      '-o',
      'jsonpath={.items[*].metadata.uid}',
    ),
  ).toBe(pods);
});

/** A pod that fits on no node, an image that does not exist, and a value with which a service does not start. */
const FAULTY = {
  'gateway.resources.requests.memory': '1Ti',
  'gateway.resources.limits.memory': '1Ti',
  'mongodb.image.tag': 'missing',
  'dispatcher.config.WEBHOOK_TIMEOUT': 'soon',
};

test('an upgrade that fails is rolled back under load: nothing is lost, no connection is refused', async () => {
  const back = takeOver.includes('--force-conflicts') ? '--rollback-on-failure' : '--atomic';
  const faulty = [...setOptions(FAULTY), back, '--timeout', '60s'];
  const sent = await timed('an upgrade that fails, and its rollback', () =>
    underLoad(namespace, () =>
      expect(release('upgrade', ...values(), ...takeOver, ...faulty)).rejects.toThrow(
        /has been rolled back/,
      ),
    ),
  );
  expect(sent).toMatchObject({ refusedConnections: 0, brokenConnections: 0, rejected: [] });
  expect(await helm('status', RELEASE, '-n', namespace.name)).toContain('STATUS: deployed');
});

test('the values of the next profile keep the volumes, and the notes say so', async () => {
  const small = ['-f', join(CHART, 'values-small.yaml')];
  const off = ['gateway.tls.certManager.enabled=false', 'api.ingress.enabled=false'];
  const without = ['monitoring.rules.enabled=false', 'monitoring.kind=none'];
  const sets = ['--set', [...off, ...without].join(',')];
  const shown = await release(
    'upgrade',
    ...values(),
    ...small,
    ...sets,
    ...takeOver,
    '--dry-run=server',
  );
  expect(shown.match(/requests: \{storage: \w+\}/g)).toEqual([
    'requests: {storage: 5Gi}',
    'requests: {storage: 5Gi}',
  ]);
  expect(shown).toContain('mongodb.persistence.size is 20Gi, but the volumes keep their 5Gi');
});

test('the commands in the notes work', async () => {
  const { id } = JSON.parse(
    await admin('account', 'create', '--email', 'you@example.com', '--name', 'You'),
  ) as { id: string };
  expect(
    JSON.parse(await admin('token', 'create', '--account', id, '--name', 'first')),
  ).toMatchObject({ token: expect.stringMatching(/^svc_live_/) });
});

test('helm uninstall leaves CRDs, resources, volumes and generated Secrets, and nothing else', async () => {
  await timed('helm uninstall', () => helm('uninstall', RELEASE, '-n', namespace.name, ...WAIT));
  const left = (
    await namespace.run(
      'get',
      'deploy,statefulset,service,networkpolicy,pdb,role,rolebinding,serviceaccount,job,configmap,pvc,secret,inlet',
      '-o',
      'name',
    )
  ).split('\n');
  const ours = left
    .filter((name) => name.includes(NAME) || name.includes('inlet.email'))
    .toSorted();
  expect(ours).toEqual([
    'account.inlet.email/shop',
    'apitoken.inlet.email/first',
    'inboundaddress.inlet.email/orders',
    `persistentvolumeclaim/data-${NAME}-mongodb-0`,
    `persistentvolumeclaim/data-${NAME}-nats-0`,
    `secret/${NAME}-keys`,
    `secret/${NAME}-mongodb`,
    `secret/${NAME}-nats`,
    `secret/${NAME}-trial-tls`,
  ]);
  expect(await kubectl(['get', 'crd', 'inboundaddresses.inlet.email', '-o', 'name'])).toContain(
    'inboundaddresses.inlet.email',
  );
});

test('a second installation finds its data: the same address accepts mail', async () => {
  await timed('helm install again', () => release('install', ...values(), ...takeOver, ...WAIT));
  expect(await underLoad(namespace, async () => undefined)).toMatchObject({ rejected: [] });
});

test('resources are deleted with their Secrets while the operator runs', async () => {
  await namespace.run('delete', 'inboundaddress,apitoken,account', '--all', '--timeout=300s');
  await until(
    'the Secret of the address to be deleted',
    async () => (await namespace.get('secret/orders-webhook')) === undefined,
  );
  expect(await namespace.run('get', 'inlet', '-o', 'name')).toBe('');
});
