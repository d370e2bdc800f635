/** docs/project/smtp-checklist.md on time, where a limit has to pass (RFC 5321 §4.5.3.2; checklist 23). */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import type { GatewayConstants } from '../../../services/gateway/process/constants.ts';
import { ensureTls } from '../../../services/standalone/keys.ts';
import { testDir } from '../../support/servers.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { type RecordingGateway, startRecordingGateway } from '../recording-gateway.ts';

const HOUR_MS = 3_600_000;
const TIMED_OUT = '421 4.4.2 Timeout, closing connection';
const timeouts = (gateway: RecordingGateway, command: string) =>
  gateway.count('inlet_mails_refused_total', { command, reply: 'timed_out' });

test('checklist 23: a silent client gets 421 and is counted; an active one is not', async () => {
  await using gateway = await startRecordingGateway({}, { idleMs: 3_000 });
  await using smtp = await dialogue(gateway.port);
  for (let i = 0; i < 7; i++) {
    await sleep(500);
    expect(await smtp.say('NOOP')).toMatch(/^250 /);
  }
  expect(await smtp.hear()).toMatch(/^421 4\.4\.2 Timeout/);
  expect(await smtp.end()).toBe('');
  expect(await timeouts(gateway, 'other')).toBe(1);
});

test('checklist 23: silence within an email has a limit of its own, and the sender keeps the email', async () => {
  await using gateway = await startRecordingGateway({}, { idleMs: HOUR_MS, dataMs: 3_000 });
  const { smtp, addressId } = await gateway.inData();
  await using _ = smtp;
  for (let i = 0; i < 7; i++) {
    await sleep(500);
    smtp.socket.write('Subject: slow\r\n');
  }
  expect(await smtp.hear()).toMatch(/^421 4\.4\.2 Timeout/);
  expect(await smtp.end()).toBe('');
  expect(await gateway.recorded(addressId)).toEqual([]);
  expect(await timeouts(gateway, 'data')).toBe(1);
});

test.each<
  [
    string,
    (gateway: RecordingGateway) => Promise<{ smtp: Awaited<ReturnType<typeof dialogue>> }>,
    string,
  ]
>([
  ['its commands', async (gateway) => ({ smtp: await dialogue(gateway.port) }), 'N'],
  ['its mail', (gateway) => gateway.inData(), 'x'],
])('checklist 23: a client that sends %s byte by byte is disconnected', async (_, open, byte) => {
  await using gateway = await startRecordingGateway({}, { mailMs: 3_000 });
  const { smtp } = await open(gateway);
  await using __ = smtp;
  let isOver = false;
  const heard = smtp.hear().finally(() => {
    isOver = true;
  });
  for (let i = 0; !isOver && i < 1_000; i++) {
    smtp.socket.write(byte);
    await sleep(20);
  }
  expect(await heard).toBe(TIMED_OUT);
  expect(await smtp.end()).toBe('');
});

test.each<[string, Partial<GatewayConstants>, string]>([
  ['is silent in its TLS handshake', { idleMs: 2_000 }, ''],
  ['sends its TLS handshake byte by byte', { mailMs: 3_000 }, '\0'],
])(
  'checklist 23: a client that %s is disconnected, and gets no plain text',
  async (_, constants, byte) => {
    await using dir = await testDir();
    const { certFile, keyFile } = await ensureTls(dir.path);
    await using gateway = await startRecordingGateway(
      { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile },
      constants,
    );
    await using smtp = await dialogue(gateway.port);
    for (const line of ['EHLO a', 'STARTTLS']) expect(await smtp.say(line)).toMatch(/^2/);
    smtp.socket.write(Buffer.from('160301020001', 'hex')); // the start of a ClientHello
    const trickle = setInterval(() => smtp.socket.write(byte), 20);
    expect(await smtp.end()).toBe('');
    clearInterval(trickle);
    await until('its end', async () => (await gateway.count('inlet_smtp_connections')) === 0);
  },
);

test('checklist 23: each email has the full time: several slow ones are accepted', async () => {
  await using gateway = await startRecordingGateway({}, { mailMs: 3_000 });
  const { smtp, address } = await gateway.inData();
  await using _ = smtp;
  for (let i = 0; i < 4; i++) {
    await sleep(1_000);
    expect(await smtp.say('Subject: x\r\n\r\nx\r\n.')).toMatch(/^250 /);
    for (const line of ['MAIL FROM:<a@b.example>', `RCPT TO:<${address}>`, 'DATA'])
      await smtp.say(line);
  }
});

test.each([
  ['an email', 'x', /^250 /],
  ['an email that was too large', 'x'.repeat(2_000), /^552 /],
])('checklist 23: after %s the limit between commands applies again', async (_, body, reply) => {
  await using gateway = await startRecordingGateway(
    { MAX_MESSAGE_BYTES: '1024' },
    { idleMs: HOUR_MS, dataMs: 5_000 },
  );
  const { smtp } = await gateway.inData();
  await using __ = smtp;
  expect(await smtp.say(`Subject: x\r\n\r\n${body}\r\n.`)).toMatch(reply);
  await sleep(6_000);
  expect(await smtp.say('NOOP')).toMatch(/^250 /);
});
