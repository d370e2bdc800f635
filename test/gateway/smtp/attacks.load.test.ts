/** Attacks by senders: memory that they could occupy, and other senders that they could delay. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { GatewayConstants } from '../../../services/gateway/process/constants.ts';
import { type TestDns, startTestDns } from '../../support/dns-server.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { storedMails } from '../stored-mail.ts';

const MEBIBYTE = 1024 * 1024;
const line = `${'x'.repeat(998)}\r\n`;
const mailOf = (bytes: number, head = 'Subject: x') =>
  Buffer.from(`${head}\r\n\r\n${line.repeat(Math.ceil(bytes / 1000))}.\r\n`);
const slow = (bytes: number) => mailOf(bytes, 'From: <a@slow.test>\r\nSubject: slow');
const smallFile = (i: number) =>
  `--b\r\nContent-Type: application/octet-stream; name=f${i}\r\n` +
  `Content-Disposition: attachment\r\n\r\n${line.repeat(15)}`;

async function atData(
  port: number,
  sender: string,
  recipients: readonly string[],
): Promise<SmtpDialogue> {
  const smtp = await dialogue(port);
  for (const command of [
    'EHLO a',
    `MAIL FROM:<${sender}>`,
    ...recipients.map((to) => `RCPT TO:<${to}>`),
    'DATA',
  ])
    expect(await smtp.say(command)).toMatch(/^(250|354)/);
  return smtp;
}

describe('replies', () => {
  let pipeline: Pipeline;
  beforeAll(async () => {
    pipeline = await startPipeline({ withDispatcher: false, constants: { idleMs: 1_000 } });
  });
  afterAll(() => pipeline[Symbol.asyncDispose]());

  test('a client that reads no replies is disconnected in time', async () => {
    await using smtp = await dialogue(pipeline.smtpPort);
    smtp.socket.pause();
    const chunk = Buffer.from('EHLO a\r\n'.repeat(16 * 1024)); // some three megabytes of replies
    const writeOn = async () => {
      for (;;)
        await new Promise<void>((resolve, reject) =>
          smtp.socket.write(chunk, (error) => (error ? reject(error) : resolve())),
        );
    };
    await expect(writeOn()).rejects.toThrow(/EPIPE|ECONNRESET|closed|destroyed/);
  });

  test('a client that reads late gets all replies', async () => {
    await using smtp = await dialogue(pipeline.smtpPort);
    smtp.socket.pause();
    const count = 20_000;
    smtp.socket.write(`${'NOOP\r\n'.repeat(count)}QUIT\r\n`);
    await sleep(300);
    smtp.socket.resume();
    const replies = (await smtp.end()).split('\r\n');
    expect(replies.filter((reply) => reply.startsWith('250 '))).toHaveLength(count);
    expect(replies.at(-2)).toMatch(/^221 /);
  });
});

describe('while the DNS server of a sender does not answer', () => {
  const BUDGET_MS = 5_000;
  let dns: TestDns;
  beforeAll(async () => {
    dns = await startTestDns();
    for (const name of ['slow.test', '_dmarc.slow.test', 'a']) dns.set(name, 'silent');
  });
  afterAll(() => dns[Symbol.asyncDispose]());
  const start = (constants: Partial<GatewayConstants>) =>
    startPipeline({
      withDispatcher: false,
      constants: { dnsMs: 30_000, ...constants },
      env: {
        MAIL_AUTH: 'true',
        DNS_SERVERS: dns.address,
        MAX_MESSAGE_BYTES: String(5 * MEBIBYTE),
        MAX_BYTES_IN_MEMORY: String(6 * MEBIBYTE),
      },
    });

  test('its emails do not delay those of others', async () => {
    await using pipeline = await start({ mailAuthMs: 25_000 });
    const { address } = await pipeline.address('/slow');
    const waiting = await Promise.all(
      Array.from({ length: 3 }, () => atData(pipeline.smtpPort, 'a@slow.test', [address])),
    );
    let answered = 0;
    for (const smtp of waiting)
      smtp.say(slow(900_000)).then(
        () => answered++,
        () => undefined,
      );
    await sleep(200); // until they have been read
    await using other = await atData(pipeline.smtpPort, 'b@quick.test', [address]);
    expect(await other.say(mailOf(900_000, 'From: <b@quick.test>\r\nSubject: quick'))).toMatch(
      /^250 2\.6\.0/,
    );
    expect(answered).toBe(0);
    for (const smtp of waiting) await smtp[Symbol.asyncDispose]();
  });

  describe('after the time for a reply', () => {
    let pipeline: Pipeline;
    beforeAll(async () => {
      pipeline = await start({ mailAuthMs: BUDGET_MS, replyMs: 2_000 });
    });
    afterAll(() => pipeline[Symbol.asyncDispose]());

    test('an email that got 451 keeps its memory reserved until its work has ended', async () => {
      const { address } = await pipeline.address('/held');
      await using first = await atData(pipeline.smtpPort, 'a@slow.test', [address]);
      expect(await first.say(slow(4 * MEBIBYTE))).toMatch(/^451 4\.3\.0/);
      await using second = await atData(pipeline.smtpPort, 'b@quick.test', [address]);
      expect(await second.say(mailOf(4 * MEBIBYTE))).toMatch(/^452 4\.3\.1/);
      await sleep(BUDGET_MS);
      await until('room', async () => {
        await using third = await atData(pipeline.smtpPort, 'b@quick.test', [address]);
        return (await third.say(mailOf(4 * MEBIBYTE))).startsWith('250 2.6.0');
      });
    });

    test('a large email whose work ends after its 451 is dropped, and not part of the next transaction', async () => {
      const [one, two] = [await pipeline.address('/one'), await pipeline.address('/two')];
      await using smtp = await atData(pipeline.smtpPort, 'b@slow.test', [one.address]);
      expect(await smtp.say(slow(1.5 * MEBIBYTE))).toMatch(/^451 4\.3\.0/);
      for (const command of ['MAIL FROM:<b@next.test>', `RCPT TO:<${two.address}>`])
        expect(await smtp.say(command)).toMatch(/^250/);
      await sleep(BUDGET_MS);
      for (const { id } of [one, two])
        expect(
          (await storedMails(pipeline.nats, id)).map(({ payload }) => payload.envelope.mail_from),
        ).not.toContain('b@slow.test');
    });
  });
});

describe('one email to a hundred recipients', () => {
  let pipeline: Pipeline;
  beforeAll(async () => {
    pipeline = await startPipeline({ withDispatcher: false });
  });
  afterAll(() => pipeline[Symbol.asyncDispose]());

  test.each<[string, () => Buffer]>([
    ['a large one', () => mailOf(4 * MEBIBYTE)],
    [
      'one of many small files, each of which is written into each payload',
      () =>
        Buffer.from(
          'Content-Type: multipart/mixed; boundary=b\r\n\r\n' +
            `${Array.from({ length: 300 }, (_, i) => smallFile(i)).join('')}--b--\r\n.\r\n`,
        ),
    ],
  ])('%s: its payloads are built one after another', async (_, mail) => {
    const addresses = await Promise.all(
      Array.from({ length: 100 }, () => pipeline.address('/many')),
    );
    await using smtp = await atData(
      pipeline.smtpPort,
      'a@b.example',
      addresses.map(({ address }) => address),
    );
    const bytes = mail();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    const before = process.memoryUsage().rss;
    expect(await smtp.say(bytes)).toMatch(/^250 2\.6\.0 .* and 99 more/);
    clearInterval(watch);
    // a hundred payloads would be more than that
    expect((most - before) / bytes.byteLength).toBeLessThan(40);
    expect(await storedMails(pipeline.nats, addresses[50]?.id)).toHaveLength(1);
  });
});
