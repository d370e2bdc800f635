/**
 * `kubectl inlet` on a real cluster: the packed npm package is installed, kubectl finds the plugin
 * on its PATH, and each command runs against an installation of the evaluation profile.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { parseTarGzip } from 'nanotar';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { freePort } from '../../services/standalone/processes/ports.ts';
import type { Helm } from '../support/helm.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { address } from '../support/manifests.ts';
import { createNamespace, type Namespace } from './kubectl.ts';
import {
  ask,
  clusterHelm,
  installEvaluation,
  type ReceiverState,
  startMailing,
  underLoad,
} from './release.ts';

const run = promisify(execFile);
const CHECKOUT = join(import.meta.dirname, '..', '..');
const RELEASE = 'plug';
const NAME = 'plug-inlet';
const parts = new AsyncDisposableStack();
let helm: Helm;
let namespace: Namespace;
let image: string;
let folder: string;

type Result = { code: number; stdout: string; stderr: string };

/** `kubectl inlet …`, with the package of npm pack on the PATH. */
async function plugin(...args: string[]): Promise<Result> {
  const env = { ...process.env, PATH: programs() };
  return run('kubectl', ['inlet', ...args], { env, cwd: folder, maxBuffer: 64 * 1024 * 1024 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Result) => ({ code, stdout, stderr }),
  );
}
const programs = () => [join(folder, 'node_modules', '.bin'), process.env.PATH].join(delimiter);

beforeAll(async () => {
  folder = parts.use(await testDir()).path;
  await run('npm', ['pack', join(CHECKOUT, 'services', 'cli')], { cwd: folder });
  const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await run('npm', ['install', '--prefix', folder, '--offline', '--no-audit', join(folder, file)]);

  const found = await clusterHelm();
  helm = found.helm;
  namespace = parts.use(await createNamespace());
  image = await installEvaluation(found, namespace, { release: RELEASE });
  await startMailing(namespace, { release: NAME, image });
});

afterAll(async () => {
  if (namespace !== undefined)
    await helm('uninstall', RELEASE, '-n', namespace.name, '--ignore-not-found').catch(() => '');
  await parts.disposeAsync();
});

test('status shows versions, pods, resources and the queue, and exits with 0', async () => {
  const { code, stdout } = await until('a healthy status', async () => {
    const result = await plugin('-n', namespace.name, 'status');
    return result.code === 0 ? result : undefined;
  });
  expect(code).toBe(0);
  for (const text of [
    `release ${RELEASE} in namespace ${namespace.name}, version `,
    `${NAME}-gateway `,
    `${NAME}-nats `,
    image,
    'InboundAddress/orders ',
    'queue: ',
    'nothing is wrong',
  ])
    expect(stdout).toContain(text);
  // without a namespace, it finds the installation in the cluster
  const status = JSON.parse(
    (await plugin('status', '--release', RELEASE, '--json')).stdout,
  ) as object;
  expect(status).toMatchObject({ release: RELEASE, namespace: namespace.name, problems: [] });
});

test('status says what is wrong, and exits with 1', async () => {
  const status = () => plugin('-n', namespace.name, 'status');
  await namespace.apply(
    address('lost', 'https://receiver.example/', { accountRef: { name: 'nobody' } }),
  );
  await until('the problem', async () => (await status()).stdout.includes('/lost is not ready: '));
  const { code, stderr } = await status();
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^kubectl inlet: \d+ problems?, see above/),
  ]);
  await namespace.delete('inboundaddress/lost');
});

test('tail shows email as it arrives, through a port-forward, and ends with SIGINT', async () => {
  const env = { ...process.env, PATH: programs() };
  const args = [
    'inlet',
    'tail',
    '-n',
    namespace.name,
    '--token',
    'first',
    '--json',
    '--types',
    'email.received',
  ];
  const child = spawn('kubectl', args, { env, cwd: folder });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (err += chunk.toString()));
  try {
    await until('the stream', () => err.includes('listening to'), 60_000).catch(
      (cause: unknown) => {
        throw new Error(`tail printed: ${err}`, { cause });
      },
    );
    await underLoad(namespace, async () => undefined);
    await until('an event', () => out.includes('"type":"email.received"'), 60_000);
  } finally {
    child.kill('SIGINT');
  }
  if (child.exitCode === null) await once(child, 'exit');
  expect([child.exitCode, err.split('\n').length]).toEqual([0, 2]);
  expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ delivery: {} });
});

