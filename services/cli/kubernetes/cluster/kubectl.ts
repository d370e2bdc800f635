/** Runs the kubectl of the user, with its context, and forwards a local port to a Service. */
import { execFile, spawn } from 'node:child_process';

import { ExitCode, Failure } from '../../terminal/failure.ts';
import type { Terminal } from '../../terminal/terminal.ts';

export type Target = { namespace?: string; context?: string; kubeconfig?: string };

export type Kubectl = {
  /** Its standard output. @throws Failure with its error message */
  run(...args: string[]): Promise<string>;
  json<T>(...args: string[]): Promise<T>;
  /** The same kubectl for another namespace. */
  in(namespace: string): Kubectl;
  /** A local port of the Service, as long as it is not disposed. */
  forward(service: string, port: string): Promise<AsyncDisposable & { port: number }>;
};

const CALL_TIMEOUT_MS = 60_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const EXIT_CODES: Record<string, ExitCode> = {
  NotFound: ExitCode.notFound,
  Forbidden: ExitCode.notAllowed,
  Unauthorized: ExitCode.notAllowed,
};

export function createKubectl(
  { env, stopped }: Pick<Terminal, 'env' | 'stopped'>,
  target: Target,
): Kubectl {
  const global = [
    ...(target.kubeconfig === undefined ? [] : ['--kubeconfig', target.kubeconfig]),
    ...(target.context === undefined ? [] : ['--context', target.context]),
    ...(target.namespace === undefined ? [] : ['--namespace', target.namespace]),
  ];
  const run = (...args: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile(
        'kubectl',
        [...global, ...args],
        { env, maxBuffer: OUTPUT_MAX_BYTES, timeout: CALL_TIMEOUT_MS, signal: stopped },
        (error, stdout, stderr) => (error ? reject(faultOf(error, stderr)) : resolve(stdout)),
      ).stdin?.end();
    });
  return {
    run,
    json: async <T>(...args: string[]) => JSON.parse(await run(...args, '-o', 'json')) as T,
    in: (namespace) => createKubectl({ env, stopped }, { ...target, namespace }),
    forward: (service, port) => {
      const args = [...global, 'port-forward', `service/${service}`, `:${port}`];
      const child = spawn('kubectl', args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const dispose = async () => void child.kill();
      return new Promise((resolve, reject) => {
        let complaint = '';
        child.stderr.on('data', (chunk: Buffer) => void (complaint += chunk.toString()));
        child.stdout.on('data', (chunk: Buffer) => {
          const [, found] = /^Forwarding from [^ ]+:(\d+) ->/m.exec(chunk.toString()) ?? [];
          if (found !== undefined) resolve({ port: Number(found), [Symbol.asyncDispose]: dispose });
        });
        child.once('error', (error) => reject(faultOf(error, '')));
        child.once('exit', () => reject(faultOf(new Error('port-forward ended'), complaint)));
      });
    },
  };
}

function faultOf(error: Error & { code?: unknown; killed?: boolean }, stderr: string): Error {
  if (error.name === 'AbortError') return error;
  if (error.code === 'ENOENT') return new Failure('kubectl is not on the PATH');
  if (error.killed) return new Failure('kubectl did not end in time', ExitCode.unreachable);
  const text = stderr.trim().split('\n').at(-1) || error.message;
  const [, reason = ''] = /^Error from server \((\w+)\)/.exec(text) ?? [];
  const isUnreachable = /^(Unable to connect to the server|The connection to the server)/.test(
    text,
  );
  const code = isUnreachable ? ExitCode.unreachable : (EXIT_CODES[reason] ?? ExitCode.failed);
  return new Failure(`kubectl: ${text}`, code);
}
