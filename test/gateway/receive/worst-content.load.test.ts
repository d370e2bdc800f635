/**
 * A gateway of 1 GiB survives the largest emails with the worst content: it stores what fits,
 * refuses the rest with 452 4.3.1, and continues to accept small emails.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { dialogue } from '../../support/smtp-play.ts';

const GIBIBYTE = 1024 ** 3;
/** Of emails of 24 MB, 11 fit into MAX_BYTES_IN_MEMORY. */
const CONNECTIONS = 20;
const SECONDS = 18;
/** Below the limit of 25 MiB. */
const BYTES = 24_000_000;
/** What Node would choose in a container of 1 GiB. */
const HEAP_MB = 512;

let pipeline: Pipeline;
let gateway: ServiceProcess;
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  pipeline = parts.use(await startPipeline({ withDispatcher: false }));
  gateway = parts.use(
    await startServiceProcess('gateway', pipeline.settings, [`--max-old-space-size=${HEAP_MB}`]),
  );
});
afterAll(() => parts.disposeAsync());

const line = (char: string) => `${char.repeat(76)}\r\n`;
const filled = (head: string, piece: string) =>
  Buffer.from(`${head}\r\n\r\n${piece.repeat(Math.floor(BYTES / piece.length))}`, 'latin1');
const HTML = 'Content-Type: text/html';
const BASE64 = 'Content-Transfer-Encoding: base64';
const PARTS = 'Content-Type: multipart/mixed; boundary=b';
const part = `--b\r\nContent-Type: application/x; name=x\r\n\r\n${line('x').repeat(300)}`;
const WORST: readonly [string, () => Buffer][] = [
  ['control characters', () => filled('Subject: x', line('\x01'))],
  ['quotes', () => filled(HTML, line('"'))],
  ['base64', () => filled(`Content-Type: application/x\r\n${BASE64}`, line('A'))],
  ['base64 of a text of control characters', () => filled(BASE64, `${'AQEB'.repeat(19)}\r\n`)],
  ['8-bit', () => filled('Content-Type: text/plain; charset=iso-8859-1', line('\xfc'))],
  ['one giant line', () => filled('Subject: x', 'x')],
  ['1,000 parts', () => filled(PARTS, part)],
];

async function sendLarge(address: string, until: number, raw: Buffer, replies: string[]) {
  while (Date.now() < until) {
    await using smtp = await dialogue(gateway.smtpPort);
    for (const command of ['EHLO a', 'MAIL FROM:<a@b.example>', `RCPT TO:<${address}>`, 'DATA'])
      await smtp.say(command);
    for (let from = 0; from < raw.byteLength; from += 1_000_000)
      if (!smtp.socket.write(raw.subarray(from, from + 1_000_000)))
        await new Promise((resolve) => smtp.socket.once('drain', resolve));
    replies.push(await smtp.say('\r\n.'));
  }
}

async function sendSmall(address: string, until: number, replies: string[]) {
  while (Date.now() < until) {
    await using smtp = await dialogue(gateway.smtpPort);
    for (const command of ['EHLO a', 'MAIL FROM:<a@b.example>', `RCPT TO:<${address}>`, 'DATA'])
      await smtp.say(command);
    replies.push(await smtp.say(`Subject: small ${replies.length}\r\n\r\nhello\r\n.`));
    await sleep(100);
  }
}

test('D34: twenty connections of the largest emails do not take more than 1 GiB', async () => {
  const { address } = await pipeline.address('/worst');
  const [large, small]: [string[], string[]] = [[], []];
  const until = Date.now() + SECONDS * 1000;
  await Promise.all([
    ...Array.from({ length: CONNECTIONS }, (_, index) =>
      sendLarge(
        address,
        until,
        (WORST[index % WORST.length]?.[1] ?? (() => Buffer.alloc(0)))(),
        large,
      ),
    ),
    sendSmall(address, until, small),
  ]);
  expect(gateway.hasExited()).toBe(false);
  expect(await gateway.peakRssBytes()).toBeLessThan(GIBIBYTE);
  const replies = new Set(large.map((reply) => reply.slice(0, 9)));
  expect([...replies].toSorted()).toEqual(['250 2.6.0', '452 4.3.1']);
  expect(small.every((reply) => /^(250 2\.6\.0|452 4\.3\.1)/.test(reply))).toBe(true);
  expect(small.filter((reply) => reply.startsWith('250')).length).toBeGreaterThan(0);
  await using last = await dialogue(gateway.smtpPort);
  expect(await last.say('EHLO a')).toMatch(/^250/);
});
