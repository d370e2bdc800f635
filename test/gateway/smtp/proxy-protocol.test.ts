/**
 * Behind a load balancer with the PROXY protocol, the client's own address counts, and direct
 * connections are refused (checklist 27).
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';

import { sendMail } from '../../../services/adapters/smtp/mail-client.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { type Ends, proxyV1, proxyV2, proxyV2Local } from '../../support/proxy-protocol.ts';
import { dialogue, exchange, over, writeAlone } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { storedMails } from '../stored-mail.ts';

const pipeline = await useInFile(
  startPipeline({
    withDispatcher: false,
    env: { PROXY_PROTOCOL_NETWORKS: '127.0.0.0/8,10.1.0.0/16' },
    constants: { proxyHeaderMs: 2_000 },
  }),
);

const four: Ends = {
  source: '203.0.113.7',
  sourcePort: 54_321,
  destination: '192.0.2.25',
  destinationPort: 25,
};
const six: Ends = { ...four, source: '2001:db8::7', destination: '2001:db8::25' };

/** The client that the payload names when a connection starts with these bytes. */
async function remoteIpAfter(header: Buffer): Promise<string | undefined> {
  const { address, id } = await pipeline.address('/unused');
  await using smtp = await dialogue(pipeline.smtpPort, undefined, header);
  await exchange(smtp, [
    {
      send: `EHLO a\r\nMAIL FROM:<ann@sender.example>\r\nRCPT TO:<${address}>\r\nDATA\r\n`,
      expect: ['250', '250', '250', '354'],
    },
    { send: 'Subject: x\r\n\r\nx\r\n.\r\n', expect: '250' },
  ]);
  return (await storedMails(pipeline.nats, id))[0]?.payload.envelope.remote_ip;
}

/** Everything that a connection receives if it starts with these bytes. */
async function hears(port: number, bytes: Buffer, host = '127.0.0.1'): Promise<string> {
  const socket = connect(port, host);
  await once(socket, 'connect');
  const smtp = over(socket);
  socket.write(bytes);
  return smtp.end();
}

describe('checklist 27: PROXY from listed networks', () => {
  test.each<[string, Buffer, string]>([
    ['v1, IPv4', proxyV1(four), '203.0.113.7'],
    ['v1, IPv6', proxyV1(six), '2001:db8::7'],
    ['v2, IPv4', proxyV2(four), '203.0.113.7'],
    ['v2, IPv6', proxyV2(six), '2001:db8::7'],
    ['v2 with extensions', proxyV2(four, Buffer.from('0300045a5a5a5a', 'hex')), '203.0.113.7'],
    ['v2 LOCAL, a health check', proxyV2Local(), '127.0.0.1'],
    ['v1 UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n'), '127.0.0.1'],
  ])('%s: the client is the one in the header', async (_, header, ip) => {
    expect(await remoteIpAfter(header)).toBe(ip);
  });

  test.each<[string, Buffer]>([
    ['v1', proxyV1(six)],
    ['v2', proxyV2(four, Buffer.alloc(20))],
  ])('%s byte by byte, directly followed by the client', async (_, header) => {
    const socket = connect(pipeline.smtpPort, '127.0.0.1');
    await once(socket, 'connect');
    await using smtp = over(socket);
    for (const byte of header) await writeAlone(socket, Buffer.from([byte]));
    expect(await smtp.hear()).toMatch(/^220 /);
    expect(await smtp.say('EHLO a')).toMatch(/^250-/);
  });

  test('the client of `helm test` connects as a proxy', async () => {
    const { address, id } = await pipeline.address('/unused');
    const reply = await sendMail(
      { host: '127.0.0.1', port: pipeline.smtpPort, expectsProxyHeader: true },
      { from: 'a@b.example', to: address, subject: 'x', text: 'x' },
    );
    expect(reply).toMatch(/^250 2\.6\.0/);
    expect(await storedMails(pipeline.nats, id)).toHaveLength(1);
  });

  test('a client that sends in the segment of the header sends before the greeting', async () => {
    expect(
      await hears(pipeline.smtpPort, Buffer.concat([proxyV1(four), Buffer.from('EHLO a\r\n')])),
    ).toMatch(/^421 4\.7\.0 Protocol violation: command before greeting\r\n$/);
  });

  test.each<[string, string | Buffer]>([
    ['no header', 'EHLO mx.sender.example\r\n'],
    ['a header of nonsense', 'PROXY TCP4 here there 1 2\r\n'],
    ['no byte in time', ''],
    ['half a header in time', proxyV2(four).subarray(0, 20)],
  ])('%s: 421, and no SMTP', async (_, bytes) => {
    expect(await hears(pipeline.smtpPort, Buffer.from(bytes))).toBe(
      '421 4.7.0 PROXY protocol header missing or invalid\r\n',
    );
  });

  test('a proxy that disconnects before or within its header leaves nothing open', async () => {
    for (const bytes of ['', 'PROXY TC']) {
      const socket = connect(pipeline.smtpPort, '127.0.0.1');
      await once(socket, 'connect');
      socket.end(bytes);
      await once(socket.resume(), 'close');
    }
    expect(await remoteIpAfter(proxyV1(four))).toBe('203.0.113.7');
  });
});

