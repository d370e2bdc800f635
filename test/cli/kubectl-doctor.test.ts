/**
 * `kubectl inlet doctor` against broken installations: whether the right cause is the first one, and
 * whether it leaves out what follows from it.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { generate } from 'selfsigned';
import { beforeAll, describe, expect, test } from 'vitest';

import { CAUSES } from '../../services/cli/kubernetes/incident/diagnosis.ts';
import { errorKinds } from '../../services/cli/kubernetes/incident/log-errors.ts';
import { helm } from '../chart/render.ts';
import {
  addSample,
  type Bed,
  diagnosed,
  healthyBed,
  NOW_S,
  objectOf,
  realMetrics,
  setMetric,
} from './doctor-bed.ts';
import { fakeKubectl } from './fake-kubectl.ts';

const DOCS = join(import.meta.dirname, '../../docs');

/** The state of the pod of a component whose container waits. */
function wait(bed: Bed, component: string, reason: string, message = ''): void {
  const pod = objectOf(bed, 'Pod', component);
  pod.status = {
    phase: 'Pending',
    conditions: [{ type: 'Ready', status: 'False' }],
    containerStatuses: [
      { name: component, restartCount: 0, state: { waiting: { reason, message } } },
    ],
  };
  delete bed.metrics[component];
}

function end(bed: Bed, component: string, reason: string): void {
  const [container] = objectOf(bed, 'Pod', component).status.containerStatuses as object[];
  const terminated = { reason, exitCode: 1, finishedAt: new Date().toISOString() };
  Object.assign(container ?? {}, { restartCount: 3, lastState: { terminated } });
}

const unready = (bed: Bed, component: string): void => {
  objectOf(bed, 'Pod', component).status.conditions = [{ type: 'Ready', status: 'False' }];
};

