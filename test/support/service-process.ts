/** A service in a process of its own, whose memory and delays are its own too. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

export type ServiceProcess = AsyncDisposable & {
  pid: number;
  /** Of a gateway, otherwise 0. */
  smtpPort: number;
  /** Of an API, otherwise 0. */
  apiPort: number;
  metricsPort: number;
  hasExited(): boolean;
  /** The bytes that it has in memory, and the most ever; 0 where the system does not report them. */
  rssBytes(): Promise<number>;
  peakRssBytes(): Promise<number>;
};

/** Settings of glibc in the image, which decide how much memory a process takes. */
const DOCKERFILE = await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8');
const MALLOC = Object.fromEntries(
  Array.from(DOCKERFILE.matchAll(/\b(MALLOC_\w+)=(\S+)/g), ([, name, value]) => [name, value]),
);

/** @param nodeOptions such as `--max-old-space-size=512` */
export async function startServiceProcess(
  name: 'gateway' | 'dispatcher' | 'api' | 'operator',
  settings: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): Promise<ServiceProcess> {
  const main = new URL(`../../services/${name}/main.ts`, import.meta.url).pathname;
  const child = spawn(process.execPath, [...nodeOptions, main], {
    env: { PATH: process.env['PATH'], ...MALLOC, ...settings, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let isListening = false;
  let [smtpPort, apiPort, metricsPort] = [0, 0, 0];
  for await (const line of createInterface(child.stdout)) {
    const {
      event,
      smtp_port = 0,
      api_port = 0,
      metrics_port = 0,
    } = JSON.parse(line) as Record<
      'smtp_port' | 'api_port' | 'metrics_port',
      number | undefined
    > & {
      event: string;
    };
    if (event === `${name}.listening`) {
      isListening = true;
      [smtpPort, apiPort, metricsPort] = [smtp_port, api_port, metrics_port];
      break;
    }
  }
  if (!isListening) throw new Error(`the ${name} ended during its start`);
  child.stdout.resume();
  return {
    pid: Number(child.pid),
    smtpPort,
    apiPort,
    metricsPort,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    rssBytes: () => bytesOf(child, 'VmRSS'),
    peakRssBytes: () => bytesOf(child, 'VmHWM'),
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function bytesOf({ pid }: ChildProcess, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = new RegExp(String.raw`^${field}:\s*(\d+)`, 'm').exec(status)?.[1];
  return 1024 * Number(kibibytes ?? 0);
}
