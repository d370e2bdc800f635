/**
 * checklist 34: threads read emails, apart from the event loop and within time and memory. Whatever an
 * email does to its thread, it is delivered.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { createLog, type Log } from '../../../services/adapters/process/log.ts';
import { createThread, type Thread } from '../../../services/adapters/threads/thread.ts';
import type { Recipient } from '../../../services/core/address/recipient.ts';
import type { ParsedMail } from '../../../services/core/webhook/payload.ts';
import type { ContentOptions } from '../../../services/gateway/content/content-jobs.ts';
import {
  type ContentIO,
  createContentThreads,
} from '../../../services/gateway/content/content-threads.ts';
import { createByteBudget } from '../../../services/gateway/receive/memory-budget.ts';
import {
  ClientGone,
  type SkippedStages,
  type ReceivedMail,
  type Stored,
} from '../../../services/gateway/receive/received-mail.ts';
import { fullMail } from '../../fixtures/full-mail.ts';
import type * as jobs from '../../fixtures/stubborn-worker.ts';
import { threadBundle } from '../../support/thread-bundles.ts';
import { until } from '../../support/until.ts';
import { noAuthors } from '../../support/no-authors.ts';

const STUBBORN = threadBundle(new URL('../../fixtures/stubborn-worker.ts', import.meta.url));
const received = (raw: Buffer, ...more: [id: string, accountId: string][]): ReceivedMail => ({
  transactionId: 'one',
  raw,
  withReceived: raw,
  envelope: { mailFrom: 'a@x.example', heloDomain: '', remoteIp: '' },
  recipients: [['addr_1', 'acc_1'], ...more].map(([id, account_id]) => ({
    recipient: { id, account_id } as Recipient,
    named: new Map(),
  })),
  isUtf8: false,
  repliesEach: false,
  receivedAt: new Date(),
  replyBy: new Date(Date.now() + 600_000),
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

describe('parsing in a thread', () => {
  let thread: Thread<typeof jobs>;
  const read = async (raw: Buffer) => (await thread.run('parse', raw)) as ParsedMail;
  beforeAll(() => {
    thread = createThread<typeof jobs>(STUBBORN, undefined);
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

const NO_METRICS = new Proxy({}, { get: () => () => undefined }) as ContentIO['metrics'];

/** Starts lanes, and collects what they count. */
function start({
  file = STUBBORN,
  options = {} as ContentOptions,
  largeCpuMs = 500,
  metrics = {},
  isConnected = () => true,
  log = createLog('silent'),
}: {
  file?: URL;
  options?: ContentOptions;
  largeCpuMs?: number;
  metrics?: Partial<ContentIO['metrics']>;
  isConnected?: () => boolean;
  log?: Log;
} = {}) {
  const tooLong: string[] = [];
  const counting: Partial<ContentIO['metrics']> = {
    contentTookTooLong: (...labels) => tooLong.push(labels.join(' ')),
    ...metrics,
  };
  const threads = createContentThreads(
    options,
    largeCpuMs,
    {
      memory: createByteBudget(1e9),
      metrics: new Proxy(NO_METRICS, {
        get: (_, name) => Reflect.get(counting, name) ?? (() => undefined),
      }),
      authors: noAuthors,
      isConnected,
      clock: () => new Date(),
      log,
    },
    file,
  );
  return { ...threads, tooLong };
}

type Shown = ParsedMail & { skipped?: SkippedStages };

const shownOf = async (handled: Promise<Stored>) =>
  JSON.parse((await handled).events[0]?.eventId ?? '') as Shown;

const small = (subject: string) => Buffer.from(`Subject: ${subject}\r\n\r\nthe text`);

test.each([
  ['hang', ['small content timeout', 'large content timeout'], 'parse_timeout'],
  ['grow', ['small content timeout', 'large content memory'], 'parse_out_of_memory'],
  ['die', ['small content fault', 'large content fault'], 'parse_failed'],
])(
  'an email that makes its thread %s is handled in the large lane, then partly delivered',
  async (subject, expected, code) => {
    await using threads = start({ largeCpuMs: subject === 'grow' ? 60_000 : 500 });
    const shown = await shownOf(threads.receive(received(mail(subject).subarray(0, 200_000))));
    expect(shown).toMatchObject({ headers: { subject }, warnings: [{ code }], attachments: [] });
    expect(shown.text?.startsWith('the text the text')).toBe(true);
    expect(threads.tooLong).toEqual(expected);
    await threads.receive(received(small('well'))); // the lanes still work
  },
);

