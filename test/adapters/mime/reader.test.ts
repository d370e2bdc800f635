/** checklist 34: large mails are read apart from the event loop, within time and memory; whatever a mail does to its reader, it is delivered. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createMailReader, type ReadMail } from '../../../services/adapters/mime/reader.ts';
import {
  createMailWorkers,
  type MailWorkers,
} from '../../../services/adapters/mime/worker-pool.ts';
import { digestOfRaw } from '../../../services/core/delivery/mail-event.ts';
import { buildPayload, type WebhookPayload } from '../../../services/core/mail/payload.ts';
import { writtenPayload } from '../../../services/core/mail/payload-bytes.ts';
import { hasBareLineEnds } from '../../../services/core/mail/raw-mail.ts';
import { NOT_CHECKED } from '../../../services/core/mail/spam.ts';
import { fullMail } from '../../fixtures/full-mail.ts';

const FILLER = `X-Filler: ${'y'.repeat(60)}\r\n`;
const NOW = new Date();
const mail = (subject: string) =>
  Buffer.from(`Subject: ${subject}\r\nFrom: a@x.example\r\n\r\n${'the text '.repeat(200_000)}`);

/** The payload that a mail becomes, as its receiver reads it. */
async function payloadOf(read: ReadMail, raw: Buffer): Promise<WebhookPayload> {
  const { mail: shown, rawDigest, bareLineEnds } = await read(raw, raw.byteLength);
  expect([rawDigest, bareLineEnds]).toEqual([digestOfRaw(raw), hasBareLineEnds(raw)]);
  const facts = {
    eventId: 'evt_1',
    addressId: 'addr_1',
    envelope: { mailFrom: 'a@x.example', heloDomain: '', remoteIp: '' },
    rcptTo: [],
    spam: NOT_CHECKED,
    receivedAt: NOW,
    now: NOW,
  };
  return writtenPayload(buildPayload({ ...facts, mail: shown, sizeBytes: raw.byteLength }));
}

const mailTo = (chars: number) => Buffer.from(`To: ${':'.repeat(chars)}\r\n\r\nx\r\n`);

