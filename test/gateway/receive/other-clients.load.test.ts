/**
 * No email delays another client: while the gateway handles an email, whatever its bytes, another
 * connection's NOOP is answered within 100 ms. The address asks for everything that can be extracted.
 */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { EXTRACTIONS } from '../../../services/core/extract/extraction-names.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { atMost } from '../../support/slowdown.ts';
import { fc, seed } from '../../support/random.ts';
import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';
import { EXTREMES, mutant } from '../../core/extract/mutants.ts';

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
const QP = 'Content-Transfer-Encoding: quoted-printable';
const B64 = 'Content-Transfer-Encoding: base64';
const UU = 'Content-Transfer-Encoding: x-uuencode';
const FLOWED = 'Content-Type: text/plain; format=flowed';
const HTML = 'Content-Type: text/html';
const files = (count: number, type: string, content: string) =>
  repeated(
    MIXED,
    `--b\r\nContent-Type: ${type}\r\n${B64}\r\n\r\n${gzipSync(content).toString('base64')}\r\n`,
    count,
  );
const textAndHtml = (text: string) =>
  Buffer.from(`${MIXED}\r\n\r\n--b\r\n\r\n${text}\r\n--b\r\n${HTML}\r\n\r\n${text}`).subarray(
    0,
    SMALL,
  );
const MEBIBYTE = 1024 * 1024;

const HOSTILE: readonly [string, () => Buffer][] = [
  ['ten partial signatures over blanks', () => filled(`${signed}From: a@b.c`, '    \t', SMALL)],
  ['the same, large', () => filled(`${signed}From: a@b.c`, `${' '.repeat(990)}\r\n`, LARGE)],
  ['ten partial signatures over blank lines', () => filled(`${signed}From: a@b.c`, ' \r\n', SMALL)],
  [
    'a boundary of a megabyte',
    () => filled(`Content-Type: multipart/mixed; boundary="${'b'.repeat(1e6)}"`, '\r\n--b', LARGE),
  ],
  ['lines that only look like delimiters', () => filled(`${nested}X: x`, '\r\n--b', LARGE)],
  ['lines that only look like delimiters, small', () => filled(`${nested}X: x`, '\r\n--b', SMALL)],
  ['a thousand parts', () => filled(MIXED, `--b\r\n${'A: b\r\n'.repeat(40)}\r\n`, SMALL)],
  ['addresses without end', () => Buffer.from(`To: ${'<"a'.repeat(5_000)}\r\n\r\nx`)],
  ['encoded words', () => Buffer.from(`Subject: ${'=?utf-8?q?=C3?= '.repeat(950)}\r\n\r\nx`)],
  ['control characters', () => filled('Subject: x', `${'\x01'.repeat(76)}\r\n`, LARGE)],
  [
    'brackets next to HTML',
    () => filled(`${MIXED}\r\n\r\n--b\r\n${HTML}\r\n\r\nx\r\n--b`, '<', SMALL),
  ],
  ['8-bit without a charset', () => filled('Subject: x', '\xfc\xe4 ', SMALL)],
  ['flowed lines', () => filled(FLOWED, '> a \r\n', SMALL)],
  ['quotations', () => filled('In-Reply-To: <a@b>', '> \r\nOn Monday, a wrote:\r\n', SMALL)],
  ['blanks in a quotation', () => filled('In-Reply-To: <a@b>', `On${' '.repeat(900)}\r\n`, SMALL)],
  ['equals signs', () => filled(QP, '=', SMALL)],
  ['empty lines', () => filled('Subject: x', '\r\n', LARGE)],
  ['lone line feeds', () => filled('Subject: x', '\n', LARGE)],
  ['stuffed dots', () => filled('Subject: x', '..\r\n', LARGE)],
  ['stuffed dots in lines of other text', () => filled('Subject: x', '.x\r\n', LARGE)],
  ['base64 that ends in each line', () => filled(B64, 'QQ==\r\n', LARGE)],
  ['base64 with other characters', () => filled(B64, `${'QUJD'.repeat(18)}!\r\n`, LARGE)],
  ['base64 of words, small', () => filled(B64, 'Q\r\nab cd\r\n', SMALL)],
  ['uuencode', () => filled(UU, 'begin 644 x\r\n_\r\n', SMALL)],
  ['no empty line', () => Buffer.from('a b\r\nc: d\r\n'.repeat(2_000_000))],
  ['no empty line, small', () => Buffer.from('a b\r\nTo: d\r\n'.repeat(17_000))],
  ['comments', () => Buffer.from(`To: ${'(a) '.repeat(4_000)}\r\n\r\nx`)],
  ['one line', () => filled('Subject: x', 'x', LARGE)],
  ['no body', () => Buffer.from('Subject: x\r\n'.repeat(2_000_000))],
  [
    'reports that unpack to 8 MiB each',
    () => files(5, 'text/xml', `<feedback>${'&&'.repeat(4 * MEBIBYTE - 20)}</feedback>`),
  ],
  [
    'calendars that unpack to 4 MiB each',
    () => files(3, 'text/calendar', `BEGIN:VCALENDAR\n${'X-A:b\n'.repeat(MEBIBYTE / 2)}`),
  ],
  ...Object.entries(EXTREMES).map(([name, text]): (typeof HOSTILE)[number] => [
    `texts of ${name}`,
    () => textAndHtml(text.slice(0, SMALL / 2)),
  ]),
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

test('2,000 mutants of emails from which there is something to extract', async () => {
  await using clients = await connectClients();
  const slow: Buffer[] = [];
  for (const text of fc.sample(mutant, { seed, numRuns: 2_000 })) {
    const raw = Buffer.from(text.replaceAll('\r\n.', '\r\n..'));
    if ((await longestNoop(raw, clients)) > DELAY_MAX_MS) slow.push(raw);
  }
  for (const raw of slow)
    expect(await unexplainedDelayMs(raw), `of seed ${seed}: ${raw.toString()}`).toBeLessThanOrEqual(
      0,
    );
  expect(gateway.hasExited()).toBe(false);
});
