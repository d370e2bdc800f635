/**
 * No email delays another client: while the gateway handles an email, another connection's NOOP is
 * answered within 100 ms. The main thread reads only lines and dots; what is read in other threads is
 * in readers/linear.test.ts and strangers.load.test.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { EXTRACTIONS } from '../../../services/core/extract/extraction-names.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { atMost } from '../../support/slowdown.ts';
import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';

const DELAY_MAX_MS = 100;
/**
 * On a busy machine any process may have to wait, for an ordinary email, too. An email that blocks
 * the gateway does so each time it is sent.
 */
const TRIES = 6;
const LARGE = 24_000_000;
const SMALL = 250_000; // not large

let gateway: ServiceProcess;
let pipeline: Pipeline;
let address: string;
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  pipeline = parts.use(await startPipeline({ withDispatcher: false }));
  gateway = parts.use(
    await startServiceProcess('gateway', {
      ...pipeline.settings,
      MAIL_AUTH: 'true',
      DNS_SERVERS: '127.0.0.1:9', // no server: every lookup fails
    }),
  );
  ({ address } = await pipeline.address('/other', {
    payload: { attachments: 'inline', raw: false, extract: [...EXTRACTIONS], storage: null },
  }));
});
afterAll(() => parts.disposeAsync());

const repeated = (head: string, piece: string, times: number) =>
  Buffer.from(`${head}\r\n\r\n${piece.repeat(times)}`, 'latin1');
const filled = (head: string, piece: string, bytes: number) =>
  repeated(head, piece, Math.floor(bytes / piece.length));
const signed = Array.from(
  { length: 10 },
  (_, i) =>
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/${i % 2 ? 'relaxed' : 'simple'}; d=x.example;\r\n` +
    ` s=s${i}; l=${1000 + i}; h=from; bh=AAAA; b=AAAA\r\n`,
).join('');
const nested = Array.from(
  { length: 31 },
  (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
).join('');
const MIXED = 'Content-Type: multipart/mixed; boundary=b';
const B64 = 'Content-Transfer-Encoding: base64';

const HOSTILE: readonly [string, () => Buffer][] = [
  ['partial signatures', () => filled(`${signed}From: a@b.c`, `${' '.repeat(990)}\r\n`, LARGE)],
  [
    'a boundary of a megabyte',
    () => filled(`Content-Type: multipart/mixed; boundary="${'b'.repeat(1e6)}"`, '\r\n--b', LARGE),
  ],
  ['lines that only look like delimiters', () => filled(`${nested}X: x`, '\r\n--b', LARGE)],
  ['a thousand parts', () => filled(MIXED, `--b\r\n${'A: b\r\n'.repeat(40)}\r\n`, SMALL)],
  ['control characters', () => filled('Subject: x', `${'\x01'.repeat(76)}\r\n`, LARGE)],
  ['empty lines', () => filled('Subject: x', '\r\n', LARGE)],
  ['lone line feeds', () => filled('Subject: x', '\n', LARGE)],
  ['stuffed dots', () => filled('Subject: x', '..\r\n', LARGE)],
  ['stuffed dots in lines of other text', () => filled('Subject: x', '.x\r\n', LARGE)],
  ['base64 that ends in each line', () => filled(B64, 'QQ==\r\n', LARGE)],
  ['no empty line', () => Buffer.from('a b\r\nc: d\r\n'.repeat(2_000_000))],
  ['one line', () => filled('Subject: x', 'x', LARGE)],
  ['no body', () => Buffer.from('Subject: x\r\n'.repeat(2_000_000))],
];

async function send(smtp: SmtpDialogue, raw: Buffer): Promise<string> {
  for (const command of ['MAIL FROM:<a@b.example>', `RCPT TO:<${address}>`, 'DATA'])
    await smtp.say(command);
  for (let from = 0; from < raw.byteLength; from += 256 * 1024)
    if (!smtp.socket.write(raw.subarray(from, from + 256 * 1024)))
      await new Promise((resolve) => smtp.socket.once('drain', resolve));
  return smtp.say('\r\n.');
}

type Clients = AsyncDisposable & { sender: SmtpDialogue; other: SmtpDialogue };

async function connectClients(): Promise<Clients> {
  const [sender, other] = [await dialogue(gateway.smtpPort), await dialogue(gateway.smtpPort)];
  await Promise.all([sender.say('EHLO a'), other.say('EHLO b')]);
  return {
    sender,
    other,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([sender[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
    },
  };
}

/** The longest time that a NOOP took while the email was handled. */
async function longestNoop(raw: Buffer, { sender, other }: Clients): Promise<number> {
  let longest = 0;
  let isHandled = false;
  const handled = send(sender, raw).finally(() => (isHandled = true));
  while (!isHandled) {
    const startedAt = performance.now();
    await other.say('NOOP');
    longest = Math.max(longest, performance.now() - startedAt);
  }
  expect(await handled).toMatch(/^(250|554|452)/);
  return longest;
}

/** @returns 0, or by how much the machine does not explain the delay */
async function unexplainedDelayMs(raw: Buffer): Promise<number> {
  await using clients = await connectClients();
  const plain = filled('Subject: x', 'Nothing special.\r\n', raw.byteLength);
  const delays: number[] = [];
  while (delays.length < TRIES && Math.min(...delays) > 0) {
    const delay = await longestNoop(raw, clients);
    // what the machine itself delays, while the gateway handles an ordinary email of this size
    delays.push(
      delay <= atMost(DELAY_MAX_MS)
        ? 0
        : delay - atMost(DELAY_MAX_MS) - (await longestNoop(plain, clients)),
    );
  }
  return Math.min(...delays);
}

test.each(HOSTILE)(
  '%s',
  async (_, make) => expect(await unexplainedDelayMs(make())).toBeLessThanOrEqual(0),
  180_000,
);
