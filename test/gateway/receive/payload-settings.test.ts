/**
 * Payload settings of an address that differ from spec 6.1: attachments left out or linked, the raw
 * email linked.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';

import {
  type PayloadSettings,
  SPEC_PAYLOAD,
} from '../../../services/core/receiver/payload-settings.ts';
import { openMailStreams } from '../../../services/adapters/stream/replay.ts';
import {
  filePath,
  type LinkedFile,
  signatureHolds,
} from '../../../services/core/secret/signed-link.ts';
import {
  attachmentsFile,
  openLinkedAttachment,
} from '../../../services/core/webhook/linked-attachments.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { readObject } from '../../support/stored-bytes.ts';
import { useInFile } from '../../support/use-in-file.ts';

const KEY = randomBytes(32);
const CONTENT = randomBytes(3_000);
const pipeline = await useInFile(
  startPipeline({
    env: {
      LINK_KEYS: KEY.toString('base64'),
      PUBLIC_API_URL: 'https://api.example/v1',
      LINK_LIFETIME: '1h',
    },
  }),
);

async function received(path: string, settings: Partial<PayloadSettings>) {
  const payload = { ...SPEC_PAYLOAD, ...settings };
  const { address } = await pipeline.address(path, { payload });
  await pipeline.mailer.sendMail({
    from: 'a@b.example',
    to: address,
    subject: path,
    text: 'hello',
    attachments: [
      { filename: 'a.bin', content: CONTENT },
      { filename: 'b.txt', content: 'b' },
    ],
  });
  return (await pipeline.receiver.nth(path, 1)).payload;
}

/** Whether the link works now, and expires after an hour. */
function holds(link: string | undefined, eventId: string, file: LinkedFile): boolean[] {
  const url = new URL(link ?? 'invalid:');
  expect(`${url.origin}${url.pathname}`).toBe(`https://api.example/v1/files/${eventId}/${file}`);
  const expires = new Date(Number(url.searchParams.get('expires')) * 1000);
  const signature = url.searchParams.get('signature') ?? '';
  return [0, 3_600_001].map((laterMs) =>
    signatureHolds({
      path: filePath(eventId, file),
      expires,
      signature,
      keys: [KEY],
      now: new Date(Date.now() + laterMs),
    }),
  );
}

async function fileOf(name: string): Promise<Buffer | undefined> {
  const streams = await openMailStreams(pipeline.nats);
  return readObject(streams, streams.linked, name);
}

async function attachmentOf(eventId: string, index: number): Promise<Buffer | undefined> {
  const file = await fileOf(attachmentsFile(eventId));
  if (file === undefined) return undefined;
  const attachment = await openLinkedAttachment(Readable.from([file]), index);
  return Buffer.concat(await Array.fromAsync(attachment?.content ?? []));
}

test('attachments left out: names, types and sizes remain', async () => {
  const payload = await received('/omit', { attachments: 'omit', raw: false });
  expect(payload.attachments).toEqual([
    {
      filename: 'a.bin',
      content_type: 'application/octet-stream',
      size_bytes: 3_000,
      content: null,
      content_id: null,
      disposition: 'attachment',
      method: null,
    },
    {
      filename: 'b.txt',
      content_type: 'text/plain',
      size_bytes: 1,
      content: null,
      content_id: null,
      disposition: 'attachment',
      method: null,
    },
  ]);
  expect(payload.content).not.toHaveProperty('raw_url');
  expect(await fileOf(payload.event_id)).toBeUndefined();
  expect(await attachmentOf(payload.event_id, 0)).toBeUndefined();
});

test('attachments linked: each has its own link, and is stored without the raw email', async () => {
  const { event_id, attachments } = await received('/url', {
    attachments: 'url',
    raw: false,
  });
  expect(attachments.map((one) => one.content)).toEqual([null, null]);
  expect(
    attachments.map((one, index) => holds(one.content_url, event_id, `attachments/${index}`)),
  ).toEqual([
    [true, false],
    [true, false],
  ]);
  expect(await attachmentOf(event_id, 0)).toEqual(CONTENT);
  expect(await attachmentOf(event_id, 1)).toEqual(Buffer.from('b'));
  expect(await fileOf(event_id)).toBeUndefined();
});

test('raw email linked, attachments inline', async () => {
  const { event_id, attachments, content } = await received('/raw', {
    attachments: 'inline',
    raw: true,
  });
  expect(attachments[0]?.content).toBe(CONTENT.toString('base64'));
  expect(holds(content.raw_url, event_id, 'raw')).toEqual([true, false]);
  const raw = Buffer.from((await fileOf(event_id)) ?? []);
  expect(raw.toString()).toContain('Subject: /raw');
  // the trace on top does not count as size
  expect(raw.subarray(0, raw.byteLength - content.size_bytes).toString()).toMatch(
    /^Return-Path: <a@b\.example>\r\nReceived: from [^]*\r\n$/,
  );
  expect(await attachmentOf(event_id, 0)).toBeUndefined();
});

test('both linked: both are stored', async () => {
  const { event_id, content } = await received('/both', { attachments: 'url', raw: true });
  expect(holds(content.raw_url, event_id, 'raw')).toEqual([true, false]);
  expect(Buffer.from((await fileOf(event_id)) ?? []).toString()).toContain('Subject: /both');
  expect(await attachmentOf(event_id, 0)).toEqual(CONTENT);
});

