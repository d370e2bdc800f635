/**
 * checklist 34: a thread handles large emails, apart from the event loop and within time and
 * memory. Whatever an email does to the thread, it is delivered.
 */
import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { createThread, type Thread } from '../../../services/adapters/process/thread.ts';
import type { ParsedMail } from '../../../services/core/webhook/payload.ts';
import type { Recipient } from '../../../services/core/address/recipient.ts';
import { extractFrom } from '../../../services/gateway/receive/extract-from.ts';
import type { LargeMailOptions } from '../../../services/gateway/receive/large-mail-worker.ts';
import { createLargeMails, receiveBySize } from '../../../services/gateway/receive/large-mails.ts';
import type { ReceiveMetrics } from '../../../services/gateway/receive/receive.ts';
import type { ReceivedMail, Stored } from '../../../services/gateway/receive/received-mail.ts';
import { fullMail } from '../../fixtures/full-mail.ts';
import type * as jobs from '../../fixtures/stubborn-worker.ts';
import { storedAs } from '../../support/stored-event.ts';

const WORKER = new URL('../../fixtures/stubborn-worker.ts', import.meta.url);
const asksForReports = {
  payload: { attachments: 'inline', raw: false, extract: ['report'] },
} as unknown as Recipient;
const received = (raw: Buffer): ReceivedMail => ({
  transactionId: 'one',
  raw,
  withReceived: raw,
  envelope: { mailFrom: 'a@x.example', heloDomain: '', remoteIp: '' },
  recipients: [{ recipient: asksForReports, named: new Map() }],
  isUtf8: false,
  receivedAt: new Date(),
  replyBy: new Date(Date.now() + 60_000),
});
const mail = (subject: string) =>
  Buffer.from(`Subject: ${subject}\r\nFrom: a@x.example\r\n\r\n${'the text '.repeat(200_000)}`);

const comparable = ({ attachments, ...rest }: ParsedMail) => ({
  ...rest,
  attachments: attachments.map((one) => ({
    ...one,
    content: Buffer.from(one.content).toString('base64'),
  })),
});

const handledBy = (raw: Buffer) =>
  receiveBySize(
    async (small) => {
      extractFrom(parseMail(small.raw), small);
      return storedAs('main thread');
    },
    async () => storedAs('worker'),
  )(received(raw));

const shownOf = async (handled: Promise<Stored>) =>
  JSON.parse((await handled).events[0]?.eventId ?? '') as ParsedMail;

describe('parsing in a thread', () => {
  let thread: Thread<typeof jobs>;
  const read = async (raw: Buffer) => (await thread.run('parse', raw)) as ParsedMail;
  beforeAll(() => {
    thread = createThread<typeof jobs>(WORKER, undefined);
  });
  afterAll(() => thread[Symbol.asyncDispose]());

  test('a thread has the same result as the main thread', async () => {
    const body = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256)).toString(
      'base64',
    );
    const large = Buffer.from(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${'long ü\r\n'.repeat(5_000)}\r\n` +
        '--b\r\nContent-Type: application/x; name=x\r\nContent-Transfer-Encoding: base64\r\n\r\n' +
        `${body}\r\n--b--\r\n`,
    );
    for (const raw of [fullMail, large, Buffer.concat([large, Buffer.from('\n')])])
      expect(comparable(await read(raw))).toEqual(comparable(parseMail(raw)));
  });

  test('parts that are too deep are kept whole, and a limit removes only what exceeds it', async () => {
    const levels = Array.from(
      { length: 40 },
      (_, i) =>
        `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n\r\ntext ${i}\r\n--b${i}\r\n`,
    );
    const deep = `Subject: x\r\n${levels.join('')}\r\nthe innermost`;
    const shown = await read(Buffer.from(deep));
    expect(shown.text).toContain('text 31');
    expect(Buffer.from(shown.attachments[0]?.content ?? []).toString()).toContain('the innermost');
    const headers =
      `Subject: kept\r\n${'X-A: b\r\n'.repeat(2_000)}Content-Type: text/html;\r\n charset=utf-8\r\n` +
      'From: a@x.example\r\nSubject: the second\r\n\r\n<p>ü';
    const cut = await read(Buffer.from(headers));
    expect(cut).toMatchObject({ html: '<p>ü', headers: { from: 'a@x.example' } });
    expect(cut.headers.all.length).toBeLessThan(1010);
  });
});

describe('where an email is handled', () => {
  test.each([
    ['a small email', 'Subject: x\r\n\r\nx', 'main thread'],
    ['256 KiB', `\r\n${'x'.repeat(256 * 1024 - 2)}`, 'main thread'],
    ['more than 256 KiB', `\r\n${'x'.repeat(256 * 1024)}`, 'worker'],
    ['headers of 10 KB', `To: ${':'.repeat(10_000)}\r\n\r\nx\r\n`, 'main thread'],
    ['headers of 20 KB', `To: ${':'.repeat(20_000)}\r\n\r\nx\r\n`, 'worker'],
  ])('%s', async (_, raw, where) => {
    expect((await handledBy(Buffer.from(raw))).events).toMatchObject([{ eventId: where }]);
  });

  test.each([
    ['an email whose files unpack to 200 KB', 100_000, 'main thread'],
    ['an email whose files unpack to 300 KB', 150_000, 'worker'],
  ])('%s, and a receiver asks for reports', async (_, bytes, where) => {
    const file = gzipSync(`<feedback>${'x'.repeat(bytes)}</feedback>`).toString('base64');
    const part = `--b\r\nContent-Type: text/xml\r\nContent-Transfer-Encoding: base64\r\n\r\n${file}\r\n`;
    const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${part}${part}`);
    const { events } = await handledBy(raw);
    expect(events).toMatchObject([{ eventId: where }]);
  });
});

