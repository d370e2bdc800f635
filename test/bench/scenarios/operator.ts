/**
 * The cost of many resources for an operator: their creation, and a restart, which must not write
 * or flood the API server.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';

import { ensureKey } from '../../../services/standalone/keys.ts';
import { readState } from '../../../services/standalone/state/state.ts';
import { account, address } from '../../support/manifests.ts';
import { createNamespace, establishDefinitions, kubectl } from '../../cluster/kubectl.ts';
import { kubeconfigOfServiceAccount } from '../../cluster/operator-credentials.ts';
import { spawnOperator } from '../../cluster/operator-process.ts';
import { usageOf } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { sum } from '../statistics.ts';
import { figure, table } from '../table.ts';

const SAMPLE_MS = 1_000;
const READS = /^(get|list|watch) /;

type Round = {
  title: string;
  seconds: number;
  requests: number;
  writes: number;
  busiest: number;
  cpuSeconds: number;
  peakBytes: number;
};

export const operator: Scenario = {
  name: 'operator',
  purpose:
    'an operator creates InboundAddresses on the cluster of the current context, then restarts',
  run: async (bed, { resources }, report) => {
    await using parts = new AsyncDisposableStack();
    const dataDir = join(bed.dataDir, 'inlet');
    const { nats_url, mongodb_uri } = await readState(dataDir);
    await establishDefinitions();
    const namespace = parts.use(await createNamespace());
    const kubeconfig = join(bed.dataDir, 'operator-kubeconfig');
    await writeFile(kubeconfig, await kubeconfigOfServiceAccount(namespace));
    report(`operator: ${resources} InboundAddresses`);
    await namespace.apply(account());
    await kubectl(
      ['-n', namespace.name, 'create', '-f', '-'],
      Array.from({ length: resources }, (_, i) =>
        stringify(address(`many-${i}`, `https://hooks.example.com/${i}`)),
      ).join('---\n'),
    );
    const env = {
      MONGODB_URI: mongodb_uri,
      NATS_URL: nats_url,
      SECRET_KEYS: await ensureKey(dataDir, 'secret-key'),
      INBOUND_DOMAIN: 'in.example',
      KUBECONFIG: kubeconfig,
      WATCH_NAMESPACES: namespace.name,
      LEASE_NAMESPACE: namespace.name,
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
    };
    const rounds: Round[] = [];
    for (const title of ['created', 'after a restart']) {
      report(`operator: ${title}`);
      rounds.push({ title, ...(await untilSettled(resources, bed.dataDir, env)) });
    }
    return { text: textOf(rounds), figures: { resources, rounds } };
  },
};

/** Runs an operator with default limits until it has reconciled all resources. */
async function untilSettled(
  count: number,
  dir: string,
  env: Record<string, string>,
): Promise<Omit<Round, 'title'>> {
  const startedMs = performance.now();
  await using process = await spawnOperator('operator', dir, env);
  const requested: number[] = [0];
  for (;;) {
    const settled = await process.metric(
      'inlet_operator_reconciles_total',
      'kind="InboundAddress",result="settled"',
    );
    const requests = await process.requests();
    requested.push(sum([...requests.values()]));
    if (settled >= count) {
      const { cpuSeconds = NaN, peakBytes = NaN } = usageOf(process.pid) ?? {};
      const writes = sum(
        [...requests]
          .filter(([what]) => !READS.test(what) && !what.endsWith(' leases'))
          .map(([, times]) => times),
      );
      return {
        seconds: (performance.now() - startedMs) / 1_000,
        requests: requested.at(-1) ?? 0,
        writes,
        busiest: Math.max(...requested.slice(1).map((all, i) => all - (requested[i] ?? 0))),
        cpuSeconds,
        peakBytes,
      };
    }
    await sleep(SAMPLE_MS);
  }
}

function textOf(rounds: readonly Round[]): string {
  const rows = rounds.map(
    ({ title, seconds, requests, writes, busiest, cpuSeconds, peakBytes }) => [
      title,
      figure(seconds),
      String(requests),
      String(writes),
      String(busiest),
      figure(cpuSeconds),
      figure(peakBytes / 2 ** 20),
    ],
  );
  const columns = ['resources', 'seconds', 'requests', 'writes', 'busiest second', 'CPU s'];
  return (
    `${table([...columns, 'peak MiB'], rows)}\n` +
    'seconds: since the start of the process; ' +
    'requests: to the Kubernetes API, with those of the leader election; ' +
    'writes: without those of the Lease'
  );
}
