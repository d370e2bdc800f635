/**
 * The receivers of docs/examples/ receive webhooks of the real dispatcher, ignore repeated ones, and
 * survive hostile requests. A test proxy terminates TLS.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import {
  newSecret,
  signatureHeaders,
  signingKeys,
} from '../../services/core/delivery/signature.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { installFromNpm } from '../contract/tools.ts';
import { until } from '../support/until.ts';
import { startWholeSystem, type WholeSystem } from '../support/whole-system.ts';
import { CHECKOUT } from './pages.ts';

const run = promisify(execFile);
const EXAMPLES = join(CHECKOUT, 'docs', 'examples');
const CACHE = join(process.env.INLET_CACHE || join(CHECKOUT, '.inlet', 'cache'), 'examples');
const NODE_PACKAGES = { express: '5.3.0', fastify: '5.12.8', standardwebhooks: '1.1.1' };
const PYTHON_PACKAGES = ['flask', 'fastapi', 'uvicorn', 'standardwebhooks==1.1.0'];
const GO_MODULE = 'github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1';
const TIMEOUT_MS = 300_000;
const MAX_LINES = 40;
/** Includes the second retry, for a program that could not answer yet. */
const EMAIL_MS = 90_000;

type Program = { command: string; args: string[]; env?: NodeJS.ProcessEnv };
/** Undefined when this machine cannot run it. */
type Prepare = (file: string, folder: string) => Promise<Program | undefined>;

const node: Prepare = async (file) => {
  const tools = await installFromNpm('example-receivers', NODE_PACKAGES);
  if (tools === undefined) return undefined;
  const folder = await mkdtemp(join(tools, 'run-'));
  await copyFile(join(EXAMPLES, file), join(folder, file));
  return { command: process.execPath, args: [join(folder, file)] };
};
const python: Prepare = async (file) => {
  const target = join(CACHE, 'python');
  const env = { PYTHONPATH: target };
  const options = { env: { ...process.env, ...env } };
  const imports = 'import flask, fastapi, uvicorn, standardwebhooks';
  const isInstalled = run('python3', ['-c', imports], options);
  try {
    await isInstalled.catch(() =>
      run('python3', ['-m', 'pip', 'install', '--quiet', '--target', target, ...PYTHON_PACKAGES]),
    );
  } catch {
    return undefined;
  }
  return { command: 'python3', args: [join(EXAMPLES, file)], env };
};
const go: Prepare = async (file, folder) => {
  await writeFile(join(folder, 'go.mod'), 'module receiver\n\ngo 1.22\n');
  await copyFile(join(EXAMPLES, file), join(folder, file));
  try {
    await run('go', ['get', GO_MODULE], { cwd: folder });
  } catch {
    return undefined;
  }
  await run('go', ['build', '-o', 'program', '.'], { cwd: folder });
  return { command: join(folder, 'program'), args: [] };
};

/** Runs the Worker on Node: its KV namespace is a Map. */
const worker: Prepare = async (file, folder) => {
  const program = await node(file, folder);
  const main = program?.args[0]?.replace(file, 'host.mjs');
  if (program === undefined || main === undefined) return undefined;
  await writeFile(main, WORKER_HOST.replace('WORKER', file));
  return { ...program, args: [main] };
};
const WORKER_HOST = `import { createServer } from 'node:http';
import worker from './WORKER';
const kept = new Map();
const env = {
  WEBHOOK_SECRET: process.env.WEBHOOK_SECRET,
  SEEN: { get: async (key) => kept.get(key) ?? null, put: async (key, value) => kept.set(key, value) },
};
createServer(async (request, response) => {
  const asked = new Request('https://worker.example/', {
    method: request.method, headers: request.headers, body: request, duplex: 'half',
  });
  const answer = await worker.fetch(asked, env, { waitUntil: () => undefined });
  response.writeHead(answer.status).end();
}).listen(Number(process.env.PORT));
`;

const PROGRAMS: [file: string, prepare: Prepare][] = [
  ['node-http.mjs', node],
  ['express.mjs', node],
  ['fastify.mjs', node],
  ['cloudflare-worker.mjs', worker],
  ['flask_app.py', python],
  ['fastapi_app.py', python],
  ['receiver.go', go],
];

