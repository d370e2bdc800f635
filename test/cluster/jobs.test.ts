/** `kubectl inlet status` when a rollout is stuck and no gateway runs. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Status } from '../../services/cli/kubernetes/cluster/status.ts';
import type { Helm } from '../support/helm.ts';
import { until } from '../support/until.ts';
import { createNamespace, type Namespace } from './kubectl.ts';
import { clusterHelm, installEvaluation, startMailing } from './release.ts';

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

test('without a gateway, status names the stuck rollout', async () => {
  await namespace.run('set', 'env', `deployment/${NAME}-dispatcher`, 'MAIL_SLOTS=many');
  await namespace.run('scale', `deployment/${NAME}-gateway`, '--replicas=0');
  const gateways = ['pod', '-l', 'app.kubernetes.io/component=gateway'];
  await namespace.run('wait', '--for=delete', ...gateways, '--timeout=300s');

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
