/** `inlet canary` against all of Inlet as `npm start` runs it, and against servers that fail. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

import { describe, expect, test } from 'vitest';

import { mailServersOf } from '../../services/cli/canary/mail-servers.ts';
import type { CanaryResult } from '../../services/cli/canary/run-canary.ts';
import { startTestDns } from '../support/dns-server.ts';
import { runCommand } from '../support/inlet-command.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { useInFile } from '../support/use-in-file.ts';

const system = await useInFile(startWholeSystem({ RETRY_SCHEDULE: '1h' }));
const { api_url, token, smtp_host, smtp_port } = system.standalone.state();
const env = { INLET_API_URL: api_url, INLET_TOKEN: token };
const place = ['--host', smtp_host, '--port', String(smtp_port)];

const canary = (...args: string[]) => runCommand(['canary', ...args], { env });
const resultOf = (out: string) => JSON.parse(out) as CanaryResult;

test('an email that is delivered: the time of each step, as JSON and as text', async () => {
  const { id, address } = await system.address('/canary');
  const json = await canary(id, ...place, '--json');
  expect(json).toMatchObject({ code: 0, err: '' });
  const result = resultOf(json.out);
  expect(result).toMatchObject({
    ok: true,
    address,
    event_id: expect.stringMatching(/^evt_/) as string,
    reply: expect.stringMatching(/^250 /) as string,
    failed_step: null,
    error: null,
  });
  const steps = ['connect_ms', 'tls_ms', 'accepted_ms', 'stored_ms', 'delivered_ms'];
  expect(Object.keys(result.steps)).toEqual(steps);
  const sum = Object.values(result.steps).reduce((all, ms) => all + ms, 0);
  expect(result.total_ms).toBeGreaterThanOrEqual(sum - steps.length);

  const text = await canary(address, ...place, '--from', 'probe@sender.example');
  expect(text.code).toBe(0);
  expect(text.out).toMatch(new RegExp(`^canary to ${address} through .+:\\d+\\)\n`));
  for (const step of ['connect', 'tls', 'accepted', 'stored', 'delivered', 'total'])
    expect(text.out).toMatch(new RegExp(`^  ${step} +\\d+ ms`, 'm'));
});

test('one that its receiver refuses, one that is only to be stored, and one that is refused', async () => {
  const { id, address } = await system.address('/refuses');
  system.receiver.answer('/refuses', () => 410);
  const failed = await canary(id, ...place, '--json');
  expect(failed.code).toBe(1);
  expect(resultOf(failed.out)).toMatchObject({
    ok: false,
    failed_step: 'delivered',
    error: expect.stringContaining('410') as string,
  });
  expect((await canary(id, ...place, '--until', 'stored')).code).toBe(0);

  await system.call('PATCH', `/addresses/${id}`, { is_enabled: false });
  const refused = await canary(address, ...place);
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^inlet: accepted: .*550/) as string,
  });
});

test('a receiver that is down: late, and the step is named', async () => {
  const { id } = await system.address('/down');
  system.receiver.answer('/down', () => 503);
  const late = await canary(id, ...place, '--timeout', '3s', '--json');
  expect(late.code).toBe(5);
  expect(resultOf(late.out)).toMatchObject({
    failed_step: 'delivered',
    error: 'not delivered in time',
  });
});

const server = async (greet: (socket: Socket) => void) => {
  const listening = createServer((socket) => {
    socket.on('error', () => undefined);
    greet(socket);
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as { port: number };
  return {
    args: ['--host', '127.0.0.1', '--port', String(port), '--json'],
    [Symbol.dispose]: () => void listening.close(),
  };
};
const one = async () => (await system.address('/never')).id;

describe('servers that fail', () => {
  test('nobody listens', async () => {
    const closed = await server(() => undefined);
    closed[Symbol.dispose]();
    const { code, out } = await canary(await one(), ...closed.args);
    expect(code).toBe(6);
    expect(resultOf(out)).toMatchObject({
      failed_step: 'connect',
      error: expect.stringContaining('ECONNREFUSED') as string,
    });
  });

  test('no STARTTLS', async () => {
    using plain = await server((socket) => {
      socket.write('220 plain.example\r\n');
      socket.on('data', (data) => {
        const isHello = data.toString().startsWith('EHLO');
        socket.write(isHello ? '250 plain.example\r\n' : '502 5.5.1 no\r\n');
      });
    });
    const { code, out } = await canary(await one(), ...plain.args);
    expect(code).not.toBe(0);
    expect(resultOf(out)).toMatchObject({ failed_step: 'tls' });
  });

  test('a server that says nothing', async () => {
    using silent = await server(() => undefined);
    const { code, out } = await canary(await one(), ...silent.args, '--timeout', '2s');
    expect(code).toBe(5);
    expect(resultOf(out)).toMatchObject({ failed_step: 'tls', error: 'not encrypted in time' });
  });

  test('a certificate that is not valid, if that is asked for', async () => {
    const { id } = await system.address('/never');
    const bad = await runCommand(['canary', id, ...place, '--verify-certificate', '--json'], {
      env: { ...env, INLET_CA_FILE: '' },
    });
    expect(bad.code).not.toBe(0);
    expect(resultOf(bad.out)).toMatchObject({ failed_step: 'tls' });
  });

  test('an address that does not exist, a wildcard, a sender that is no address', async () => {
    expect((await canary('nobody@nowhere.example')).code).toBe(4);
    expect((await canary(await one(), '--from', 'x')).code).toBe(2);
  });
});

const mx = (exchange: string, priority: number) => ({ exchange, priority });

test('the mail servers of a domain are asked in their order, and a null MX is an error', async () => {
  await using dns = await startTestDns();
  dns.set('in.example.com', { MX: [mx('second.example', 20), mx('first.example', 10)] });
  dns.set('null.example.com', { MX: [mx('', 0)] });
  expect(await mailServersOf('in.example.com', [dns.address])).toEqual([
    'first.example',
    'second.example',
  ]);
  await expect(mailServersOf('null.example.com', [dns.address])).rejects.toThrow('null MX');
  await expect(mailServersOf('none.example.com', [dns.address])).rejects.toThrow('no MX record');
});