test('checklist 27: without the setting, a header is a command; on ::, clients have their addresses', async () => {
  await using direct = await startPipeline({
    withDispatcher: false,
    env: { SMTP_HOST: '::', METRICS_HOST: '::' },
  });
  expect(await hears(direct.smtpPort, proxyV1(four))).toMatch(
    /^421 4\.7\.0 Protocol violation: command before greeting/,
  );
  const { address, id } = await direct.address('/unused');
  for (const host of ['127.0.0.1', '::1']) {
    const socket = connect(direct.smtpPort, host);
    await once(socket, 'connect');
    await using smtp = over(socket);
    await smtp.hear();
    for (const line of ['EHLO a', 'MAIL FROM:<ann@sender.example>', `RCPT TO:<${address}>`])
      expect(await smtp.say(line)).toMatch(/^250/);
    expect(await smtp.say('DATA')).toMatch(/^354/);
    expect(await smtp.say(`Subject: ${host}\r\n\r\nx\r\n.`)).toMatch(/^250/);
  }
  expect(
    (await storedMails(direct.nats, id))
      .map(({ payload }) => payload.envelope.remote_ip)
      .toSorted(),
  ).toEqual(['127.0.0.1', '::1']);
});

test('checklist 27: on ::, proxies match, other networks are refused, a stop waits for no header', async () => {
  await using parts = new AsyncDisposableStack();
  const proxied = await startPipeline({
    withDispatcher: false,
    env: {
      SMTP_HOST: '::',
      PROXY_PROTOCOL_NETWORKS: '127.0.0.0/8',
    },
    constants: { proxyHeaderMs: 3_600_000 },
  });
  {
    await using known = await dialogue(proxied.smtpPort, undefined, proxyV1(four));
    expect(known.greeting).toMatch(/^220 /);
  }
  for (const bytes of [proxyV1(four), Buffer.from('')])
    expect(await hears(proxied.smtpPort, bytes, '::1')).toBe(
      '421 4.7.0 Direct connections are not allowed, use the load balancer\r\n',
    );
  expect(await (await fetch(proxied.metricsUrls.gateway)).text()).toMatch(
    /inlet_mails_refused_total\{command="connect",reply="not_proxied",code="421",component="gateway"\} 2/,
  );
  const socket = connect(proxied.smtpPort, '127.0.0.1');
  parts.defer(() => void socket.destroy());
  await once(socket, 'connect');
  socket.on('error', () => undefined);
  const closed = once(socket.resume(), 'close');
  await proxied[Symbol.asyncDispose]();
  await closed;
  expect(socket.destroyed).toBe(true);
});
