/**
 * Operators as processes of this machine, started as in a pod, and what an operator shows to the
 * outside: metrics and health.
 */
import { join } from 'node:path';

import { startProcess } from '../../services/standalone/processes/child-process.ts';

export type Operator = AsyncDisposable & {
  /** The sum of a metric over all series whose labels contain this text. */
  metric(name: string, labels?: string): Promise<number>;
  /** Number of its requests to the Kubernetes API, by kind, such as `list secrets`. */
  requests(): Promise<Map<string, number>>;
  /** Host and port of its metrics. */
  metricsHost: string;
  /** Status of its /healthz or /readyz. */
  health(page: 'healthz' | 'readyz'): Promise<number>;
};

const MAIN = join(import.meta.dirname, '..', '..', 'services', 'operator', 'main.ts');
const START_MS = 60_000;

export async function spawnOperator(name: string, dir: string, env: Record<string, string>) {
  const child = await startProcess({
    name,
    command: process.execPath,
    args: [MAIN],
    env: { ...process.env, ...env },
    logFile: join(dir, `${name}.log`),
  });
  const port = await child.announced((line) => {
    const { event, metrics_port } = (line.startsWith('{') ? JSON.parse(line) : {}) as {
      event?: string;
      metrics_port?: number;
    };
    return event === 'operator.listening' ? metrics_port : undefined;
  }, START_MS);
  return {
    ...child,
    ...watched(`http://127.0.0.1:${port}`),
    [Symbol.asyncDispose]: () => child.stop(),
  };
}

/** An operator, observed from outside. */
export function watched(url: string): Omit<Operator, typeof Symbol.asyncDispose> {
  const series = async (name: string) => {
    const lines = (await (await fetch(`${url}/metrics`)).text())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`));
    return lines.map((line) => ({
      labels: line.slice(0, line.lastIndexOf(' ')),
      value: Number(line.slice(line.lastIndexOf(' '))),
    }));
  };
  return {
    metricsHost: new URL(url).host,
    metric: async (name, labels = '') =>
      (await series(name))
        .filter((one) => one.labels.includes(labels))
        .reduce((sum, { value }) => sum + value, 0),
    requests: async () =>
      new Map(
        (await series('inlet_operator_requests_total')).map(({ labels, value }) => [
          `${/verb="(\w+)"/.exec(labels)?.[1]} ${/resource="([\w/]+)"/.exec(labels)?.[1]}`,
          value,
        ]),
      ),
    health: async (page) => (await fetch(`${url}/${page}`)).status,
  };
}