test('a gateway without link keys sends contents inline', async () => {
  await using plain = await startPipeline();
  const { address } = await plain.address('/plain', {
    payload: { ...SPEC_PAYLOAD, attachments: 'url', raw: true },
  });
  await plain.mailer.sendMail({
    from: 'a@b.example',
    to: address,
    text: 'hello',
    attachments: [{ filename: 'b.txt', content: 'b' }],
  });
  const { payload } = await plain.receiver.nth('/plain', 1);
  expect(payload.attachments[0]).toMatchObject({ content: Buffer.from('b').toString('base64') });
  expect(payload.content).not.toHaveProperty('raw_url');
});

test('each receiver gets what it asks for, from one email and before metadata', async () => {
  const own = await pipeline.address('/links', {
    payload: { ...SPEC_PAYLOAD, extract: ['links'] },
  });
  const other = await pipeline.address('/nothing', {});
  await pipeline.mailer.sendMail({
    from: 'a@b.example',
    to: [own.address, other.address],
    html: '<a href="https://shop.example/in">Sign in</a><p hidden>spy</p>',
  });
  const { payload } = await pipeline.receiver.nth('/links', 1);
  expect(payload).toMatchObject({
    extracted: { links: [{ url: 'https://shop.example/in', text: 'Sign in' }] },
    parse_warnings: [],
  });
  expect(payload.extracted).not.toHaveProperty('hidden_text');
  expect(Object.keys(payload).at(-1)).toBe('metadata');
  const plain = await pipeline.receiver.nth('/nothing', 1);
  expect(plain.payload).not.toHaveProperty('extracted');
});

test('hidden text is a warning, also in a large email, which a thread reads', async () => {
  const { address } = await pipeline.address('/hidden', {
    payload: { ...SPEC_PAYLOAD, extract: ['hidden_text'] },
  });
  await pipeline.mailer.sendMail({
    from: 'a@b.example',
    to: address,
    html: '<p>Hello</p><p style="display:none">spy</p>',
    attachments: [{ filename: 'a.bin', content: randomBytes(400 * 1024) }],
  });
  const { payload } = await pipeline.receiver.nth('/hidden', 1);
  expect(payload).toMatchObject({
    extracted: { hidden_text: { sample: 'spy', chars: 3, reasons: ['not_displayed'] } },
    parse_warnings: [{ code: 'hidden_text' }],
  });
});

test('an invitation, a bounce and a report are read from their parts', async () => {
  const { address } = await pipeline.address('/parts', {
    payload: { ...SPEC_PAYLOAD, extract: ['invitation', 'bounce', 'report'] },
  });
  await pipeline.mailer.sendMail({
    envelope: { from: '', to: address },
    from: 'MAILER-DAEMON@mx.example',
    subject: 'Returned mail: see transcript',
    text: '<bob@x.example>: 550 5.1.1 User unknown',
    attachments: [
      {
        content: 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
        contentType: 'text/calendar; method=REQUEST',
      },
      { filename: 'a!b!1!2.xml.gz', content: 'no gzip', contentType: 'application/gzip' },
    ],
  });
  const { payload } = await pipeline.receiver.nth('/parts', 1);
  expect(payload).toMatchObject({
    is_bounce: true,
    extracted: {
      invitation: { method: 'REQUEST', uid: '1' },
      bounce: { recipients: [{ address: 'bob@x.example', status: '5.1.1', is_permanent: true }] },
      report: null,
    },
    parse_warnings: [{ code: 'report_unreadable' }],
  });
});

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));

test('a signed email: rules and receivers see its subject; an invoice is read', async () => {
  const { address } = await pipeline.address('/signed', {
    payload: { ...SPEC_PAYLOAD, extract: ['e_invoice'] },
    rules: [
      {
        name: 'inner',
        when: 'subject == "Order für Bob" && signature.is_valid',
        action: 'tag',
        tags: ['seen'],
      },
      {
        name: 'outer',
        when: 'subject == "Order" || encrypted != "none"',
        action: 'tag',
        tags: ['unseen'],
      },
    ],
  });
  await pipeline.mailer.sendMail({
    envelope: { from: 'ann@sender.example', to: address },
    raw: fixture('smime/protected-opaque.eml'),
  });
  expect((await pipeline.receiver.nth('/signed', 1)).payload).toMatchObject({
    headers: { subject: 'Order für Bob', from: 'ann@sender.example' },
    content: { text: 'Hello.\n' },
    signature: { kind: 'smime', subject: 'CN=Jörg Groß', is_valid: true },
    parse_warnings: [{ code: 'protected_headers_differ' }],
    tags: ['seen'],
    extracted: { e_invoice: null },
  });
  await pipeline.mailer.sendMail({
    from: 'ann@sender.example',
    to: address,
    text: '-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----',
    attachments: [{ filename: 'a.pdf', content: fixture('e-invoice/factur-x.pdf') }],
  });
  expect((await pipeline.receiver.nth('/signed', 2)).payload).toMatchObject({
    encrypted: 'pgp',
    tags: ['unseen'],
    extracted: { e_invoice: { number: 'F-2026-1', total: '119.00', attachment: 0 } },
    parse_warnings: [],
  });
});