test('link makes a link that signs in, and says which port-forward it needs', async () => {
  const port = await freePort();
  const args = ['link', '-n', namespace.name, '--port', String(port), '--json'];
  const { stdout } = await plugin(...args, '--account', `${namespace.name}/shop`);
  const { url, port_forward } = JSON.parse(stdout) as { url: string; port_forward: string };
  expect(url).toContain(`http://127.0.0.1:${port}/dashboard`);
  const forward = spawn('sh', ['-c', `exec ${port_forward}`], { stdio: 'ignore' });
  try {
    const page = await until('the dashboard', () => fetch(url).catch(() => undefined));
    expect(page.status).toBe(200);
  } finally {
    forward.kill();
  }
});

test('retry makes the next attempt due now; an email that was delivered has none', async () => {
  await namespace.apply(address('down', `https://receiver.${namespace.name}.svc:8443/failing`));
  const down = await namespace.untilReady('inboundaddress/down');
  const to = String(down.status?.address);
  const smtp = ['--smtp-host', `${NAME}-gateway`, '--smtp-port', '25'];
  await namespace.run('exec', 'pod/sender', '--', '/app/bin/inlet', 'send', to, ...smtp);
  const token = String(
    (await namespace.secret(String((await namespace.get('apitoken/first'))?.status?.secretName)))
      ?.token,
  );
  const list = async (status: string) => {
    await sleep(1000); // a token may make 100 requests a minute
    const script = `const headers = { authorization: 'Bearer ' + process.env.TOKEN };
      fetch('http://${NAME}-api/v1/deliveries?limit=1&status=${status}', { headers })
        .then((r) => r.text()).then(console.log)`;
    const page = await namespace.run('exec', 'pod/sender', '--', 'node', '-e', script);
    type List = { data: { event_id: string; attempt_count: number }[] };
    return (JSON.parse(page) as List).data[0];
  };
  const waiting = await until('a retry', () => list('retrying'), 60_000);
  const first = waiting.attempt_count;
  const args = ['-n', namespace.name, 'retry', waiting.event_id];
  const retried = await until('the retry', async () => {
    const result = await plugin(...args, '--token', `${namespace.name}/first`);
    expect(result.stderr).not.toContain('does not respond');
    return result.code === 0 ? result : undefined; // an attempt may just be in flight
  });
  expect(retried.stdout).toContain(waiting.event_id);
  await until('the attempt', async () => ((await list('retrying'))?.attempt_count ?? 0) > first);

  const delivered = await until('a delivery', () => list('delivered'));
  const refused = await plugin(
    '-n',
    namespace.name,
    'retry',
    delivered.event_id,
    '--token',
    'first',
  );
  expect([refused.code, refused.stderr.startsWith('inlet: ')]).toEqual([1, true]);
  expect(refused.stderr).not.toContain(token);
});

test('report has logs, events, conditions and versions, and no secret or email address', async () => {
  const { code, stdout } = await plugin('-n', namespace.name, 'report', '-o', 'report.tar.gz');
  expect([code, stdout]).toEqual([0, expect.stringContaining('report.tar.gz: ')]);
  const files = await parseTarGzip(await readFile(join(folder, 'report.tar.gz')));
  const names = files.map(({ name }) => name.replace('inlet-report/', ''));
  for (const name of [
    'README.txt',
    'versions.json',
    'status.json',
    'events.json',
    'resources.json',
  ])
    expect(names).toContain(name);
  for (const component of ['gateway', 'dispatcher', 'api', 'operator']) {
    expect(names.some((name) => name.startsWith(`logs/${NAME}-${component}-`))).toBe(true);
    expect(names.some((name) => name.startsWith(`metrics/${NAME}-${component}-`))).toBe(true);
  }
  const textOf = (name: string) => files.find((file) => file.name.endsWith(name))?.text ?? '';
  expect(textOf('resources.json')).toContain('"Ready"');
  expect(textOf('README.txt')).not.toContain('Not read');

  const all = files.map(({ text }) => text).join('\n');
  const secrets = JSON.parse(await namespace.run('get', 'secrets', '-o', 'json')) as {
    items: { type: string; data?: Record<string, string> }[];
  };
  const values = secrets.items
    .filter(({ type }) => !type.startsWith('helm.sh/'))
    .flatMap(({ data = {} }) => Object.values(data))
    .filter((value) => Buffer.from(value, 'base64').length >= 8);
  expect(values.length).toBeGreaterThan(10);
  for (const value of values) {
    expect(all).not.toContain(Buffer.from(value, 'base64').toString().trim());
    expect(all).not.toContain(value.replace(/=+$/, ''));
  }
  expect(all).not.toMatch(/kind": "Secret"|whsec_|svc_live_/);
  expect(all).not.toContain('shop@example.com');
  const { subjects } = await ask<ReceiverState>(namespace, 'receiver', 'state');
  for (const subject of Object.keys(subjects)) expect(all).not.toContain(`"${subject}"`);
});
