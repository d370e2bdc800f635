/** kubectl for tests, and a namespace that is deleted after the test. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';

import { stringify } from 'yaml';

import { CRDS } from '../support/charts.ts';
import type { Manifest } from '../support/manifests.ts';
import { until } from '../support/until.ts';

/** Runs kubectl; rejects with its error output. */
export function kubectl(args: readonly string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'kubectl',
      [...args],
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        error ? reject(new Error(stderr || error.message)) : resolve(stdout),
    );
    child.stdin?.on('error', () => undefined).end(input ?? ''); // kubectl may exit before it has read all
  });
}

export type Condition = {
  type: string;
  status: string;
  reason: string;
  message: string;
  observedGeneration: number;
};
export type Found = {
  metadata: {
    name: string;
    uid: string;
    generation: number;
    resourceVersion: string;
    finalizers?: string[];
    ownerReferences?: { kind: string; name: string; uid: string }[];
    labels?: Record<string, string>;
  };
  spec: Record<string, unknown>;
  status?: Record<string, unknown> & { conditions?: Condition[] };
  data?: Record<string, string>;
};

export type Namespace = AsyncDisposable & {
  name: string;
  apply(...manifests: Manifest[]): Promise<string>;
  get(what: string): Promise<Found | undefined>;
  /** What a Secret holds, as text. */
  secret(name: string): Promise<Record<string, string> | undefined>;
  patch(what: string, patch: object): Promise<string>;
  delete(what: string, ...options: string[]): Promise<string>;
  /** Waits until the condition `Ready` has this reason. */
  untilReady(what: string, reason?: string): Promise<Found>;
  run(...args: string[]): Promise<string>;
};

/** Installs the CRDs in the cluster. */
export async function establishDefinitions(): Promise<void> {
  await kubectl(['apply', '--server-side', '--force-conflicts', '-f', CRDS]);
  await kubectl(['wait', '--for=condition=Established', '-f', CRDS]);
}

export async function createNamespace(): Promise<Namespace> {
  const name = `inlet-test-${randomBytes(4).toString('hex')}`;
  await kubectl(['create', 'namespace', name]);
  const run = (...args: string[]) => kubectl(['-n', name, ...args]);

  async function get(what: string): Promise<Found | undefined> {
    const found = await run('get', what, '--ignore-not-found', '-o', 'json');
    return found === '' ? undefined : (JSON.parse(found) as Found);
  }
  return {
    name,
    run,
    get,
    apply: (...manifests) =>
      kubectl(
        ['-n', name, 'apply', '-f', '-'],
        manifests.map((manifest) => stringify(manifest)).join('---\n'),
      ),
    secret: async (secret) => {
      const data = (await get(`secret/${secret}`))?.data;
      return (
        data &&
        Object.fromEntries(
          Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]),
        )
      );
    },
    patch: (what, patch) => run('patch', what, '--type=merge', '-p', JSON.stringify(patch)),
    delete: (what, ...options) => run('delete', what, ...options),
    untilReady: (what, reason = 'Ready') =>
      until(`${what} to be ${reason}`, async () => {
        const found = await get(what);
        const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready');
        return ready?.reason === reason && ready.observedGeneration === found?.metadata.generation
          ? found
          : undefined;
      }),
    [Symbol.asyncDispose]: () => removeNamespace(name),
  };
}

/** Requests that kubectl sends before it throttles itself. */
const BURST = 10;

/** Removes finalizers, which would block the deletion once no operator runs. */
async function removeNamespace(name: string): Promise<void> {
  await kubectl(['delete', 'namespace', name, '--wait=false', '--ignore-not-found']);
  for (const plural of [
    'inboundreceivers',
    'inboundaddresses',
    'inbounddomains',
    'apitokens',
    'accountnotifications',
    'senderlists',
    'accountbuckets',
    'accounts',
  ]) {
    const names = (await kubectl(['-n', name, 'get', `${plural}.inlet.email`, '-o', 'name']))
      .split('\n')
      .filter((line) => line !== '');
    while (names.length > 0)
      await kubectl([
        '-n',
        name,
        'patch',
        ...names.splice(0, BURST),
        '--type=merge',
        '-p',
        '{"metadata":{"finalizers":null}}',
      ]).catch(() => undefined); // deleted ones cause errors
  }
}
