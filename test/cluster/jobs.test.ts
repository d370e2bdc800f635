/**
 * What watches an installation from inside its cluster: the CronJob of the canary, and
 * `kubectl inlet status` when a rollout is stuck and no gateway runs.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Status } from '../../services/cli/kubernetes/cluster/status.ts';
import type { CanaryResult } from '../../services/cli/canary/run-canary.ts';
import { CHART } from '../support/charts.ts';
import type { Helm } from '../support/helm.ts';
import { until } from '../support/until.ts';
import { createNamespace, type Namespace } from './kubectl.ts';
import { clusterHelm, installEvaluation, setOptions, startMailing } from './release.ts';

const run = promisify(execFile);
const PLUGIN = join(import.meta.dirname, '../../services/cli/kubernetes/main.ts');
const RELEASE = 'watch';
const NAME = 'watch-inlet';

const parts = new AsyncDisposableStack();
let helm: Helm;
let namespace: Namespace;

beforeAll(async () => {
  const found = await clusterHelm();
  helm = found.helm;
  namespace = parts.use(await createNamespace());
  const image = await installEvaluation(found, namespace, { release: RELEASE });
  await startMailing(namespace, { release: NAME, image });
});

afterAll(async () => {
  if (namespace !== undefined)
    await helm('uninstall', RELEASE, '-n', namespace.name, '--ignore-not-found').catch(() => '');
  await parts.disposeAsync();
});

/** Runs a Job of a CronJob until it ends. @returns what it printed */
async function runJob(cronJob: string, name: string, seconds: number) {
  await namespace.run('create', 'job', `--from=cronjob/${NAME}-${cronJob}`, name);
  const log = () => namespace.run('logs', `job/${name}`).catch(() => '');
  const end = await until(
    `the Job ${name}`,
    async () => {
      const { status } = (await namespace.get(`job/${name}`)) ?? {};
      return ['succeeded', 'failed'].find((one) => status?.[one] === 1);
    },
    seconds * 1000,
  ).catch(async (cause: unknown) => {
    throw new Error(`${name} printed: ${await log()}`, { cause });
  });
  return { succeeded: end === 'succeeded', printed: await log() };
}

async function runCanary(name: string) {
  const { printed, ...job } = await runJob('canary', name, 120);
  const json = printed.replaceAll(/^inlet: .*$/gm, ''); // a line of standard error may be anywhere
  return { ...job, result: JSON.parse(json) as CanaryResult };
}

test('the canary: its CronJob reaches gateway and API through the policies, and names the times', async () => {
  const orders = await namespace.get('inboundaddress/orders');
  const secretName = String((await namespace.get('apitoken/first'))?.status?.secretName);
  await namespace.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'canary-token' },
    stringData: { INLET_TOKEN: String((await namespace.secret(secretName))?.token) },
  });
  const settings = {
    'canary.enabled': 'true',
    'canary.schedule': '0 0 31 12 *',
    'canary.address': String(orders?.status?.address),
    'canary.existingSecret': 'canary-token',
    'canary.host': `${NAME}-gateway`,
    'canary.apiUrl': `https://receiver.${namespace.name}.svc:8443/v1`,
    'canary.extraArgs': '{--timeout,30s}',
    'canary.extraEgress[0].to[0].podSelector.matchLabels.app': 'receiver',
  };
  const options = ['--reuse-values', ...setOptions(settings), '--wait', '--timeout', '300s'];
  await helm('upgrade', RELEASE, CHART, '-n', namespace.name, ...options);
  const { succeeded, result } = await runCanary('well');
  expect({ succeeded, ...result }).toMatchObject({
    succeeded: true,
    ok: true,
    error: null,
    steps: { tls_ms: expect.any(Number) as number, delivered_ms: expect.any(Number) as number },
  });
});

test('without a gateway the canary fails to connect; status names the stuck rollout', async () => {
  await namespace.run('set', 'env', `deployment/${NAME}-dispatcher`, 'MAIL_SLOTS=many');
  await namespace.run('scale', `deployment/${NAME}-gateway`, '--replicas=0');
  const gateways = ['pod', '-l', 'app.kubernetes.io/component=gateway'];
  await namespace.run('wait', '--for=delete', ...gateways, '--timeout=300s');

  const { succeeded, result } = await runCanary('broken');
  expect([succeeded, result]).toMatchObject([false, { ok: false, failed_step: 'connect' }]);

  const args = ['status', '-n', namespace.name, '--release', RELEASE, '--json'];
  let problems = '';
  await until('status names the dispatcher', async () => {
    const { stdout } = await run(process.execPath, [PLUGIN, ...args], { encoding: 'utf8' }).catch(
      (error: unknown) => error as { stdout: string },
    );
    problems = (JSON.parse(stdout) as Status).problems.join('\n');
    return /pod \S+-dispatcher-\S+ (waits|has restarted)/.test(problems);
  }).catch((cause: unknown) => {
    throw new Error(`status found ${problems}`, { cause });
  });
});
