/**
 * The commands of docs/backup-and-restore.md as they are printed: a release is backed up, deleted
 * with its namespace, and restored into another one. Only the names of the two namespaces and the
 * values are the test's.
 */
import { execFile } from 'node:child_process';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { parse, stringify } from 'yaml';

import { CHECKOUT, codeBlocks, readPage } from '../docs/pages.ts';
import { CHART } from '../support/charts.ts';
import type { Helm } from '../support/helm.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { testDir } from '../support/servers.ts';
import { until } from '../support/until.ts';
import { ensureTls } from '../../services/standalone/keys.ts';
import { createNamespace, type Namespace } from './kubectl.ts';
import {
  ask,
  clusterHelm,
  type ReceiverState,
  startMailing,
  underLoad,
  uninstall,
  WAIT,
} from './release.ts';

const RELEASE = 'inlet';
const NODE_ADDRESS = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}';
const run = promisify(execFile);
const parts = new AsyncDisposableStack();
let helm: Helm;
let takeOver: string[];
let former: Namespace;
let next: Namespace;
let folder: string;
let image: { repository: string; tag: string };
/** Only where this machine is a node of the cluster: pods reach its addresses. */
let s3: S3Server | undefined;

beforeAll(async () => {
  ({ helm, takeOver } = await clusterHelm());
  former = parts.use(await createNamespace());
  next = parts.use(await createNamespace());
  folder = parts.use(await testDir()).path;
  await symlink(join(CHECKOUT, 'charts'), join(folder, 'charts'));
  image = inject('images');
  s3 = await bucketForPods();
  await writeValues(former);
  const values = ['-f', join(folder, 'my-values.yaml')];
  const options = [...values, ...takeOver, ...WAIT];
  await helm('install', RELEASE, CHART, '-n', former.name, ...options);
  await startMailing(former, { release: RELEASE, image: `${image.repository}:${image.tag}` });
});

afterAll(async () => {
  for (const one of [former, next].filter(Boolean)) await uninstall(helm, RELEASE, one);
  await parts.disposeAsync();
});

async function bucketForPods(): Promise<S3Server | undefined> {
  const { stdout } = await run('kubectl', ['get', 'nodes', '-o', `jsonpath=${NODE_ADDRESS}`]);
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const host = own.find(({ address }) => address === stdout)?.address;
  if (host === undefined) return undefined;
  const server = await startS3Server((await ensureTls(folder)).caFile, host);
  return server && parts.use(server);
}

/** The evaluation profile, with resources in one namespace, and with a bucket. */
async function writeValues(namespace: Namespace): Promise<void> {
  const { name } = namespace;
  const egress = s3 && [{ to: [{ ipBlock: { cidr: `${new URL(s3.endpoint).hostname}/32` } }] }];
  if (s3)
    await namespace.run(
      'create',
      'secret',
      'generic',
      'inlet-backups',
      `--from-literal=BACKUP_ACCESS_KEY_ID=${s3.credentials.access_key_id}`,
      `--from-literal=BACKUP_SECRET_ACCESS_KEY=${s3.credentials.secret_access_key}`,
    );
  const bucket = s3 && {
    endpoint: s3.endpoint,
    bucket: s3.bucket,
    existingSecret: 'inlet-backups',
  };
  const profile = parse(await readFile(join(CHART, 'values-evaluation.yaml'), 'utf8')) as {
    operator: object;
    api?: object;
  };
  const values = {
    ...profile,
    ...(s3 && {
      api: { ...profile.api, extraEgress: egress },
      backup: {
        ...bucket,
        schedule: '0 0 1 1 *',
        drill: { schedule: '0 0 1 1 *' },
        extraEgress: egress,
      },
    }),
    inboundDomain: 'in.example.com',
    image,
    operator: { ...profile.operator, namespaces: [name] },
  };
  await writeFile(join(folder, 'my-values.yaml'), stringify(values));
}

const endpointsOf = ({ name }: Namespace) =>
  `kubectl -n ${name} get endpointslices -l kubernetes.io/service-name=${RELEASE}-api ` +
  `-o jsonpath='{.items[*].ports[*].port}'`;

