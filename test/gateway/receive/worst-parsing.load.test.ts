/**
 * checklist 34: while a thread reads the largest emails of the worst content, the main thread stays
 * free.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createThread, type Thread } from '../../../services/adapters/threads/thread.ts';
import type { ParsedMail } from '../../../services/core/webhook/payload.ts';
import type * as jobs from '../../fixtures/stubborn-worker.ts';

/** Of processor time. The largest takes 25 ms, which are spent on a copy of its text. */
const MAIN_THREAD_MAX_MS = 100;
const FILLER = `X-Filler: ${'y'.repeat(60)}\r\n`;
const WORKER = new URL('../../fixtures/stubborn-worker.ts', import.meta.url);

/** In shared memory, as the gateway stores a large email: a thread reads it without a copy. */
function inSharedMemory(bytes: Buffer): Buffer {
  const shared = Buffer.from(new SharedArrayBuffer(bytes.byteLength));
  bytes.copy(shared);
  return shared;
}

let thread: Thread<typeof jobs>;
beforeAll(() => {
  thread = createThread<typeof jobs>(WORKER, undefined);
});
afterAll(() => thread[Symbol.asyncDispose]());

const boundary = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
const qp = 'Content-Transfer-Encoding: quoted-printable\r\n\r\n';
test.each<[string, () => string, string[]]>([
  [
    'a million empty parts',
    () => `${boundary}${'--b\r\n\r\n\r\n'.repeat(1_000_000)}`,
    ['too_many_parts'],
  ],
  [
    'a hundred thousand small parts',
    () => `${boundary}${'--b\r\n\r\nthe body\r\n'.repeat(100_000)}`,
    ['too_many_parts'],
  ],
  [
    'parts ten thousand deep',
    () =>
      Array.from(
        { length: 10_000 },
        (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
      ).join(''),
    ['too_deep'],
  ],
  [
    'parts ten thousand deep, all of one boundary',
    () => 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n'.repeat(10_000),
    ['too_many_parts'],
  ],
  [
    'a hundred thousand headers',
    () => `${'X-A: b\r\n'.repeat(100_000)}\r\nthe body`,
    ['too_many_headers'],
  ],
  ['nothing but headers', () => FILLER.repeat(250_000), ['too_many_headers']],
  [
    'one header that is folded endlessly',
    () => `To: ${'a@b.example,\r\n '.repeat(1_000_000)}\r\n\r\nx`,
    ['too_many_headers'],
  ],
  [
    'a thousand parts of a hundred headers',
    () => `${boundary}${`--b\r\n${FILLER.repeat(101)}\r\nx\r\n`.repeat(900)}`,
    ['too_many_headers'],
  ],
  ['20 MB of empty lines', () => `\r\n${'\r\n'.repeat(10_000_000)}`, []],
  [
    '24 MB of brackets next to HTML',
    () =>
      `${boundary}--b\r\n\r\n${'<'.repeat(24_000_000)}\r\n--b\r\nContent-Type: text/html\r\n\r\nx\r\n--b--`,
    ['text_too_long'],
  ],
  [
    '24 MB of dashes',
    () => `Content-Type: multipart/mixed; boundary="-"\r\n\r\n${'-'.repeat(24_000_000)}`,
    ['no_parts_found', 'text_too_long'],
  ],
  [
    'lines that only look like boundaries',
    () => `${boundary}${'--bb\r\n'.repeat(4_000_000)}`,
    ['no_parts_found', 'text_too_long'],
  ],
  [
    'Base64 without end',
    () =>
      `Content-Type: application/x\r\nContent-Transfer-Encoding: base64\r\n\r\n${'QUJD'.repeat(6_000_000)}`,
    [],
  ],
  [
    'Base64 of padding',
    () =>
      `Content-Type: application/x\r\nContent-Transfer-Encoding: base64\r\n\r\n${'=A=='.repeat(6_000_000)}`,
    ['invalid_encoding'],
  ],
  ['quoted-printable of equals signs', () => `${qp}${'='.repeat(24_000_000)}`, ['text_too_long']],
  ['quoted-printable of blanks', () => `${qp}${'=         '.repeat(2_400_000)}`, ['text_too_long']],
  [
    'endless flowed text',
    () => `Content-Type: text/plain; format=flowed\r\n\r\n${'> a \r\n'.repeat(2_000_000)}`,
    [],
  ],
  [
    'endless encoded words',
    () => `Subject: ${'=?utf-8?q?=C3?= '.repeat(30_000)}\r\n\r\nx`,
    ['wrong_charset'],
  ],
  [
    'parameters without end',
    () => `Content-Type: multipart/mixed${';boundary="'.repeat(40_000)}\r\n\r\nx`,
    ['no_parts_found'],
  ],
  ['addresses without end', () => `To: ${'<"a'.repeat(100_000)}\r\n\r\nx`, []],
])(
  '%s: the main thread stays free while the email is read, and it is delivered',
  async (_, make, codes) => {
    const raw = inSharedMemory(Buffer.from(make(), 'latin1'));
    const before = process.threadCpuUsage();
    const shown = (await thread.run('parse', raw)) as ParsedMail;
    const { user, system } = process.threadCpuUsage(before); // of the main thread, in microseconds
    expect((user + system) / 1000).toBeLessThan(MAIN_THREAD_MAX_MS);
    expect(shown.warnings.map(({ code }) => code)).toEqual(codes);
    expect(shown.attachments.length).toBeLessThanOrEqual(1000);
  },
);
