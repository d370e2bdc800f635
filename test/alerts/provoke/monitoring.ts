/**
 * Prometheus and Alertmanager with the scaled alerts. Targets can be added at any time, and have the
 * labels of pods.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { startProcess } from '../../../services/standalone/processes/child-process.ts';
import { freePort } from '../../../services/standalone/processes/ports.ts';
import { findGoTool } from '../../support/go-tool.ts';
import {
  findPrometheus,
  type RunningPrometheus,
  startPrometheus,
} from '../../support/prometheus.ts';
import { testDir } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { scaledRules } from './scaled-rules.ts';
import { ruleTexts } from './shipped-rules.ts';

/** A minute is a second. */
export const FACTOR = 60;

export type Target = { host: string; job: string; namespace: string; pod: string };

export type Monitoring = AsyncDisposable & {
  prometheus: RunningPrometheus;
  /** @returns what removes it */
  scrape(target: Target): () => void;
  /**
   * Names of the alerts of a namespace that Alertmanager has.
   * @param labelled those that count only with these labels
   */
  active(
    namespace: string,
    labelled: Readonly<Record<string, Readonly<Record<string, string>>>>,
  ): Promise<ReadonlySet<string>>;
};

/**
 * @param absentIn the namespace of the alerts about components that are absent
 * @param history samples from before its start, in the format of OpenMetrics
 */
export async function startMonitoring(absentIn: string, history?: string): Promise<Monitoring> {
  const tools = await findPrometheus();
  const alertmanager = await findGoTool({
    name: 'alertmanager',
    versionArgs: ['--version'],
    module: 'github.com/prometheus/alertmanager@v0.28.1',
    folder: './cmd/alertmanager',
  });
  const newer = await findGoTool({
    name: 'prometheus',
    given: process.env.PROMETHEUS ?? '',
    versionArgs: ['--version'],
    module: 'github.com/prometheus/prometheus@v0.305.0',
    folder: './cmd/prometheus',
  });
  if (tools === undefined || alertmanager === undefined)
    throw new Error('there is no Prometheus or no Alertmanager');
  await using parts = new AsyncDisposableStack();
  const dir = parts.use(await testDir());
  const port = await freePort();
  const config = join(dir.path, 'alertmanager.yaml');
  const receivers = { route: { receiver: 'nobody' }, receivers: [{ name: 'nobody' }] };
  await writeFile(config, JSON.stringify(receivers)); // JSON is YAML
  const manager = parts.use(
    await startProcess({
      name: 'alertmanager',
      command: alertmanager,
      args: [
        `--config.file=${config}`,
        `--storage.path=${join(dir.path, 'alertmanager')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--cluster.listen-address=',
      ],
      env: {},
      logFile: join(dir.path, 'alertmanager.log'),
    }),
  );
  const api = `http://127.0.0.1:${port}/api/v2/alerts`;
  await until('Alertmanager', () =>
    fetch(api).then(
      ({ ok }) => ok,
      () => manager.hasExited(),
    ),
  );

  const targets = new Set<Target>();
  const discovery = createServer((_, response) => {
    const groups = [...targets].map(({ host, ...labels }) => ({ targets: [host], labels }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify(groups));
  });
  discovery.listen(0, '127.0.0.1');
  await once(discovery, 'listening');
  parts.defer(() => void discovery.close());
  const ruleFiles: string[] = [];
  for (const [name, text] of ruleTexts) {
    ruleFiles.push(join(dir.path, name));
    await writeFile(join(dir.path, name), JSON.stringify(scaledRules(text, FACTOR, absentIn)));
  }
  if (history !== undefined) {
    const file = join(dir.path, 'history.txt');
    await writeFile(file, history);
    const args = ['tsdb', 'create-blocks-from', 'openmetrics', file, join(dir.path, 'tsdb')];
    await promisify(execFile)(tools.promtool, args);
  }
  const prometheus = parts.use(
    await startPrometheus(newer ? { ...tools, prometheus: newer } : tools, {
      dir: dir.path,
      jobs: { inlet: new URL(`http://127.0.0.1:${(discovery.address() as AddressInfo).port}/`) },
      ruleFiles,
      alertmanager: `127.0.0.1:${port}`,
    }),
  );
  const running = parts.move();
  return {
    prometheus,
    scrape: (target) => {
      targets.add(target);
      return () => void targets.delete(target);
    },
    active: async (namespace, labelled) => {
      const alerts = (await (await fetch(api)).json()) as { labels: Record<string, string> }[];
      return new Set(
        alerts
          .filter(({ labels }) => labels.namespace === namespace)
          .filter(({ labels }) =>
            Object.entries(labelled[String(labels.alertname)] ?? {}).every(
              ([name, value]) => labels[name] === value,
            ),
          )
          .map(({ labels }) => String(labels.alertname)),
      );
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