describe('a thread that does not end its work', () => {
  const noMetrics = new Proxy({}, { get: () => () => undefined }) as unknown as ReceiveMetrics;
  const start = (parseTimeoutMs: number) =>
    createLargeMails(
      {} as LargeMailOptions,
      { maxBytes: 100_000_000, parseTimeoutMs },
      noMetrics,
      () => true,
      createLog('silent'),
      WORKER,
    );
  test.each([
    ['hang', 'parse_timeout', 500],
    ['grow', 'parse_out_of_memory', 60_000],
    ['fail', 'parse_failed', 60_000],
    ['die', 'parse_failed', 60_000],
  ])(
    'that must %s: headers and the beginning of the text are delivered, with %s',
    async (subject, code, timeoutMs) => {
      await using large = start(timeoutMs);
      const shown = await shownOf(large.receive(received(mail(subject))));
      expect(shown).toMatchObject({
        headers: { subject, from: 'a@x.example' },
        warnings: [{ code }],
        attachments: [],
      });
      expect(shown.text?.startsWith('the text the text')).toBe(true);
    },
    60_000,
  );

  test('is replaced: its other emails are handled again and parsed completely', async () => {
    await using large = start(500);
    const [slow, hanging] = [
      shownOf(large.receive(received(mail('slow')))),
      shownOf(large.receive(received(mail('hang')))),
    ];
    expect((await hanging).warnings).toMatchObject([{ code: 'parse_timeout' }]);
    expect(await slow).toMatchObject({ headers: { subject: 'slow' }, warnings: [] });
  });

  test('does not cause partial emails while the gateway stops', async () => {
    const stopping = start(60_000);
    const outcome = stopping.receive(received(mail('hang'))).then(
      () => 'read',
      (error: Error) => error.message,
    );
    await sleep(500);
    await stopping[Symbol.asyncDispose]();
    expect(await outcome).toBe('worker thread ended: stopped');
  });

  test('is used when NATS is connected again within two seconds', async () => {
    let checks = 0;
    await using large = createLargeMails(
      {} as LargeMailOptions,
      { maxBytes: 100_000_000, parseTimeoutMs: 60_000 },
      noMetrics,
      () => ++checks > 3,
      createLog('silent'),
      WORKER,
    );
    const shown = await shownOf(large.receive(received(mail('well'))));
    expect(shown).toMatchObject({ headers: { subject: 'well' }, warnings: [] });
  });

  test('is not used while NATS is not connected', async () => {
    await using large = createLargeMails(
      {} as LargeMailOptions,
      { maxBytes: 1, parseTimeoutMs: 1 },
      noMetrics,
      () => false,
      createLog('silent'),
      WORKER,
    );
    await expect(large.receive(received(mail('well')))).rejects.toThrow('NATS is not connected');
  });
});
