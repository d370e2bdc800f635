/**
 * `kubectl inlet` with a scripted kubectl: which installation it finds, what it says is wrong, and
 * its exit codes. test/cluster has a real cluster.
 */
import { describe, expect, test } from 'vitest';

import { valuesOf } from '../../services/cli/kubernetes/cluster/status.ts';
import {
  type Answers,
  deployment,
  fakeKubectl,
  type FakeKubectl,
  list,
  metadata,
  resource,
} from './fake-kubectl.ts';
import { useInFile } from '../support/use-in-file.ts';

const kubectl = await useInFile(fakeKubectl());
const plugin: FakeKubectl['plugin'] = (...args) => kubectl.plugin(...args);

const FOUND: Answers[number] = ['get deployments', list(deployment('mail-inlet-api'))];
const HEALTHY: Answers = [
  ['get deployments,', list(deployment('mail-inlet-api'))],
  FOUND,
  ['get inlet', list(resource('Account', 'shop', 'True', 'Ready', { id: 'acc_1' }))],
  [
    'gateway',
    'inlet_queue_mails{lane="mail",state="ready"} 2\ninlet_queue_mails{lane="retry"} 1\n',
  ],
  ['-api -- node', 'inlet_failing_addresses{noticed="true"} 0\n'],
];

describe('which installation', () => {
  test('the one of the namespace, with the context and kubeconfig of the command line', async () => {
    const args = ['status', '-n', 'inlet', '--context', 'prod', '--kubeconfig', '/k'];
    const { code, calls } = await plugin(args, HEALTHY);
    expect(code).toBe(0);
    for (const call of calls.trim().split('\n'))
      expect(call).toMatch(/^--kubeconfig \/k --context prod --namespace inlet /);
  });

  test('without a namespace, the only one of the cluster', async () => {
    const { out, code } = await plugin(
      ['status', '--json'],
      [
        ['get deployments -l.*--all-namespaces', list(deployment('mail-inlet-api', 'elsewhere'))],
        ['get deployments -l', list()],
        ...HEALTHY,
      ],
    );
    expect([code, (JSON.parse(out) as { namespace: string }).namespace]).toEqual([0, 'elsewhere']);
  });

  test.each([
    ['none is exit code 4', [['get deployments', list()]], 4, 'no installation of Inlet in'],
    [
      'several are exit code 2',
      [['get deployments', list(deployment('a-api'), deployment('b-api', 'other'))]],
      2,
      'choose one: -n inlet --release mail; -n other --release mail',
    ],
    ['no permission is exit code 3', [['', 'Error from server (Forbidden): no']], 3, 'Forbidden'],
    ['no cluster is exit code 6', [['', 'Unable to connect to the server: x']], 6, 'Unable'],
  ] as [string, Answers, number, string][])('%s', async (_, answers, code, text) => {
    const result = await plugin(['status'], answers);
    expect(result).toMatchObject({ code, out: '', err: expect.stringContaining(text) });
  });

  test('no kubectl is exit code 1', async () => {
    const result = await plugin(['status'], [], { PATH: '/nowhere' });
    expect(result).toMatchObject({ code: 1, err: 'kubectl inlet: kubectl is not on the PATH\n' });
  });
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const WATCHING: Answers[number] = [
  'component=operator',
  list(
    deployment('mail-inlet-operator', 'inlet', [{ name: 'WATCH_NAMESPACES', value: 'team,shop' }]),
  ),
];
const accountIn = (namespace: string) =>
  list({
    ...resource('Account', 'x', 'True', 'Ready'),
    metadata: { name: 'x', namespace },
  });

describe('status', () => {
  test('adds up the queue, and nothing is wrong', async () => {
    const { out, code } = await plugin(['status'], HEALTHY);
    expect(code).toBe(0);
    expect(out).toContain('queue: 3 emails, the oldest for 0 s\n');
    expect(out).toContain('nothing is wrong\n');
  });

  test('a restart of more than an hour ago is no problem', async () => {
    const lastState = { terminated: { reason: 'Error', finishedAt: minutesAgo(61) } };
    const containerStatuses = [{ name: 'api', restartCount: 3, lastState, state: {} }];
    const pod = {
      kind: 'Pod',
      metadata: metadata('mail-inlet-api-0'),
      status: { containerStatuses },
    };
    const answers: Answers = [['get deployments,', list(deployment('mail-inlet-api'), pod)]];
    const { out, code } = await plugin(['status'], [...answers, ...HEALTHY]);
    expect([code, out]).toEqual([0, expect.stringContaining('nothing is wrong')]);
  });

  test('says in words what is wrong, and what cannot be read, and exits with 1', async () => {
    const pod = {
      kind: 'Pod',
      metadata: metadata('mail-inlet-gateway-0'),
      spec: {},
      status: {
        containerStatuses: [
          {
            restartCount: 3,
            lastState: { terminated: { reason: 'OOMKilled', finishedAt: minutesAgo(59) } },
            state: { waiting: { reason: 'ImagePullBackOff' } },
          },
        ],
      },
    };
    const half = { ...deployment('mail-inlet-gateway'), status: { readyReplicas: 1 } };
    const { out, err, code } = await plugin(
      ['status', '--json'],
      [
        ['get deployments,', list(half, pod)],
        FOUND,
        ['get inlet', list(resource('InboundAddress', 'orders', 'False', 'NoAccount'))],
        ['gateway', 'inlet_queue_mails 5\ninlet_queue_age_seconds{lane="mail"} 900.2\n'],
      ],
    );
    expect([code, err]).toEqual([1, 'kubectl inlet: 6 problems, see above\n']);
    expect((JSON.parse(out) as { problems: string[] }).problems).toEqual([
      'Deployment mail-inlet-gateway: 1 of 2 wanted pods are ready',
      'pod mail-inlet-gateway-0 waits: ImagePullBackOff',
      'pod mail-inlet-gateway-0 has restarted 3 times, the last time because of OOMKilled',
      'InboundAddress shop/orders is not ready: NoAccount see there',
      expect.stringMatching(/^the oldest email has waited for 900 s/),
      expect.stringMatching(/^the metrics of api cannot be read: /),
    ]);
  });

  test('has only resources of operator.namespaces: others are of another installation', async () => {
    const resources = list(
      resource('Account', 'shop', 'True', 'Ready', { id: 'acc_1' }),
      ...['Account', 'ApiToken'].map((kind) => ({
        ...resource(kind, 'theirs', 'False', 'Denied', { id: 'acc_2', secretName: 'theirs' }),
        metadata: { name: 'theirs', namespace: 'other' },
      })),
    );
    const answers: Answers = [
      WATCHING,
      ['get inlet', resources],
      ['dashboard link', { url: 'http://x/1', expires_at: '2026' }],
      ...HEALTHY,
    ];
    const { out, code } = await plugin(['status', '--json'], answers);
    expect([code, JSON.parse(out)]).toMatchObject([0, { resources: [{ name: 'shop' }] }]);
    expect(await plugin(['link'], answers)).toMatchObject({ code: 0 });
    expect(await plugin(['retry', 'evt_1'], answers)).toMatchObject({ code: 3 });
  });

  test('reads namespace by namespace for a user who may not read all', async () => {
    const answers: Answers = [
      WATCHING,
      ['get inlet --all-namespaces', 'Error from server (Forbidden): no'],
      ['namespace team get inlet', accountIn('team')],
      ['namespace shop get inlet', accountIn('shop')],
      ...HEALTHY,
    ];
    const { out } = await plugin(['status', '--json'], answers);
    const { resources } = JSON.parse(out) as { resources: { namespace: string }[] };
    expect(resources.map(({ namespace }) => namespace)).toEqual(['team', 'shop']);
  });

  test('reads a metric with and without labels', () => {
    const text = '# HELP a b\na{x="} 1"} 2\na 3\nab 4\na{y="z"} 1e3\n';
    expect(valuesOf(text, 'a')).toEqual([2, 3, 1000]);
  });
});

describe('link', () => {
  const LINK: Answers[number] = ['dashboard link', { url: 'http://x/1', expires_at: '2026' }];

  test('names the port-forward when there is no public URL', async () => {
    const { out, calls } = await plugin(['link', '--port', '9000'], [LINK, ...HEALTHY]);
    const forward = 'kubectl -n inlet port-forward service/mail-inlet-api 9000:http';
    expect(out).toBe(`http://x/1\nFirst run: ${forward}\n`);
    expect(calls).toContain('--account acc_1 --environment live --origin http://127.0.0.1:9000\n');
  });

  test('uses the public URL of the API', async () => {
    const env = [{ name: 'PUBLIC_API_URL', value: 'https://inlet.example.com/v1' }];
    const answers: Answers = [
      ['get deployments', list(deployment('mail-inlet-api', 'inlet', env))],
    ];
    const args = ['link', '--account', 'acc_2', '--json'];
    const { out, calls } = await plugin(args, [...answers, LINK]);
    expect(JSON.parse(out)).toMatchObject({ port_forward: null });
    expect(calls).toContain('--account acc_2 --environment live\n');
  });
});

const token = (name: string) => resource('ApiToken', name, 'True', 'Ready', { secretName: name });

describe('tail and retry', () => {
  test('several ApiToken resources are exit code 2, none is exit code 3', async () => {
    const several = await plugin(
      ['retry', 'evt_1'],
      [FOUND, ['get inlet', list(token('a'), token('b'))]],
    );
    expect(several).toMatchObject({ code: 2, err: expect.stringContaining('shop/a, shop/b') });
    const none = await plugin(['tail'], [FOUND, ['get inlet', list()]]);
    expect(none).toMatchObject({ code: 3, err: expect.stringContaining('set INLET_TOKEN') });
  });

  test('a port-forward that fails ends the command with its reason', async () => {
    const answers: Answers = [FOUND, ['port-forward', 'Error from server (NotFound): no service']];
    const result = await plugin(['retry', 'evt_1'], answers, { INLET_TOKEN: 'svc_live_x' });
    expect(result).toMatchObject({ code: 4, err: expect.stringContaining('no service') });
    expect(result.calls).toContain('port-forward service/mail-inlet-api :http');
    expect(result.calls).not.toContain('svc_live_x');
  });
});
