/**
 * Clients that common tools generate from the OpenAPI document work: that of TypeScript calls every
 * operation, that of Python some.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createDeliveries } from '../../services/adapters/mongo/delivery/deliveries.ts';
import { createInvoices } from '../../services/adapters/mongo/billing/invoices.ts';
import type { OpenApi } from '../../services/api/documentation/document.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { newInvoice } from '../../services/core/billing/invoice.ts';
import { planParts } from '../../services/core/billing/plan-parts.ts';
import { NO_PLANS } from '../../services/core/billing/billing.ts';
import { codeBlocks, readPage } from '../docs/pages.ts';
import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';
import { startTestApi, type TestApi } from '../support/start-api.ts';
import { changeTo, mailEvent } from '../support/mail-events.ts';
import { installFromNpm, installPythonClient, TYPESCRIPT_CLIENT } from './tools.ts';

const run = promisify(execFile);
const CALLS = join(import.meta.dirname, 'clients');
/** The programs of docs/api.md print an address and its secret. */
const PRINTED = /^\S+@in\.example whsec_\S+\n$/;

const SINGLE_SIGN_ON = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'inlet' };

const parts = new AsyncDisposableStack();
let api: TestApi;
let document: string;
/** What the programs know of the account's mail and invoices. */
let facts: object;
/** Operations that succeeded, such as `GET /v1/addresses`, from the API's own log. */
let succeeded: Set<string>;

beforeAll(async () => {
  const shared = {
    SECRET_KEYS: randomBytes(32).toString('base64'),
    LINK_KEYS: randomBytes(32).toString('base64'),
    REPLY_KEYS: randomBytes(32).toString('base64'),
    PUBLIC_API_URL: 'https://api.example.com/v1',
  };
  const lmtp = { LMTP_PORT: '0', LMTP_NETWORKS: '127.0.0.1/32' };
  const pipeline = parts.use(await startPipeline({ env: { ...shared, ...lmtp } }));
  const log = createLog('info', {}, { write: noteRequest });
  succeeded = new Set();
  api = parts.use(
    await startTestApi({
      env: {
        ...pipeline.settings,
        ...shared,
        ...SINGLE_SIGN_ON,
        INTAKE_LMTP: `lmtp://127.0.0.1:${pipeline.lmtpPort}`,
      },
      constants: { dnsMs: 500 },
      mongoUri: pipeline.settings.MONGODB_URI ?? '',
      natsServer: pipeline.natsServer,
      log,
    }),
  );
  document = await (await fetch(`${api.url}/v1/openapi.json`)).text();

  const held = await heldId(pipeline);
  const refused = await refusedId(pipeline);
  const webhookUrl = pipeline.receiver.url('/inbox');
  const payload = { attachments: 'url', raw: true };
  const { id: addressId, address } = await api.create({ webhook_url: webhookUrl, payload });
  await pipeline.mailer.sendMail({
    from: 'ann@sender.example',
    to: address,
    subject: 'for clients',
    text: 'hello',
    html: '<p>hello</p>',
    attachments: [{ filename: 'file.txt', content: 'one file' }],
  });
  const received = await pipeline.receiver.nth('/inbox', 1);
  const eventId = received.payload.event_id;
  await until('the delivery is recorded', async () => {
    const { body } = await api.ask('GET', `/v1/deliveries/${eventId}`);
    return body.status === 'delivered';
  });
  const { content, attachments } = received.payload;
  const link = { raw: linkOf(content.raw_url), attachment: linkOf(attachments[0]?.content_url) };
  const sleeping = await sleepingIds();
  const notified = await notifiedOnce(pipeline.receiver.url('/events'));
  const invoiceId = await insertInvoice();
  const { address: recipient } = await api.create({ webhook_url: webhookUrl });
  facts = {
    webhookUrl,
    eventId,
    addressId,
    recipient,
    sleeping,
    held,
    refused,
    link,
    notified,
    invoiceId,
  };
});
afterAll(() => parts.disposeAsync());

function noteRequest(line: string): void {
  const { event, method, route, status } = JSON.parse(line) as Record<string, string | undefined>;
  if (event === 'api.requested' && Number(status) < 400) succeeded.add(`${method} ${route}`);
}

function linkOf(url: string | undefined): object {
  const { searchParams } = new URL(url ?? '');
  return {
    expires: Number(searchParams.get('expires')),
    signature: searchParams.get('signature'),
  };
}

/** A notification that was sent for a new token. */
async function notifiedOnce(url: string): Promise<object> {
  const { id } = (await api.ask('POST', '/v1/account/notifications', { body: { url } })).body;
  await api.ask('POST', '/v1/account/tokens', { body: { name: 'notified' } });
  const item = await until('the delivery of the notification', async () => {
    const path = `/v1/account/notifications/${String(id)}/deliveries?status=delivered`;
    return ((await api.ask('GET', path)).body.data as { event_id: string }[])[0];
  });
  return { notification_id: id, event_id: item.event_id };
}

/** An email that a rule holds. */
async function heldId({ mailer, receiver }: Pipeline): Promise<string> {
  const { id, address } = await api.create({
    webhook_url: receiver.url('/held'),
    rules: [{ name: 'all', when: 'true', action: 'hold' }],
  });
  await mailer.sendMail({ from: 'ann@sender.example', to: address, subject: 'x', text: 'x' });
  return until('it to be held', async () => {
    const { body } = await api.ask('GET', `/v1/deliveries?address_id=${id}&status=held`);
    return (body.data as { event_id: string }[])[0]?.event_id;
  });
}

