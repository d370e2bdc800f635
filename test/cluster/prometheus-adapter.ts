/**
 * A real Prometheus and prometheus-adapter on this machine, with the rules of docs/sizing.md. Build
 * the adapter with `go build ./cmd/adapter` in the Go module sigs.k8s.io/prometheus-adapter.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { freePort } from '../../services/standalone/processes/ports.ts';
import { findPrometheus } from '../support/prometheus.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { kubectl, type Namespace } from './kubectl.ts';
import { registerAdapter } from './metrics-adapter.ts';

const SIZING = join(import.meta.dirname, '..', '..', 'docs', 'sizing.md');

/** @param host an address of this machine that the API server can reach */
export async function startPrometheusAdapter(
  namespace: Namespace,
  { binary, host }: { binary: string; host: string },
): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const tools = await findPrometheus();
  if (tools === undefined) throw new Error('no Prometheus');
  const { path: dir } = parts.use(await testDir());
  const kubeconfig = join(dir, 'kubeconfig');
  await writeFile(kubeconfig, await kubectl(['config', 'view', '--raw', '--flatten']));
  const [prometheusPort, adapterPort] = [await freePort(), await freePort()];
  const run = (command: string, args: string[]): ChildProcess => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    parts.defer(async () => {
      child.kill();
      await ended;
    });
    return child;
  };

  const config = join(dir, 'prometheus.yaml');
  await writeFile(config, JSON.stringify(scrapePodsOf(namespace.name, kubeconfig)));
  run(tools.prometheus, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(dir, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${prometheusPort}`,
    '--log.level=error',
  ]);
  const rules = /```yaml\n(externalRules:.*?)```/s.exec(await readFile(SIZING, 'utf8'))?.[1];
  if (rules === undefined) throw new Error('no rules in docs/sizing.md');
  await writeFile(join(dir, 'rules.yaml'), rules);
  run(binary, [
    `--prometheus-url=http://127.0.0.1:${prometheusPort}`,
    `--config=${join(dir, 'rules.yaml')}`,
    `--bind-address=${host}`,
    `--secure-port=${adapterPort}`,
    `--cert-dir=${join(dir, 'adapter')}`,
    '--metrics-relist-interval=10s',
    '--metrics-max-age=5m',
    ...['lister', 'authentication', 'authorization'].map(
      (use) => `--${use}-kubeconfig=${kubeconfig}`,
    ),
  ]);
  parts.use(await registerAdapter(namespace, { host, port: adapterPort }));
  const metric = `external.metrics.k8s.io/v1beta1/namespaces/${namespace.name}/inlet_dispatcher_backlog_mails`;
  const isServed = () =>
    kubectl(['get', '--raw', `/apis/${metric}`]).then(
      (list) => list.includes('"value"'),
      () => false,
    );
  await until('the adapter to serve the backlog', isServed, 120_000);
  const running = parts.move();
  return { [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const scrapePodsOf = (namespace: string, kubeconfig: string) => ({
  global: { scrape_interval: '2s', scrape_timeout: '2s' },
  scrape_configs: [
    {
      job_name: 'inlet',
      kubernetes_sd_configs: [
        { role: 'pod', kubeconfig_file: kubeconfig, namespaces: { names: [namespace] } },
      ],
      relabel_configs: [
        {
          source_labels: ['__meta_kubernetes_pod_container_port_name'],
          regex: 'metrics',
          action: 'keep',
        },
        { source_labels: ['__meta_kubernetes_namespace'], target_label: 'namespace' },
        { source_labels: ['__meta_kubernetes_pod_name'], target_label: 'pod' },
      ],
    },
  ],
});