describe('the reader', () => {
  let workers: MailWorkers;
  let read: ReadMail;
  beforeAll(() => {
    workers = createMailWorkers(2);
    read = createMailReader(workers, { inProcessMaxBytes: 0, timeoutMs: 30_000 });
  });
  afterAll(() => workers[Symbol.asyncDispose]());

  test('a thread reads what the process itself would', async () => {
    const here = createMailReader(
      { run: () => Promise.reject(new Error('no thread')) },
      { inProcessMaxBytes: 1e9, timeoutMs: 1 },
    );
    const body = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256)).toString(
      'base64',
    );
    const large = Buffer.from(
      `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${'long ü\r\n'.repeat(5_000)}\r\n--b\r\nContent-Type: application/x; name=x\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}\r\n--b--\r\n`,
    );
    for (const raw of [fullMail, large, Buffer.concat([large, Buffer.from('\n')])])
      expect(await payloadOf(read, raw)).toEqual(await payloadOf(here, raw));
  });

  test('the digest is of the mail as it came, not of the headers above it', async () => {
    const kept = Buffer.concat([Buffer.from('Received: by us\r\n'), fullMail]);
    const { rawDigest, mail: shown } = await read(kept, fullMail.byteLength);
    expect(rawDigest).toBe(digestOfRaw(fullMail));
    expect(shown.headers.all[0]).toEqual({ name: 'Received', value: 'by us' });
  });

  test('headers of more than 16 KiB are read by a thread, however small the mail', async () => {
    const here = createMailReader(
      { run: () => Promise.reject(new Error('to a thread')) },
      { inProcessMaxBytes: 64 * 1024, timeoutMs: 1 },
    );
    await expect(here(mailTo(20_000), 1)).rejects.toThrow('to a thread');
    expect((await here(mailTo(10_000), 1)).mail.text).toBe('x\n');
  });

  test('a line end that stands alone is told, ours above do not count', async () => {
    const raw = Buffer.from('Subject: x\r\n\r\none\ntwo\r\n');
    const { bareLineEnds, mail: shown } = await read(raw, raw.byteLength);
    expect({ bareLineEnds, warnings: shown.warnings }).toMatchObject({
      bareLineEnds: true,
      warnings: [{ code: 'bare_line_ends' }],
    });
    expect(
      (await read(Buffer.concat([Buffer.from('By: us\n'), fullMail]), fullMail.byteLength))
        .bareLineEnds,
    ).toBe(false);
  });

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
      'one header that is folded without end',
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
      '24 MB of brackets beside HTML',
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
      'boundaries that are none',
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
      [],
    ],
    ['quoted-printable of equals signs', () => `${qp}${'='.repeat(24_000_000)}`, ['text_too_long']],
    [
      'quoted-printable of blanks',
      () => `${qp}${'=         '.repeat(2_400_000)}`,
      ['text_too_long'],
    ],
    [
      'flowed text without end',
      () => `Content-Type: text/plain; format=flowed\r\n\r\n${'> a \r\n'.repeat(2_000_000)}`,
      [],
    ],
    [
      'encoded words without end',
      () => `Subject: ${'=?utf-8?q?=C3?= '.repeat(30_000)}\r\n\r\nx`,
      [],
    ],
    [
      'parameters without end',
      () => `Content-Type: multipart/mixed${';boundary="'.repeat(40_000)}\r\n\r\nx`,
      ['no_parts_found'],
    ],
    ['addresses without end', () => `To: ${'<"a'.repeat(100_000)}\r\n\r\nx`, []],
  ])(
    '%s: other things have their turn while it is read, and it is delivered',
    async (_, make, codes) => {
      const raw = Buffer.from(make(), 'latin1');
      let turns = 0;
      let isRead = false;
      const others = (async () => {
        while (!isRead) {
          turns++;
          await sleep(1);
        }
      })();
      const { mail: shown } = await read(raw, raw.byteLength);
      isRead = true;
      await others;
      expect(shown.warnings.map(({ code }) => code)).toEqual(codes);
      expect(turns).toBeGreaterThan(1);
      expect(shown.attachments.length).toBeLessThanOrEqual(1000);
    },
  );

  test('of what is too deep nothing is lost, and what a limit cuts leaves the rest', async () => {
    const deep = `Subject: x\r\n${Array.from({ length: 40 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n\r\ntext ${i}\r\n--b${i}\r\n`).join('')}\r\nthe innermost`;
    const { mail: shown } = await read(Buffer.from(deep), deep.length);
    expect(shown.text).toContain('text 31');
    expect(Buffer.from(shown.attachments[0]?.content ?? []).toString()).toContain('the innermost');
    const headers = `Subject: kept\r\n${'X-A: b\r\n'.repeat(2_000)}Content-Type: text/html;\r\n charset=utf-8\r\nFrom: a@x.example\r\nSubject: the second\r\n\r\n<p>ü`;
    const { mail: cut } = await read(Buffer.from(headers), Buffer.byteLength(headers));
    expect(cut).toMatchObject({ html: '<p>ü', headers: { from: 'a@x.example' } });
    expect(cut.headers.all.length).toBeLessThan(1010);
  });
});

describe('a thread that does not end its work', () => {
  let workers: MailWorkers;
  beforeAll(() => {
    workers = createMailWorkers(1, new URL('../../fixtures/stubborn-worker.ts', import.meta.url));
  });
  afterAll(() => workers[Symbol.asyncDispose]());

  test.each([
    ['hang', 'parse_timeout', 500],
    ['grow', 'parse_out_of_memory', 60_000],
    ['fail', 'parse_failed', 60_000],
    ['die', 'parse_failed', 60_000],
  ])(
    'that must %s: headers and the beginning of the text are delivered, with %s',
    async (subject, code, timeoutMs) => {
      const read = createMailReader(workers, { inProcessMaxBytes: 0, timeoutMs });
      const payload = await payloadOf(read, mail(subject));
      expect(payload).toMatchObject({
        headers: { subject, from: 'a@x.example' },
        parse_warnings: [{ code }],
        attachments: [],
      });
      expect(payload.content.text?.startsWith('the text the text')).toBe(true);
    },
    60_000,
  );

  test('is replaced: the mail after it is read, and time spent waiting for it does not count', async () => {
    const [hanging, next] = [
      createMailReader(workers, { inProcessMaxBytes: 0, timeoutMs: 3_000 }),
      createMailReader(workers, { inProcessMaxBytes: 0, timeoutMs: 2_900 }),
    ];
    const [first, second] = await Promise.all([hanging(mail('hang'), 1), next(mail('well'), 1)]);
    expect(first.mail.warnings).toMatchObject([{ code: 'parse_timeout' }]);
    expect(second.mail.text).toBe('read');
  });

  test('is no reason to deliver half a mail when the threads are being stopped', async () => {
    const stopping = createMailWorkers(
      1,
      new URL('../../fixtures/stubborn-worker.ts', import.meta.url),
    );
    const reading = createMailReader(stopping, { inProcessMaxBytes: 0, timeoutMs: 60_000 })(
      mail('hang'),
      1,
    );
    const outcome = reading.then(
      () => 'read',
      (error: Error) => error.message,
    );
    await sleep(500);
    await stopping[Symbol.asyncDispose]();
    expect(await outcome).toBe('worker threads are stopped');
  });
});
