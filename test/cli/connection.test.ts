/**
 * Which API `inlet` calls, with which token, and which certificate authorities it trusts: against all
 * of Inlet as `npm start` runs it, behind a proxy with a certificate of a private authority.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { freePort } from '../../services/standalone/processes/ports.ts';
import { type FaultyApi, startFaultyApi } from '../support/faulty-api.ts';
import { runCommand } from '../support/inlet-command.ts';
import { until } from '../support/until.ts';
import { startWholeSystem, type WholeSystem } from '../support/start-standalone.ts';

const parts = new AsyncDisposableStack();
let system: WholeSystem;
let api: FaultyApi;
let home: string;
let caFile: string;
let token: string;
beforeAll(async () => {
  system = parts.use(await startWholeSystem());
  const { ca_file, api_url, token: given } = system.standalone.state();
  [caFile, token] = [ca_file, given];
  const [cert, key] = await Promise.all(
    ['cert.pem', 'key.pem'].map((name) => readFile(join(caFile, '..', name))),
  );
  if (!cert || !key) throw new Error('npm start has no certificate');
  api = parts.use(await startFaultyApi(api_url, { cert, key }));
  home = await mkdtemp(join(tmpdir(), 'inlet-home-'));
  parts.defer(() => rm(home, { recursive: true }));
});
afterAll(() => parts.disposeAsync());

/** Calls the API through the proxy. */
const inlet = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  runCommand(args, { env: { INLET_API_URL: api.url, INLET_TOKEN: token, ...env } });

const elsewhere = async () => `http://127.0.0.1:${await freePort()}/v1`;

async function login(): Promise<void> {
  const args = ['login', '--api-url', system.standalone.state().api_url];
  await runCommand(args, { env: { HOME: home }, input: Buffer.from(token) });
}

describe('a private certificate authority', () => {
  test.each([
    ['usage', ['usage']],
    ['wait', ['wait', '--address', 'addr_x', '--timeout', '60s']],
    ['tail', ['tail']],
    ['listen', ['listen']],
  ])('unknown: %s exits with 6 and names the setting, no flag of Node', async (_name, args) => {
    const { code, err } = await inlet(args);
    expect([code, err]).toEqual([6, expect.stringContaining('--ca-file or INLET_CA_FILE')]);
    expect(err).not.toMatch(/--use-|NODE_/);
  });

  test('unknown: doctor names the setting', async () => {
    const { code, out } = await inlet(['doctor']);
    expect([code, out]).toEqual([1, expect.stringContaining('--ca-file or INLET_CA_FILE')]);
    expect(out).not.toMatch(/--use-|NODE_/);
  });

  test('the API and the URL of --forward are called with --ca-file or INLET_CA_FILE', async () => {
    expect(await inlet(['usage', '--ca-file', caFile])).toMatchObject({ code: 0, err: '' });
    expect((await inlet(['doctor'], { INLET_CA_FILE: caFile })).out).toMatch(/ok +api +https/);
    const address = await system.address('/private-authority');
    const send = (subject: string) =>
      system.mailer.sendMail({ from: 'ann@sender.example', to: address.address, subject });
    await send('earlier');
    const stop = new AbortController();
    let out = '';
    const url = system.receiver.url('/local');
    const args = ['listen', '--address', address.id, '--since', '1h', '--forward', url];
    const listening = runCommand(args, {
      env: { INLET_API_URL: api.url, INLET_TOKEN: token, INLET_CA_FILE: caFile },
      stopped: stop.signal,
      write: (text) => void (out += text),
    });
    await until('the earlier email', () => out.includes('accepted 200'));
    await send('later');
    await until('the later email', () => out.match(/accepted 200/g)?.length === 2);
    stop.abort();
    expect((await listening).code).toBe(0);
    const subjects = system.receiver
      .received('/local')
      .map(({ payload }) => payload.headers.subject);
    expect(subjects).toEqual(['earlier', 'later']);
  });

  test('unknown for --forward: listen says so and continues', async () => {
    const address = await system.address('/untrusted');
    await system.mailer.sendMail({ from: 'ann@sender.example', to: address.address, text: 'one' });
    const stop = new AbortController();
    let out = '';
    const url = system.receiver.url('/local');
    const listening = runCommand(['listen', '--since', '1h', '--forward', url], {
      env: { INLET_API_URL: system.standalone.state().api_url, INLET_TOKEN: token },
      stopped: stop.signal,
      write: (text) => void (out += text),
    });
    await until('the failure', () => out.includes('failed'));
    expect(out).toContain("inlet does not know the authority of the server's certificate");
    expect(out).not.toMatch(/--use-|NODE_/);
    stop.abort();
    expect((await listening).code).toBe(0);
  });

  test('--forward trusts what the running npm start trusts', async () => {
    const stop = new AbortController();
    let out = '';
    const url = system.receiver.url('/started');
    const listening = runCommand(['listen', '--since', '1h', '--forward', url], {
      env: { INLET_DIR: system.standalone.dataDir },
      stopped: stop.signal,
      write: (text) => void (out += text),
    });
    const { address } = await system.address('/of-npm-start');
    await system.mailer.sendMail({ from: 'ann@sender.example', to: address, text: 'two' });
    await until('the response', () => out.includes('accepted 200'));
    stop.abort();
    expect((await listening).code).toBe(0);
  });

  test('login stores it in the profile', async () => {
    const args = ['login', '--api-url', api.url, '--profile', 'private'];
    const env = { HOME: home };
    const input = Buffer.from(token);
    expect((await runCommand(args, { env, input })).code).toBe(6);
    expect((await runCommand([...args, '--ca-file', caFile], { env, input })).code).toBe(0);
    expect(await runCommand(['usage', '--profile', 'private'], { env })).toMatchObject({ code: 0 });
    expect((await runCommand(['logout', '--profile', 'private'], { env })).code).toBe(0);
  });

  test('a file that does not exist, or has no certificate, is a wrong argument', async () => {
    const missing = await inlet(['usage', '--ca-file', join(home, 'none.pem')]);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('cannot read')]);
    const empty = join(home, 'empty.pem');
    await writeFile(empty, 'no certificate');
    expect((await inlet(['usage'], { INLET_CA_FILE: empty })).code).toBe(2);
  });
});

describe('a token is sent to its own API only', () => {
  test('--profile uses its own URL, not INLET_API_URL', async () => {
    await login();
    const env = { HOME: home, INLET_API_URL: await elsewhere(), INLET_TOKEN: 'svc_live_other' };
    expect(await runCommand(['usage', '--profile', 'default'], { env })).toMatchObject({ code: 0 });
  });

  test('INLET_API_URL without INLET_TOKEN is a wrong argument, unless it is the same API', async () => {
    const { dataDir } = system.standalone;
    await login();
    const wrong = await elsewhere();
    for (const env of [{ HOME: home }, { INLET_DIR: dataDir }, {}]) {
      const { code, err } = await runCommand(['usage'], { env: { ...env, INLET_API_URL: wrong } });
      expect([code, err]).toEqual([2, expect.stringContaining('INLET_TOKEN is not')]);
      const known = { ...env, INLET_API_URL: system.standalone.state().api_url };
      const isKnown = Object.keys(env).length > 0;
      expect((await runCommand(['usage'], { env: known })).code).toBe(isKnown ? 0 : 2);
    }
  });
});
