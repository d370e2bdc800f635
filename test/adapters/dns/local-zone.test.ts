/** The name server of npm start: its own names, and all others from another server. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';

import { startLocalNameServer } from '../../../services/adapters/dns/local-zone.ts';
import { createDns } from '../../../services/adapters/dns/resolver.ts';
import { freePort } from '../../../services/standalone/processes/ports.ts';
import { startTestDns } from '../../support/dns-server.ts';

const LONG = 'x'.repeat(400);
const RECORDS = { TXT: LONG, A: '127.0.0.1', PTR: 'client.test' };

const isOwn = (name: string) => name === 'partner.test' || name.endsWith('.arpa');

test('it answers for its own names, passes all others on, and has no names outside of .test', async () => {
  await using far = await startTestDns();
  far.set('mail.example.com', { TXT: ['far'], A: ['192.0.2.1'] });
  far.set('long.example.com', { TXT: Array.from({ length: 20 }, () => LONG) });
  await using local = await startLocalNameServer(
    (name) => (isOwn(name) || name.endsWith('.com') ? RECORDS : undefined),
    await freePort(),
    [far.address],
  );
  using dns = createDns({ servers: [local.address], timeoutMs: 5_000, cacheTtlMs: 0 });

  expect(await dns.resolve('Partner.TEST', 'TXT')).toEqual([['x'.repeat(255), 'x'.repeat(145)]]);
  expect(await dns.resolve('partner.test', 'A')).toEqual(['127.0.0.1']);
  expect(await dns.namesOf('127.0.0.1')).toEqual(['client.test']);
  expect(await dns.find('partner.test', 'MX')).toEqual([]);
  expect(await dns.find('other.test', 'TXT')).toEqual([]);
  expect(far.requested).toEqual([]);

  expect(await dns.resolve('mail.example.com', 'TXT')).toEqual([['far']]);
  expect(await dns.find('none.example.com', 'A')).toEqual([]);
  expect(await dns.resolve('long.example.com', 'TXT')).toHaveLength(20);
});

test('a name of others without a name server is a temporary failure', async () => {
  await using local = await startLocalNameServer(() => RECORDS, await freePort(), []);
  using dns = createDns({ servers: [local.address], timeoutMs: 5_000, cacheTtlMs: 0 });
  await expect(dns.find('mail.example.com', 'A')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  expect(await dns.resolve('partner.test', 'A')).toEqual(['127.0.0.1']);
});

const QUERY = Buffer.from('abcd01000001000000000000046d61696c076578616d706c650000010001', 'hex');

test.each([
  ['without a route', '255.255.255.255'], // which Linux refuses to a socket that does not ask for it
  ['with a port that cannot be', '192.0.2.53:99999'],
  ['with a closed port', '127.0.0.1:1'],
])('a name server %s is a temporary failure, over UDP and TCP', async (_, upstream) => {
  const port = await freePort();
  await using local = await startLocalNameServer(() => RECORDS, port, [upstream]);
  using dns = createDns({ servers: [local.address], timeoutMs: 5_000, cacheTtlMs: 0 });
  await expect(dns.find('mail.example.com', 'A')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  const client = connect(port, '127.0.0.1');
  client.resume().write(QUERY);
  await once(client, 'close');
  expect(await dns.resolve('partner.test', 'A')).toEqual(['127.0.0.1']);
});

test('it stops while a name server does not answer, and drops the answer', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const client = createSocket('udp4');
  const answers: unknown[] = [];
  client.on('message', (answer) => answers.push(answer));
  const port = await freePort();
  {
    const upstream = [`127.0.0.1:${silent.address().port}`];
    await using _local = await startLocalNameServer(() => RECORDS, port, upstream);
    client.send(QUERY, port, '127.0.0.1');
    const [, from] = (await once(silent, 'message')) as [Buffer, { port: number }];
    setTimeout(() => silent.send(QUERY, from.port, '127.0.0.1'));
  }
  await new Promise((resolve) => setTimeout(resolve, 200)); // an error now would end the process
  expect(answers).toEqual([]);
  silent.close();
  client.close();
});