/** Runs the sh block below a heading of the page that has this text. */
async function runBlock(heading: string, part: string): Promise<void> {
  const page = await readPage('docs/backup-and-restore.md');
  const section = { ...page, text: page.text.split(`\n${heading}\n`)[1] ?? '' };
  const block = codeBlocks(section).find(({ language }) => language === 'sh');
  expect(block?.code).toContain(part);
  const script = (block?.code ?? '')
    .replace('kubectl create namespace inlet2', ':') // the test creates and deletes its namespaces
    .replaceAll(/\binlet2\b/g, next.name)
    .replaceAll(/-n inlet\b(?!-)|(?<=")inlet(?=")|\binlet(?==)/g, (name) =>
      name.replace('inlet', former.name),
    )
    .replaceAll('--all-namespaces', `-n ${former.name}`) // other tests use the cluster
    .replaceAll('--take-ownership', takeOver.join(' '))
    // the pod that waits for commands serves nothing, so it is no endpoint
    .replace(/^(?=kubectl .* inlet admin restore)/m, `test -z "$(${endpointsOf(next)})"\n`);
  await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });
}

/** What a restore must bring back, as users and receivers have it. */
async function credentials(namespace: Namespace) {
  const { status } = await namespace.untilReady('inboundaddress/orders');
  return {
    address: status?.address,
    token: await namespace.secret('first-token'),
    webhook: await namespace.secret('orders-webhook'),
  };
}

/** Calls the API of the release with the token of the sender. Returns the status. */
async function callApi(namespace: Namespace, path: string, options: object = {}): Promise<number> {
  const script = `
    const headers = {
      authorization: 'Bearer ' + process.env.TOKEN,
      'content-type': 'application/json',
    };
    fetch('http://${RELEASE}-api${path}', { headers, ...${JSON.stringify(options)} })
      .then(({ status }) => console.log(status))`;
  return Number(await namespace.run('exec', 'pod/sender', '--', 'node', '-e', script));
}

/** The Jobs of the schedules, now. The bucket has what no release reads without its keys. */
async function backUpToBucket(server: S3Server): Promise<void> {
  for (const task of ['backup', 'backup-drill']) {
    await former.run('create', 'job', `${task}-now`, `--from=cronjob/${RELEASE}-${task}`);
    await former
      .run('wait', `job/${task}-now`, '--for=condition=complete', '--timeout=180s')
      .catch(async (cause: unknown) => {
        const log = await former.run('logs', `job/${task}-now`, '--tail=20').catch(String);
        throw new Error(`${task}: ${log}`, { cause });
      });
  }
  const index = JSON.parse(String(await server.read('backups/index.json'))) as {
    drilled_at: string | null;
    backups: { name: string; state: string; restored_at: string | null }[];
  };
  expect(index).toMatchObject({
    drilled_at: expect.any(String),
    backups: [{ state: 'stored', restored_at: expect.any(String) }],
  });
}

test('O.3: backup, deletion and restore into another namespace, with the commands of the docs', async () => {
  await underLoad(former, async () => undefined);
  await former.run('delete', 'pod/receiver', '--wait');
  await ask(former, 'sender', 'start'); // emails that wait for a receiver
  const waiting = await until('emails that wait', async () => {
    const { accepted } = await ask<{ accepted: string[] }>(former, 'sender', 'state');
    return accepted.length >= 5 ? accepted : undefined;
  });
  await ask(former, 'sender', 'stop');
  const before = await credentials(former);
  await runBlock('## Back up', 'inlet admin backup > inlet.backup');
  if (s3) await backUpToBucket(s3);
  await uninstall(helm, RELEASE, former);
  await former[Symbol.asyncDispose]();

  await writeValues(next);
  await runBlock('### Into another namespace', 'inlet admin restore --move-namespace');

  expect(await credentials(next)).toEqual(before);
  const { repository, tag } = image;
  // Its receiver checks signatures with the same secret, and its sender has the same token.
  await startMailing(next, { release: RELEASE, image: `${repository}:${tag}` });
  // The receiver is there only now, and the next attempt of the schedule may be 5 minutes away.
  const retry = { method: 'POST', body: JSON.stringify({ status: 'retrying' }) };
  expect(await callApi(next, '/v1/deliveries/replay', retry)).toBe(200);
  await until(
    'the emails that waited',
    async () => {
      const { subjects } = await ask<ReceiverState>(next, 'receiver', 'state');
      return waiting.every((subject) => subject in subjects);
    },
    120_000,
  );
  await underLoad(next, async () => undefined);
  expect(await ask<ReceiverState>(next, 'receiver', 'state')).toMatchObject({ badSignatures: 0 });
  expect(await callApi(next, '/v1/usage')).toBe(200);
});