const BODY = Buffer.from('{"event_id":"evt_hostile","headers":{"subject":"hostile"}}');
const signed = (secret: string, now = new Date()): Record<string, string> =>
  signatureHeaders({ eventId: 'evt_hostile', body: BODY, keys: [signingKeys(secret)], now });
const OTHER_SECRET = newSecret(Buffer.alloc(32, 9));
const HOUR_MS = 3_600_000;

/** Headers that a receiver must refuse. */
const hostile = (secret: string): [title: string, headers: Record<string, string>][] => [
  ['no signature', {}],
  ['another secret', signed(OTHER_SECRET)],
  ['an old timestamp', signed(secret, new Date(Date.now() - HOUR_MS))],
  ['an empty signature', { ...signed(secret), 'webhook-signature': '' }],
  ['a signature without a comma', { ...signed(secret), 'webhook-signature': 'v1' }],
  ['a short signature', { ...signed(secret), 'webhook-signature': 'v1,AAAA' }],
  ['a timestamp of words', { ...signed(secret), 'webhook-timestamp': 'now' }],
  ['a timestamp that is no number', { ...signed(secret), 'webhook-timestamp': 'nan' }],
  ['a non-ASCII signature', { ...signed(secret), 'webhook-signature': 'v1,\u00e9' }],
];

let system: WholeSystem;
beforeAll(async () => {
  system = await startWholeSystem();
});
afterAll(async () => system?.[Symbol.asyncDispose]());

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

test.for(PROGRAMS)('%s', { timeout: TIMEOUT_MS }, async ([file, prepare], { skip }) => {
  const folder = join(system.standalone.dataDir, `example-${file}`);
  await mkdir(folder);
  const program =
    (await prepare(file, folder)) ?? skip(`docs/examples/${file}: its packages are missing`);
  const port = await freePort();
  const proxy = await startTlsProxy(port);
  const webhook_url = `https://127.0.0.1:${proxy.port}/`;
  const { body } = await system.call('POST', '/addresses', { webhook_url });
  const {
    id,
    address,
    webhook_secret: secret,
  } = body as Record<'id' | 'address' | 'webhook_secret', string>;
  const child = spawn(program.command, program.args, {
    env: { ...process.env, ...program.env, WEBHOOK_SECRET: secret, PORT: String(port) },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const post = (headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: BODY,
    }).then(({ status }) => status);
  const send = (subject: string) =>
    system.mailer.sendMail({ from: 'ann@sender.example', to: address, subject, text: 'x' });
  const times = (subject: string) => output.split(subject).length - 1;
  try {
    await until('the program', () =>
      post({}).then(
        () => true,
        () => false,
      ),
    );
    await send('welcome');
    await until(`the email`, () => /evt_\w+ welcome/.test(output), EMAIL_MS).catch((cause) => {
      throw new Error(`the program printed: ${output}`, { cause });
    });

    const [, eventId = ''] = /(evt_\w+) welcome/.exec(output) ?? [];
    const list = async () =>
      (await system.call('GET', `/deliveries?address_id=${id}&status=delivered`)).body as {
        data: { attempt_count: number }[];
      };
    await until('the record', async () => (await list()).data.length === 1);
    expect((await system.call('POST', `/deliveries/${eventId}/replay`)).status).toBe(200);
    await until('the replay', async () => (await list()).data[0]?.attempt_count === 2);
    expect(times('welcome')).toBe(1);

    for (const [title, headers] of hostile(secret)) {
      const status = await post(headers);
      expect([title, status >= 400 && status <= 499, status]).toEqual([title, true, status]);
    }
    expect(child.exitCode).toBeNull();
    await send('afterwards');
    await until('the next email', () => times('afterwards') === 1);
    expect(output).not.toContain('hostile');
  } finally {
    child.kill();
    await once(child, 'exit');
    proxy.close();
  }
});

test('every example is tested, listed, and has at most 40 lines', async () => {
  const files = (await readdir(EXAMPLES)).filter((file) => file !== 'README.md');
  expect(files.toSorted()).toEqual(PROGRAMS.map(([file]) => file).toSorted());
  const readme = await readFile(join(EXAMPLES, 'README.md'), 'utf8');
  for (const file of files) {
    expect(readme).toContain(`](${file})`);
    const lines = (await readFile(join(EXAMPLES, file), 'utf8')).trimEnd().split('\n').length;
    expect([file, lines <= MAX_LINES, lines]).toEqual([file, true, lines]);
  }
});