/** An email that a rule refuses. */
async function refusedId({ mailer, receiver }: Pipeline): Promise<string> {
  const { id, address: to } = await api.create({
    webhook_url: receiver.url('/refused'),
    rules: [{ name: 'all', when: 'true', action: 'refuse' }],
  });
  const sent = mailer.sendMail({ from: 'eve@sender.example', to, subject: 'x', text: 'x' });
  await expect(sent).rejects.toThrow('550');
  return until('its record', async () => {
    const { body } = await api.ask('GET', `/v1/refusals?address_id=${id}`);
    return (body.data as { id: string }[])[0]?.id;
  });
}

/** Two deliveries whose next attempt is later. */
async function sleepingIds(): Promise<string[]> {
  const owner = { account_id: api.account.id, environment: 'live' as const };
  const event = () => mailEvent({ ...owner, id: 'addr_none' }, new Date(Date.now() - 60_000));
  const events = [event(), event()];
  const nextHour = new Date(Date.now() + 3_600_000);
  await createDeliveries(api.mongo.db).record(
    events.map((one) => changeTo('retrying', one, new Date(), nextHour)),
    new Date(),
  );
  return events.map(({ event_id }) => event_id);
}

async function insertInvoice(): Promise<string> {
  const { id: account_id, name, email } = api.account;
  const period = { start: new Date('2026-01-01'), end: new Date('2026-02-01') };
  const subscription = {
    plan: 'pro',
    status: 'active' as const,
    anchor: period.start,
    trial_end: null,
  };
  const planned = planParts(subscription, period, NO_PLANS).map((part) => ({
    ...part,
    emails: 0,
  }));
  const invoice = newInvoice(
    'inv_client',
    { account_id, bill_to: { name, email, company: '' } },
    { subscription, parts: planned, currency: 'USD', period },
    period.end,
  );
  await createInvoices(api.mongo.db).insert(invoice);
  return invoice.id;
}

/** Every operation of the document, as {@link succeeded} names them. */
const operations = (): string[] =>
  Object.entries((JSON.parse(document) as OpenApi).paths)
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} /v1${path}`),
    )
    .toSorted();

const environment = () => ({
  ...process.env,
  INLET_URL: `${api.url}/v1`,
  INLET_TOKEN: api.token,
  INLET_API_URL: `${api.url}/v1`,
  FACTS: JSON.stringify(facts),
});

/** The program of docs/api.md in this language. */
async function documented(language: string): Promise<string> {
  const blocks = codeBlocks(await readPage('docs/api.md'));
  return blocks.find((block) => block.language === language)?.code ?? '';
}

/** A folder for generated code, below the tools that it needs. */
async function workFolder(tools: string) {
  const folder = await mkdtemp(join(tools, 'generated-'));
  return {
    folder,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

test('TypeScript: openapi-typescript and openapi-fetch', async ({ skip }) => {
  const tools = (await installFromNpm('typescript-client', TYPESCRIPT_CLIENT)) ?? skip();
  await using work = await workFolder(tools);
  const cwd = work.folder;
  await writeFile(join(cwd, 'openapi.json'), document);
  await copyFile(join(CALLS, 'calls.ts'), join(cwd, 'calls.ts'));
  await writeFile(join(cwd, 'documented.ts'), await documented('ts'));
  const modules = join(tools, 'node_modules');
  const node = (...args: string[]) => run(process.execPath, args, { cwd, env: environment() });
  const generator = join(modules, 'openapi-typescript', 'bin', 'cli.js');
  await node(generator, 'openapi.json', '--output', 'inlet.ts');
  const strict = ['--strict', '--noEmit', '--allowImportingTsExtensions', '--skipLibCheck'];
  const modern = [
    '--target',
    'esnext',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--typeRoots',
    TYPE_ROOTS,
  ];
  const checker = join(modules, 'typescript', 'bin', 'tsc');
  const programs = ['calls.ts', 'documented.ts'];
  const checked = await node(checker, ...strict, ...modern, ...programs).catch(
    (error: { stdout: string }) => error,
  );
  expect(checked.stdout).toBe('');
  succeeded.clear();
  await node('calls.ts');
  expect([...succeeded].toSorted()).toEqual(operations());
  expect((await node('documented.ts')).stdout).toMatch(PRINTED);
});

const TYPE_ROOTS = join(import.meta.dirname, '../../node_modules/@types');

test('Python: openapi-python-client', async ({ skip }) => {
  const tools = (await installPythonClient()) ?? skip();
  await using work = await workFolder(tools);
  const cwd = work.folder;
  await writeFile(join(cwd, 'openapi.json'), document);
  const python = (...args: string[]) =>
    run(join(tools, 'bin', 'python'), args, {
      cwd,
      env: { ...environment(), PYTHONPATH: cwd, PATH: `${tools}/bin:${process.env.PATH}` },
    });
  const generator = ['-m', 'openapi_python_client', 'generate', '--fail-on-warning'];
  const settings = ['--config', join(CALLS, 'python.yaml'), '--meta', 'none'];
  await python(
    ...generator,
    ...settings,
    '--path',
    'openapi.json',
    '--output-path',
    'inlet_client',
  );
  await python(join(CALLS, 'calls.py'));
  expect((await python('-c', await documented('python'))).stdout).toMatch(PRINTED);
});
