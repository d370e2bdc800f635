/**
 * Prometheus and promtool for tests: from PATH, from the cache, or from Debian's package, which apt
 * fetches and dpkg unpacks into the cache without installing it. Without any of these, the tests
 * that need them are skipped and say why.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePort } from '../../services/standalone/processes/ports.ts';
import { findWhereAptIs, unpackedPackages } from './debian-packages.ts';
import { until } from './until.ts';

const run = promisify(execFile);

export type PrometheusTools = { prometheus: string; promtool: string };

export const findPrometheus = (): Promise<PrometheusTools | undefined> =>
  findWhereAptIs('Prometheus', () =>
    onPath().catch(async () =>
      inFolder(await unpackedPackages(['prometheus'], 'usr/bin/prometheus')),
    ),
  );

async function onPath(): Promise<PrometheusTools> {
  await Promise.all([run('prometheus', ['--version']), run('promtool', ['--version'])]);
  return { prometheus: 'prometheus', promtool: 'promtool' };
}

async function inFolder(dir: string): Promise<PrometheusTools> {
  const tools = {
    prometheus: join(dir, 'usr/bin/prometheus'),
    promtool: join(dir, 'usr/bin/promtool'),
  };
  await Promise.all(Object.values(tools).map((path) => access(path)));
  return tools;
}

export type RunningPrometheus = AsyncDisposable & {
  url: string;
  /** The result of an instant query, as the HTTP API returns it. */
  query(expr: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]>;
  /** The data of any other path below /api/v1. */
  get(path: string): Promise<unknown>;
};

/** Host and port of each target, or an address that returns them (`http_sd_configs`). */
type Targets = readonly string[] | URL;

/**
 * A Prometheus on the loopback interface that scrapes the jobs every second and evaluates the
 * rules.
 */
export async function startPrometheus(
  tools: PrometheusTools,
  {
    dir,
    jobs,
    ruleFiles,
  }: {
    dir: string;
    jobs: Record<string, Targets>;
    ruleFiles: readonly string[];
  },
): Promise<RunningPrometheus> {
  const port = await freePort();
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ruleFiles,
    scrape_configs: Object.entries(jobs).map(([job_name, targets]) => ({
      job_name,
      ...(targets instanceof URL
        ? { http_sd_configs: [{ url: targets.href, refresh_interval: '1s' }] }
        : { static_configs: [{ targets }] }),
    })),
  };
  await writeFile(join(dir, 'prometheus.yaml'), JSON.stringify(config)); // JSON is YAML
  const args = [
    `--config.file=${join(dir, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(dir, 'tsdb')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const process = spawn(tools.prometheus, args, { stdio: 'ignore' });
  const ended = once(process, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const get = async (path: string): Promise<unknown> => {
    const answer = (await (await fetch(`${url}/api/v1/${path}`)).json()) as {
      status: string;
      error?: string;
      data: unknown;
    };
    if (answer.status !== 'success') throw new Error(`${path}: ${answer.error}`);
    return answer.data;
  };
  const stop = async (): Promise<void> => {
    process.kill('SIGTERM');
    await ended;
  };
  try {
    await until('Prometheus', () =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url,
    get,
    query: async (expr) =>
      ((await get(`query?query=${encodeURIComponent(expr)}`)) as { result: [] }).result,
    [Symbol.asyncDispose]: stop,
  };
}