type Broken = [
  name: string,
  breakIt: (bed: Bed) => void | Promise<void>,
  causes: string[],
  sign: string,
];
const BROKEN: Broken[] = [
  [
    'the image of the gateway cannot be pulled',
    (bed) => wait(bed, 'gateway', 'ImagePullBackOff', 'not found'),
    ['gateway-pods'],
    'ImagePullBackOff not found',
  ],
  [
    'a setting of the dispatcher is wrong, so it crashes, and emails wait',
    (bed) => {
      bed.lastWords =
        '{"level":"error","event":"dispatcher.crashed","error":"ACK_WAIT: must be set"}\n';
      wait(bed, 'dispatcher', 'CrashLoopBackOff');
      end(bed, 'dispatcher', 'Error');
      setMetric(bed, 'gateway', 'inlet_queue_age_seconds', 900);
    },
    ['dispatcher-pods'],
    'CrashLoopBackOff; dispatcher.crashed: ACK_WAIT: must be set',
  ],
  [
    'dispatchers were scaled to zero',
    (bed) => {
      const { name } = objectOf(bed, 'Pod', 'dispatcher').metadata;
      bed.objects = bed.objects.filter((one) => one.kind !== 'Pod' || one.metadata.name !== name);
      objectOf(bed, 'Deployment', 'dispatcher').spec.replicas = 0;
      setMetric(bed, 'gateway', 'inlet_queue_age_seconds', 900);
    },
    ['dispatcher-none'],
    'has no pod: 0 are wanted',
  ],
  [
    'no storage class has a volume for NATS, so nothing is ready',
    (bed) => {
      objectOf(bed, 'PersistentVolumeClaim', 'nats').status.phase = 'Pending';
      wait(bed, 'nats', 'ContainerCreating');
      for (const one of ['gateway', 'dispatcher']) {
        setMetric(bed, one, 'inlet_backend_connected', 0);
        unready(bed, one);
      }
    },
    ['claim'],
    'has no volume: it is Pending',
  ],
  [
    'the volume of NATS is full, and email is refused',
    (bed) => {
      bed.volumes = [{ claim: 'data-inlet-nats-0', used: 97 }];
      addSample(bed, 'gateway', 'inlet_mails_refused_total', '{reply="queue_full",code="452"} 12');
    },
    ['volume-full'],
    'is 97 % full',
  ],
  [
    'MongoDB has been killed for its memory',
    (bed) => {
      wait(bed, 'mongodb', 'CrashLoopBackOff');
      end(bed, 'mongodb', 'OOMKilled');
    },
    ['oom'],
    'pod inlet-mongodb-0 was killed',
  ],
  [
    'the gateway exceeded its memory, and runs again',
    (bed) => end(bed, 'gateway', 'OOMKilled'),
    ['oom'],
    'exceeded its memory limit',
  ],
  [
    'a NetworkPolicy keeps the API from NATS',
    (bed) => {
      const { after = '' } = bed.metrics.api ?? {};
      bed.metrics.api = { before: after, after: after.replace(/(backend="nats".*\}) 1/, '$1 0') };
      unready(bed, 'api');
    },
    ['nats-disconnected'],
    'NATS is not connected: pod inlet-api-0',
  ],
  [
    'the clock of the gateway is 40 s ahead',
    (bed) => {
      setMetric(bed, 'gateway', 'inlet_clock_offset_seconds', 40);
      unready(bed, 'gateway');
    },
    ['clock-wrong'],
    'is 40 s ahead of mongodb',
  ],
  [
    'a certificate has expired',
    async (bed) => {
      const { cert } = await generate([{ name: 'commonName', value: 'mx.example.com' }], {
        keyType: 'ec',
        algorithm: 'sha256',
        notBeforeDate: new Date('2020-01-01'),
        notAfterDate: new Date('2021-01-01'),
      });
      bed.certificates = { 'mx-tls': Buffer.from(cert).toString('base64') };
    },
    ['certificate-expired'],
    'Secret mx-tls expired on 2021-01-01',
  ],
  [
    'the DNS of the cluster does not respond',
    (bed) => void (bed.mail = { hosts: [], fault: 'ETIMEOUT' }),
    ['dns'],
    'pod inlet-gateway-0 (ETIMEOUT)',
  ],
  [
    'the MX record is gone',
    (bed) => void (bed.mail = { hosts: [], fault: 'ENODATA' }),
    ['mx-missing'],
    'in.example.com has no MX record',
  ],
  [
    'the load balancer has no address',
    (bed) => void (objectOf(bed, 'Service', 'gateway').status = { loadBalancer: {} }),
    ['no-load-balancer'],
    'no external address',
  ],
  [
    'the disk of the node is full, and pods cannot start',
    (bed) => {
      const [node] = bed.nodes;
      Object.assign(node ?? {}, {
        status: { conditions: [{ type: 'DiskPressure', status: 'True' }] },
      });
      wait(bed, 'api', 'ContainerCreating');
    },
    ['node'],
    'node node-1: DiskPressure',
  ],
  [
    'a stream is nearly full, emails are lost, and an address fails',
    (bed) => {
      setMetric(bed, 'gateway', 'inlet_stream_bytes', 990);
      setMetric(bed, 'dispatcher', 'inlet_stream_bytes', 990);
      addSample(bed, 'gateway', 'inlet_stream_max_bytes', '{stream="MAIL-0"} 1000');
      addSample(bed, 'dispatcher', 'inlet_deliveries_given_up_total', '{reason="lost"} 2');
      setMetric(bed, 'api', 'inlet_failing_addresses', 3);
    },
    ['stream-full', 'lost', 'addresses-failing'],
    'stream MAIL-0 is 99 % full',
  ],
  [
    'no operator is the leader, so a resource waits',
    (bed) => {
      setMetric(bed, 'operator', 'inlet_operator_is_leader', 0);
      const [account] = bed.resources;
      Object.assign(account ?? {}, { status: {} });
    },
    ['operator-leader'],
    'no operator is the leader',
  ],
  [
    'a periodic job has failed since yesterday, and there is no backup',
    (bed) => {
      for (const one of ['gateway', 'dispatcher', 'api', 'operator'])
        setMetric(bed, one, 'process_start_time_seconds', NOW_S - 86_400);
      setMetric(bed, 'api', 'inlet_sweep_last_success_timestamp_seconds', NOW_S - 80_000);
      setMetric(bed, 'dispatcher', 'inlet_sweep_last_success_timestamp_seconds', NOW_S - 80_000);
      setMetric(bed, 'api', 'inlet_backup_max_age_seconds', 3_600);
    },
    ['sweeps', 'backup-old'],
    'has not succeeded for 22 hours',
  ],
  [
    'the queue is old, and nothing else is known',
    (bed) => setMetric(bed, 'gateway', 'inlet_queue_age_seconds', 900),
    ['queue-old'],
    'has waited for 900 s',
  ],
];