test.each([
  ['rules', { rules: { code: 'rules_timeout' } }],
  ['sender', { sender: true }],
])('what takes too long in the stage %s is left out, and nothing else', async (stage, skipped) => {
  await using threads = start();
  const shown = await shownOf(threads.receive(received(small(`hang in ${stage}`))));
  expect(shown).toMatchObject({ skipped, text: 'the text', warnings: [] });
  expect(threads.tooLong).toEqual([`small ${stage} timeout`, `large ${stage} timeout`]);
});

test('other emails of a thread that is replaced are handled again, completely', async () => {
  await using threads = start();
  const slow = shownOf(threads.receive(received(small('slow'))));
  const hanging = shownOf(threads.receive(received(small('hang'))));
  expect((await hanging).warnings).toMatchObject([{ code: 'parse_timeout' }]);
  expect(await slow).toMatchObject({ headers: { subject: 'slow' }, warnings: [] });
});

test('the thread of an email is told that its client has closed the connection', async () => {
  await using threads = start();
  const client = new AbortController();
  const queued = threads.receive(received(small('queued')), client.signal);
  await threads.receive(received(small('well')));
  client.abort();
  await expect(queued).rejects.toThrow(ClientGone);
});

test('a thread that cannot be prepared is named in the log, and prepared again', async () => {
  const events: string[] = [];
  const log = createLog('info', {}, { write: (line) => void events.push(eventIn(line)) });
  await using threads = start({
    file: new URL('../../fixtures/late-worker.ts', import.meta.url),
    log,
  });
  expect(threads.isReady()).toBe(false);
  await threads.prepared();
  expect(threads.isReady()).toBe(true);
  expect(events).toEqual(['content_thread.not_prepared']);
});

const eventIn = (line: string): string => (JSON.parse(line) as { event: string }).event;

test('while an email holds its thread, the main thread is free for other clients', async () => {
  await using threads = start();
  await threads.prepared();
  const before = process.threadCpuUsage();
  let turns = 0;
  const ticking = setInterval(() => turns++, 10);
  await threads.receive(received(small('hang')));
  clearInterval(ticking);
  const { user, system } = process.threadCpuUsage(before);
  expect(threads.tooLong).toHaveLength(2); // of 500 ms each
  expect(turns).toBeGreaterThan(10);
  expect((user + system) / 1_000).toBeLessThan(500);
});

test('afterwards, emails of the same client to the same address do not endanger the small ones of others', async () => {
  const lanes: string[] = [];
  await using threads = start({ metrics: { contentThreadReplaced: (lane) => lanes.push(lane) } });
  await threads.receive(received(small('hang')));
  await threads.receive(received(small('hang')));
  expect(lanes).toEqual(['small', 'large', 'large']);
});

test('D308: only the recipients whose account was too slow are suspects', async () => {
  await using threads = start();
  const other = ['addr_2', 'acc_2'] as [string, string];
  await threads.receive(received(small('expensive'), other)); // of acc_2
  await threads.receive(received(small('hang in rules')));
  await threads.receive(received(small('hang in rules'), other));
  expect(threads.tooLong).toEqual([
    'small rules timeout',
    'large rules timeout',
    'large rules timeout',
  ]);
});

test('an email is not partly delivered because the gateway stops', async () => {
  const stopping = start({ largeCpuMs: 60_000 });
  await stopping.prepared();
  const outcome = stopping.receive(received(mail('hang'))).then(
    () => 'read',
    (error: Error) => error.message,
  );
  await sleep(100);
  await stopping[Symbol.asyncDispose]();
  expect(await outcome).toBe('worker thread ended: stopped');
});

test('emails wait two seconds for NATS, then they fail', async () => {
  let checks = 0;
  await using back = start({ isConnected: () => ++checks > 3 });
  expect(await shownOf(back.receive(received(small('well'))))).toMatchObject({ warnings: [] });
  await using gone = start({ isConnected: () => false });
  await expect(gone.receive(received(small('well')))).rejects.toThrow('NATS is not connected');
});

test('a thread that cannot start makes the lanes unready, and the log says why', async () => {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('error', {}, { write: (line) => void lines.push(JSON.parse(line)) });
  const file = new URL('data:text/javascript,throw new Error("no such module")');
  await using threads = start({ file, log });
  await until('a line', () => (lines.length >= 2 ? lines : undefined));
  expect(threads.isReady()).toBe(false);
  expect(lines[0]).toMatchObject({
    event: 'content_thread.ended',
    was_ready: false,
    error: 'no such module',
  });
});
