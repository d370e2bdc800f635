/**
 * `inlet listen`, `wait` and `tail` against all of Inlet as `npm start` runs it. A token
 * that can only read deliveries and addresses is enough.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';

import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';

import { svcSignature, signingKeys } from '../../services/core/webhook/signature.ts';
import { freePort } from '../../services/standalone/processes/ports.ts';
import { startFaultyApi } from '../support/faulty-api.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { runCommand } from '../support/inlet-command.ts';
import { until } from '../support/until.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';

type Hook = { headers: IncomingHttpHeaders; body: Buffer };

const system = await useInFile(startWholeSystem());
const token = await newToken('deliveries:read', 'addresses:read', 'secrets:read');
/** The API and files of the system, with the token of {@link token}. */
const own = {
  INLET_DIR: system.standalone.dataDir,
  INLET_API_URL: system.standalone.state().api_url,
  INLET_TOKEN: token,
};

async function newToken(...permissions: string[]): Promise<string> {
  const { body } = await system.call('POST', '/account/tokens', { name: 'listener', permissions });
  return (body as { token: string }).token;
}

/** A program on plain HTTP, such as a developer writes. */
async function startProgram(answer: (count: number) => number = () => 200) {
  const hooks: Hook[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    hooks.push({ headers: request.headers, body: await buffer(request) });
    response.writeHead(answer(hooks.length)).end('thanks');
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return { hooks, url: `http://127.0.0.1:${port}/hook`, [Symbol.asyncDispose]: close };

  async function close(): Promise<void> {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

type Running = AsyncDisposable & { out(): string; err(): string; stop(): Promise<number> };

/** A command that runs until it is stopped. */
function start(args: string[], env: NodeJS.ProcessEnv = {}): Running {
  const controller = new AbortController();
  let [out, err] = ['', ''];
  const ended = runCommand(args, {
    env: { ...own, ...env },
    stopped: controller.signal,
    write: (text) => void (out += text),
    complain: (text) => void (err += text),
  });
  async function stop(): Promise<number> {
    controller.abort();
    return (await ended).code;
  }
  return {
    out: () => out,
    err: () => err,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

const isListening = (running: Running) =>
  until('the stream', () => running.err().includes('listening'));
const mail = (to: string, subject: string) =>
  system.mailer.sendMail({ from: 'ann@sender.example', to, subject, text: `code ${subject}` });

const traceOf = ({ traceparent }: IncomingHttpHeaders) =>
  /^00-([\da-f]{32})-[\da-f]{16}-00$/.exec(String(traceparent))?.[1];

describe('listen', () => {
  test.each(['addr_unknown', 'orders@inlet.localhost'])(
    'P.2: ends at once for %s, which is no address of the account',
    async (id) => {
      const { code, err } = await runCommand(['listen', '--address', id], {
        env: own,
      });
      expect([code, err.toLowerCase()]).toEqual([
        4,
        expect.stringContaining('there is no such address'),
      ]);
    },
  );

  test('--forward ends with a reason for a token that may not read secrets', async () => {
    const { id } = await system.address('/secret');
    const INLET_TOKEN = await newToken('deliveries:read', 'addresses:read');
    const args = ['listen', '--address', id, '--forward', 'http://127.0.0.1:1/'];
    const { code, err } = await runCommand(args, { env: { ...own, INLET_TOKEN } });
    expect([code, err]).toEqual([3, expect.stringContaining('secrets:read')]);
  });

  test('posts the exact bytes with valid signatures of both schemes to plain HTTP', async () => {
    const address = await system.address('/listen');
    await using program = await startProgram((count) => (count === 1 ? 200 : 500));
    for (const wrong of ['foo://x', 'nothing'])
      expect(await runCommand(['listen', '--forward', wrong], { env: {} })).toMatchObject({
        code: 2,
      });
    const target = program.url.replace('http://', 'http://inlet:p%40ss@');
    const args = ['listen', '--address', address.address, '--forward', target];
    await using running = start(args);
    await isListening(running);
    // P.2: the target, and how the secret begins
    expect(running.err()).toContain(`forwarding to ${program.url}\n`);
    const shown = address.webhook_secret.slice(0, 10);
    expect(running.err()).toContain(`webhook secret of ${address.address}: ${shown}… (`);
    expect(running.err()).not.toContain(address.webhook_secret);
    await mail(address.address, 'första');
    await until('the hook', () => program.hooks.length === 1);
    const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = program.hooks;
    const sent = await system.receiver.nth('/listen', 1);
    expect(body.equals(sent.raw)).toBe(true);
    const secret = address.webhook_secret;
    new Webhook(secret).verify(body, headers as Record<string, string>);
    const svc = String(headers['svc-signature']);
    const time = new Date(Number(/t=(\d+)/.exec(svc)?.[1]) * 1_000);
    expect(svcSignature({ body, keys: [signingKeys(secret)], now: time })).toBe(svc);
    expect(headers['webhook-id']).toBe(sent.payload.event_id);
    expect(headers.authorization).toBe(`Basic ${Buffer.from('inlet:p@ss').toString('base64')}`);
    expect(running.err()).not.toContain('p%40ss');
    expect(traceOf(headers)).toMatch(/./);
    expect(traceOf(headers)).toBe(traceOf(sent.headers));
    await until('the response', () => running.out().includes('200 in'));
    expect(running.out()).toContain(`ann@sender.example → ${address.address}: första\n`);
    expect(running.out()).toMatch(/→ http:\S+ accepted 200 in \d+ ms: thanks/);
    await mail(address.address, 'second');
    await until('the second response', () => running.out().includes('failed 500'));
    expect(await running.stop()).toBe(0);
  });

  test('--format posts what the inbound webhook of another service posts, signed', async () => {
    const { address, webhook_secret } = await system.address('/format');
    await using program = await startProgram(() => 200);
    const target = program.url.replace('http://', '');
    const args = ['listen', '--address', address, '--forward', target];
    await using running = start([...args, '--format', 'postmark']);
    await isListening(running);
    await mail(address, 'moved');
    await until('the hook', () => program.hooks.length === 1);
    const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = program.hooks;
    expect(JSON.parse(body.toString())).toMatchObject({
      Subject: 'moved',
      FromFull: { Email: 'ann@sender.example' },
      OriginalRecipient: address,
    });
    new Webhook(webhook_secret).verify(body, headers as Record<string, string>);
  });

  test.each(['with a webhook URL', 'without a webhook URL'])(
    'posts each replay of an email, at an address %s',
    async (which) => {
      const path = `/replayed-${which.split(' ')[0]}`;
      const isSent = which.startsWith('with ');
      const address = await system.address(path, isSent ? {} : { webhook_url: null });
      await using program = await startProgram((count) => (count === 1 ? 500 : 200));
      await using running = start(['listen', '--address', address.id, '--forward', program.url]);
      await isListening(running);
      await mail(address.address, 'once more');
      await until('the refusal', () => running.out().includes('failed 500'));
      const [first] = program.hooks;
      const id = String(first?.headers['webhook-id']);
      await until('the end of the delivery', async () => {
        const { body } = await system.call('GET', `/deliveries/${id}`);
        return (body as { status: string }).status === 'delivered';
      });
      for (const count of [2, 3]) {
        const env = { ...own, INLET_TOKEN: system.standalone.state().token };
        await until('the replay', async () => {
          const { code } = await runCommand(['deliveries', 'replay', id], { env });
          return code === 0;
        });
        await until('its webhook', () => program.hooks.length === count);
      }
      expect(program.hooks.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id]);
      await until('the last response', () => running.out().split('accepted 200').length === 3);
    },
  );

  test('P.2: says that nothing listens, and prints the secret on request', async () => {
    const address = await system.address('/nowhere');
    const url = `http://127.0.0.1:${await freePort()}/`;
    const args = ['listen', '--address', address.id, '--forward', url, '--show-secret'];
    await using running = start(args);
    await isListening(running);
    expect(running.err()).toContain(`forwarding to ${url}, where nothing listens yet\n`);
    expect(running.err()).toContain(`: ${address.webhook_secret}\n`);
    await mail(address.address, 'to nowhere');
    await until('the failure', () =>
      / failed in \d+ ms: nothing listens there\n/.test(running.out()),
    );
  });

  test('--since includes earlier email; other addresses are not shown', async () => {
    const [address, other] = [await system.address('/since'), await system.address('/other')];
    await mail(address.address, 'earlier');
    await mail(other.address, 'of another');
    await system.receiver.nth('/since', 1);
    await system.receiver.nth('/other', 1);
    const args = ['listen', '--address', address.id, '--since', '1h', '--print', 'body'];
    await using running = start(args);
    await until('the email', () => running.out().includes('\n'));
    const payloads = running.out().trim().split('\n');
    expect(payloads.map((text) => (JSON.parse(text) as { headers: object }).headers)).toMatchObject(
      [{ subject: 'earlier' }],
    );
  });

  test('a lost connection loses and repeats no email', async () => {
    const address = await system.address('/lost');
    await using program = await startProgram();
    const { api_url } = system.standalone.state();
    await using proxy = await startTcpProxy(Number(new URL(api_url).port), '127.0.0.1');
    const env = { INLET_API_URL: `http://127.0.0.1:${proxy.port}/v1` };
    const args = ['listen', '--address', address.id, '--json', '--forward', program.url];
    await using running = start(args, env);
    await isListening(running);
    for (let round = 1; round <= 3; round++) {
      await mail(address.address, `before ${round}`);
      await proxy.fail('cut');
      await mail(address.address, `after ${round}`);
      await proxy.heal();
    }
    const subjects = () =>
      running
        .out()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { subject: string }).subject);
    await until('all emails', () => subjects().length >= 6);
    await mail(address.address, 'last');
    await until('the last email', () => subjects().includes('last'));
    expect(subjects().toSorted()).toEqual(
      ['after 1', 'after 2', 'after 3', 'before 1', 'before 2', 'before 3', 'last'].toSorted(),
    );
    expect(running.err()).toContain('reconnecting');
    const forwarded = program.hooks.map(
      ({ body }) => (JSON.parse(body.toString()) as { headers: { subject: string } }).headers,
    );
    expect(forwarded.map(({ subject }) => subject)).toEqual(subjects());
  });

  test('calls that the API refuses for now are repeated', async () => {
    const address = await system.address('/refused');
    await mail(address.address, 'earlier');
    await system.receiver.nth('/refused', 1);
    await using program = await startProgram();
    await using api = await startFaultyApi(system.standalone.state().api_url);
    for (const path of [/payload$/, /addresses\/addr_\w+$/, /deliveries\?/, /stream\?/])
      [503, 429].forEach((status) => api.refuse(path, status, 1));
    const args = ['listen', '--address', address.id, '--since', '2h', '--forward', program.url];
    await using running = start(args, { INLET_API_URL: api.url });
    await until('the earlier email', () => program.hooks.length === 1);
    await mail(address.address, 'later');
    await until('the later email', () => program.hooks.length === 2);
    expect(api.left()).toBe(0);
    expect(running.err()).toContain('fault 503 [unavailable]: trying again');
    expect(await running.stop()).toBe(0);
  });

  test('an email without content, and one of a deleted address, are reported', async () => {
    const kept = await system.address('/kept');
    const deleted = await system.address('/deleted');
    const erased = await system.address('/erased', { retention_hours: 0 });
    for (const { address } of [erased, deleted]) await mail(address, `to ${address}`);
    for (const path of ['/erased', '/deleted']) await system.receiver.nth(path, 1);
    await system.call('DELETE', `/addresses/${deleted.id}`);
    await using program = await startProgram();
    await using running = start(['listen', '--since', '1h', '--forward', program.url]);
    await isListening(running);
    await mail(kept.address, 'the next one');
    await until('the next email', () => running.out().includes('the next one'));
    await until('its response', () => /the next one\n.*accepted 200/.test(running.out()));
    expect(running.out()).toMatch(
      new RegExp(`to ${erased.address}\\n.*not sent: the content of the email is no longer stored`),
    );
    expect(running.out()).toMatch(
      new RegExp(`to ${deleted.address}\\n.*not sent: the address was deleted`),
    );
    await using body = start([
      'listen',
      '--address',
      erased.id,
      '--since',
      '1h',
      '--print',
      'body',
    ]);
    await until('the report', () => body.err().includes('no longer stored'));
    expect([await body.stop(), body.out()]).toEqual([0, '']);
  });

  test('--print body prints the response of the local program as an error output', async () => {
    const address = await system.address('/both');
    await using program = await startProgram(() => 418);
    const args = ['listen', '--address', address.id, '--print', 'body', '--forward', program.url];
    await using running = start(args);
    await isListening(running);
    await mail(address.address, 'shown');
    await until('the response', () => running.err().includes('418'));
    expect(running.err()).toMatch(/→ http:\S+ failed 418 in \d+ ms: thanks/);
    expect(JSON.parse(running.out())).toMatchObject({ headers: { subject: 'shown' } });
  });

  test('--create makes an address while it listens, and deletes it at the end', async () => {
    const env = { INLET_TOKEN: system.standalone.state().token };
    await using running = start(['listen', '--create'], env);
    await isListening(running);
    const [, address = '', id = ''] = /created (\S+) \((\w+)\)/.exec(running.err()) ?? [];
    const shown = await runCommand(['addresses', 'show', id], {
      env: { ...own, ...env },
    });
    expect(shown.out).toContain('whsec_');
    await mail(address, 'to the new address');
    await until('the email', () => running.out().includes('to the new address'));
    expect(await running.stop()).toBe(0);
    expect(running.err()).toContain(`deleted ${address}`);
    await expect(mail(address, 'late')).rejects.toThrow('550');
  });

  test('a token that may not read deliveries ends it', async () => {
    const env = { ...own, INLET_TOKEN: await newToken('usage:read') };
    expect(await runCommand(['listen'], { env })).toMatchObject({ code: 3 });
  });
});

const wait = (id: string, ...args: string[]) =>
  runCommand(['wait', '--address', id, ...args], {
    env: own,
  });

describe('wait', () => {
  test('prints the next email and exits', async () => {
    const address = await system.address('/wait');
    const waiting = wait(address.id, '--timeout', '30s', '--json');
    const early = wait(address.id, '--timeout', '30s');
    await new Promise((resolve) => setTimeout(resolve, 500)); // both requests have been sent
    await mail(address.address, '123456');
    const { code, out } = await waiting;
    expect([code, JSON.parse(out)]).toMatchObject([0, { headers: { subject: '123456' } }]);
    expect((await early).out).toMatch(/^from: +.*\nsubject: 123456\n\ncode 123456\n$/);
    expect((await wait(address.id, '--since', '1h')).out).toContain('123456');
  });

  test('prints only the code or the link of an email, for a pipeline', async () => {
    const extract = ['codes', 'links'] as const;
    const address = await system.address('/codes', {
      payload: { attachments: 'inline', raw: false, extract: [...extract] },
    });
    await system.mailer.sendMail({
      from: 'ann@sender.example',
      to: address.address,
      text: 'Your code is 482913. Or sign in: https://shop.example/in?t=1',
      headers: { 'List-Unsubscribe': '<https://shop.example/u>' },
    });
    const only = (...args: string[]) => wait(address.id, '--since', '1h', ...args);
    expect(await only('--code')).toEqual({ code: 0, out: '482913\n', err: '' });
    expect(await only('--link')).toMatchObject({ code: 0, out: 'https://shop.example/in?t=1\n' });
    expect(await only('--code', '--link')).toMatchObject({ code: 2 });
  });

  test('an address that extracts no codes is an error', async () => {
    const { id } = await system.address('/no-extraction');
    expect(await wait(id, '--since', '1h', '--code')).toMatchObject({
      code: 1,
      err: expect.stringContaining('The address extracts no codes'),
    });
  });

  test('exits with 5 when no email arrives in time', async () => {
    const address = await system.address('/nothing');
    expect(await wait(address.id, '--timeout', '1s')).toEqual({
      code: 5,
      out: '',
      err: 'inlet: no email arrived in time\n',
    });
    expect((await wait('addr_none')).code).toBe(4);
  });

  test('exits with 6 when the API does not respond until then', async () => {
    const INLET_API_URL = `http://127.0.0.1:${await freePort()}/v1`;
    const env = { INLET_API_URL, INLET_TOKEN: token };
    const { code, err } = await runCommand(['wait', '--address', 'addr_x', '--timeout', '1s'], {
      env,
    });
    expect([code, err]).toEqual([6, expect.stringMatching(/ECONNREFUSED.*: trying again\n/)]);
  });

  test('continues after an outage', async () => {
    const address = await system.address('/outage');
    await using api = await startFaultyApi(system.standalone.state().api_url);
    [429, 503].forEach((status) => api.refuse(/wait\?/, status, 1));
    api.refuse(/payload$/, 503, 2);
    let err = '';
    const waiting = runCommand(['wait', '--address', address.id, '--timeout', '60s'], {
      env: { INLET_API_URL: api.url, INLET_TOKEN: token },
      complain: (text) => void (err += text),
    });
    await until('the first outage', () => err.includes('fault 429'));
    await mail(address.address, '654321'); // between two calls
    expect(await waiting).toMatchObject({ code: 0, out: expect.stringContaining('654321') });
    expect(api.left()).toBe(0);
  });

  test('prints what is still known of an email whose content is no longer stored', async () => {
    const address = await system.address('/brief', { retention_hours: 0 });
    await mail(address.address, 'brief');
    await system.receiver.nth('/brief', 1);
    const gone = 'the content of the email is no longer stored\n';
    await until('its removal', async () => (await wait(address.id, '--since', '1h')).err === gone);
    const known = 'from:    ann@sender.example\nsubject: brief\n';
    expect(await wait(address.id, '--since', '1h')).toEqual({ code: 0, out: known, err: gone });
    const { out } = await wait(address.id, '--since', '1h', '--json');
    expect(JSON.parse(out)).toMatchObject({ status: 'delivered', subject: 'brief' });
  });
});

test('tail shows emails, attempts and changes of addresses', async () => {
  await using running = start(['tail']);
  await isListening(running);
  const address = await system.address('/tail');
  await mail(address.address, 'watched');
  await until('the attempt', () => running.out().includes('webhook.delivered'));
  expect(running.out()).toMatch(/address\.created +addr_/);
  expect(running.out()).toMatch(/email\.received +evt_\w+ +.*watched/);
  expect(running.out()).toMatch(/webhook\.delivered +evt_\w+ .*attempt 1: accepted 200/);
});