describe.skipIf(helm === undefined)('installations (skipped without helm)', () => {
  let healthy: Bed;
  let probe: string;
  beforeAll(async () => {
    const { apiProbe, ...metrics } = await realMetrics();
    probe = apiProbe;
    healthy = await healthyBed(metrics);
  });
  const bedOf = () => structuredClone(healthy);

  test('a healthy one has no cause, and every check has a result', async () => {
    const { findings, causes } = await diagnosed(bedOf());
    expect(causes).toEqual([]);
    expect(findings.filter(({ result }) => result !== 'ok')).toEqual([]);
    expect(findings.length).toBeGreaterThan(10);
  });

  test('the script reads a running service', () => {
    expect(JSON.parse(probe)).toMatchObject({
      isReady: true,
      metrics: expect.stringContaining('inlet_build_info{'),
      mail: null,
    });
  });

  test.each(BROKEN)('%s', async (_, breakIt, expected, sign) => {
    const bed = bedOf();
    await breakIt(bed);
    const { causes, findings } = await diagnosed(bed);
    expect(causes.map(({ id }) => id)).toEqual(expected);
    expect(causes[0]?.signs.join('; ')).toContain(sign);
    expect(findings.some(({ result }) => result !== 'ok')).toBe(true);
  });

  test('at most three causes, the heaviest first', async () => {
    const bed = bedOf();
    for (const [, breakIt] of BROKEN.slice(8, 14)) await breakIt(bed);
    const { causes } = await diagnosed(bed);
    expect(causes.map(({ id }) => id)).toEqual(['node', 'clock-wrong', 'certificate-expired']);
  });

  test('what may not be read is said, and is no cause', async () => {
    const bed = bedOf();
    bed.certificates = 'Error from server (Forbidden): secrets';
    const { causes, findings } = await diagnosed(bed);
    expect(causes).toEqual([]);
    expect(findings.filter(({ check }) => check === 'certificates')).toEqual([
      expect.objectContaining({ result: 'skipped', finding: expect.stringContaining('Forbidden') }),
    ]);
  });
});

const line = (time: string, event: string, error: string, level = 'warn') =>
  JSON.stringify({ time, level, event, error });

test('log lines are counted by kind, the newest kind first, without email addresses', () => {
  const text = [
    line('2026-01-01T10:00:00Z', 'outcome.not_recorded', 'first'),
    line('2026-01-01T10:02:00Z', 'outcome.not_recorded', 'for ann@sender.example'),
    line('2026-01-01T10:01:00Z', 'nats.disconnected', 'reset', 'error'),
    line('2026-01-01T10:03:00Z', 'mail.accepted', '', 'info'),
    '{"cut',
  ].join('\n');
  expect(errorKinds([{ component: 'dispatcher', text }])).toEqual([
    expect.objectContaining({
      event: 'outcome.not_recorded',
      count: 2,
      error: 'for [redacted]@sender.example',
    }),
    expect.objectContaining({ event: 'nats.disconnected', level: 'error', count: 1 }),
  ]);
});

test('each cause has a page, and each id is used once', async () => {
  const pages = (await readdir(DOCS, { recursive: true })).map((file) => file.replace(/\.md$/, ''));
  expect(CAUSES.map(({ page }) => page).filter((page) => !pages.includes(page))).toEqual([]);
  const ids = CAUSES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const explained = CAUSES.flatMap(({ explains = [] }) => explains);
  expect(explained.filter((id) => !ids.includes(id))).toEqual([]);
});

const deployment = (component: string) => ({
  kind: 'Deployment',
  metadata: {
    name: `mail-inlet-${component}`,
    namespace: 'inlet',
    labels: {
      'app.kubernetes.io/instance': 'mail',
      'app.kubernetes.io/component': component,
    },
  },
  spec: { replicas: 1, template: { spec: { containers: [{ image: 'inlet' }] } } },
  status: { readyReplicas: 0 },
});

test('the command prints causes with their pages, and exits with 1', async () => {
  await using kubectl = await fakeKubectl();
  const { code, out, err } = await kubectl.plugin(
    ['doctor'],
    [
      ['get deployments', { items: [deployment('api')] }],
      ['get (inlet|nodes|events)', { items: [] }],
      ['get secrets', 'mx-tls '],
    ],
  );
  expect(code).toBe(1);
  expect(err).toBe('kubectl inlet: 1 checks failed, see above\n');
  expect(out).toMatch(/^failed {3}pods +mail-inlet-api has no pod: 1 are wanted\n/);
  expect(out).toContain(
    'Most likely causes\n1. mail-inlet-api has no pod: 1 are wanted\n   → docs/runbooks/InletApiAbsent.md\n',
  );
});
