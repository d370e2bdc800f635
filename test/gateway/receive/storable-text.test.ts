/**
 * D300: whatever bytes a sender writes, no text that leaves Inlet has U+0000 or half of a surrogate
 * pair: payload, question to a hook, formats, delivery record, tools for agents.
 */
import { expect, test } from 'vitest';

import type { StoreMail } from '../../../services/adapters/stream/store.ts';
import {
  newMessage,
  readEvent,
  writeHeaders,
} from '../../../services/adapters/stream/events/wire.ts';
import { codesForModel, textForModel, view } from '../../../services/api/content/content-jobs.ts';
import type { Recipient } from '../../../services/core/address/recipient.ts';
import type { MailEvent } from '../../../services/core/delivery/mail-event.ts';
import { EXTRACTIONS } from '../../../services/core/extract/extraction-names.ts';
import { emailListText } from '../../../services/core/mcp/email-list.ts';
import { storableJson } from '../../../services/core/text/text.ts';
import { attemptBody, bodyBytes } from '../../../services/core/webhook/formats/attempt-body.ts';
import { linkedAttachments } from '../../../services/core/webhook/linked-attachments.ts';
import { createEmailBudgets } from '../../../services/core/expression/budget.ts';
import { writtenBytes } from '../../../services/core/webhook/payload-bytes.ts';
import { newSecret, signingKeys } from '../../../services/core/webhook/signature.ts';
import type { WebhookPayload } from '../../../services/core/webhook/payload.ts';
import { createReceive, type ReceiveMetrics } from '../../../services/gateway/receive/receive.ts';
import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { fc, runs } from '../../support/random.ts';
import { HOSTILE_EMAILS } from './hostile-emails.ts';

const NOW = new Date('2026-04-06T09:00:00Z');
const KEYS = [signingKeys(newSecret(Buffer.alloc(32, 1)))];
const noMetrics = new Proxy({}, { get: () => () => undefined }) as unknown as ReceiveMetrics;
const UNLIMITED = createEmailBudgets({ cpuMs: () => 0, nowMs: () => 0, minuteCpuMs: 1 });
const noFile = () => Promise.reject(new Error('there is no file'));
const recipient = {
  id: 'addr_1',
  account_id: 'acc_1',
  environment: 'live',
  payload: { attachments: 'inline', raw: false, extract: [...EXTRACTIONS], storage: null },
  hook: { url: 'https://hook.example/', when: null, timeout_ms: 1_000, on_error: 'accept' },
} as unknown as Recipient;

/** What the gateway stores of an email, as bytes, and what it asks the hook. */
async function received(raw: Buffer) {
  const stored: { payload: Buffer; header: string; event: MailEvent }[] = [];
  const questions: Buffer[] = [];
  const storeMail: StoreMail = async (facts, pieces) => {
    const { event } = newMessage(facts, pieces);
    const fields = writeHeaders(event);
    const header = fields.get('Inlet-Event');
    stored.push({ payload: writtenBytes(pieces), header, event: readEvent(fields) });
    return { isRepeat: false };
  };
  const receive = createReceive(
    {
      checkSender: async () => ({
        authentication: undefined,
        rspamd: undefined,
        virus: undefined,
      }),
      virusScan: undefined,
      spamThreshold: 5,
      textSearchedMs: 0,
      foldsRepeats: true,
      askHook: async (_, payload) => {
        questions.push(Buffer.from(payload()));
        return { decision: 'accept', message: '', tags: [], error: null, durationMs: 1 };
      },
      askAuthors: () => Promise.reject(new Error('no expression asks')),
      storeMail,
      files: { storeRaw: noFile, storeAttachments: noFile },
      link: undefined,
      maxBytes: 1e9,
      budgets: UNLIMITED,
      onFixed: () => undefined,
      metrics: noMetrics,
    },
    () => NOW,
    (bytes) => Buffer.alloc(bytes),
  );
  const mailbox = 'b\0x\ud83d@in.example';
  await receive({
    transactionId: 'one',
    raw,
    withReceived: raw,
    envelope: { mailFrom: 'a\0\ud83d@x.example', heloDomain: 'mx\0\ud83d', remoteIp: '' },
    recipients: [{ recipient, named: new Map([[mailbox, mailbox]]) }],
    isUtf8: false,
    repliesEach: false,
    receivedAt: NOW,
    replyBy: new Date(NOW.getTime() + 60_000),
  });
  const [only] = stored;
  const [question] = questions;
  if (only === undefined || question === undefined) throw new Error('nothing was stored');
  return { ...only, question };
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Paths of the texts in a value that a database refuses. Text that is JSON has texts, too. */
function unstorable(value: unknown, path: string): string[] {
  if (typeof value === 'string') {
    const inner = /^[[{]/.test(value) ? unstorable(parsed(value), `${path}()`) : [];
    return isStorable(value) ? inner : [path];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [
    ...(isStorable(key) ? [] : [`${path}.key`]),
    ...unstorable(one, `${path}.${key}`),
  ]);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Where a text has the character that takes the place of what was refused. */
const replaced = (value: unknown, path = ''): string[] =>
  typeof value === 'string'
    ? value.includes('\ufffd')
      ? [path.slice(1)]
      : []
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, one]) =>
          replaced(one, Array.isArray(value) ? path : `${path}.${key}`),
        )
      : [];

/** Every text that leaves, as the program reads it that gets it. */
async function texts(raw: Buffer): Promise<Record<string, unknown>> {
  const { payload, header, event, question } = await received(raw);
  const facts = { attempt: { retryCount: 0 }, keys: KEYS, now: NOW };
  const bodies = (['postmark', 'cloudmailin', 'sendgrid', 'mailgun'] as const).map((format) => {
    const body = attemptBody([payload], { ...facts, format });
    return { format, contentType: body.contentType, bytes: Buffer.from(bodyBytes(body)) };
  });
  const forms = bodies
    .filter(({ contentType }) => contentType.startsWith('multipart/'))
    .map(async ({ format, contentType, bytes }) => {
      const headers = { 'content-type': contentType };
      const form = await new Response(new Uint8Array(bytes), { headers }).formData();
      const fields = Array.from(form, ([name, one]) => [
        name,
        typeof one === 'string' ? one : [one.name, one.type],
      ]);
      return [format, fields] as const;
    });
  const tool = { payload, mark: 'mark' };
  const mailbox = event.recipients?.[0] ?? null;
  const listed = { ...event, recipient: mailbox, received_at: '', status: 'delivered' as const };
  const lists = emailListText([listed as never], { offset: 0, hasMore: false }, 'mark');
  const tools = [textForModel(tool).text, codesForModel(tool).text, lists].map((text) => [
    JSON.parse(storableJson({ text })),
    text.split('\n'),
  ]);
  return {
    payload: JSON.parse(payload.toString()),
    question: JSON.parse(question.toString()),
    header,
    event,
    ...Object.fromEntries(await Promise.all(forms)),
    ...Object.fromEntries(
      bodies
        .filter(({ contentType }) => contentType === 'application/json')
        .map(({ format, bytes }) => [format, JSON.parse(bytes.toString())]),
    ),
    tools,
    view: JSON.parse(storableJson(view(payload))),
    files: linkedAttachments(parseMail(raw).attachments)
      .filter((_, at) => at % 2 === 0)
      .map((line) => JSON.parse(Buffer.from(line).toString())),
  };
}

const KIND = fc.constantFrom(...Object.keys(HOSTILE_EMAILS));
const NASTY = fc.string({
  unit: fc.constantFrom('a', '\0', '\u{1f600}', '\\', 'u0000', '"'),
  maxLength: 12,
});
/** Long ones are cut in many places. */
const TIMES = fc.constantFrom(1, 1, 1, 60, 400);

test('no text of an email leaves with U+0000 or half of a pair, wherever it stands', async () => {
  await fc.assert(
    fc.asyncProperty(KIND, NASTY, TIMES, async (kind, text, times) => {
      const left = await texts(HOSTILE_EMAILS[kind]?.(text.repeat(times)) ?? Buffer.alloc(0));
      expect(unstorable(left, kind)).toEqual([]);
    }),
    runs(120),
  );
});

test('U+FFFD takes its place in each field that a sender can write', async () => {
  const emails = Object.values(HOSTILE_EMAILS).map((email) => received(email('a\0b')));
  const payloads = (await Promise.all(emails)).map(({ payload }) => JSON.parse(payload.toString()));
  expect([...new Set(payloads.flatMap((payload) => replaced(payload)))].toSorted()).toEqual([
    'attachments.content_type',
    'content.html',
    'content.text',
    'envelope.helo_domain',
    'envelope.mail_from',
    'envelope.rcpt_to',
    'extracted.bounce.original_message_id',
    'extracted.bounce.recipients.address',
    'extracted.bounce.recipients.diagnostic',
    'extracted.codes.near',
    'extracted.e_invoice.seller',
    'extracted.forwarded.original.from',
    'extracted.forwarded.original.subject',
    'extracted.forwarded.original.text',
    'extracted.hidden_text.sample',
    'extracted.invitation.location',
    'extracted.invitation.organizer.name',
    'extracted.invitation.summary',
    'extracted.invitation.uid',
    'extracted.links.text',
    'extracted.markdown',
    'extracted.report.organization',
    'extracted.report.report_id',
    'extracted.report.rows.header_from',
    'headers.all.name',
    'recipient',
    'recipients',
    'reply_text',
  ]);
});

test('read-m18: a text with U+0000 has U+FFFD there, and its escape in words is left alone', async () => {
  const raw = Buffer.from(
    'From: Robin Pond <robin@pond.example>\r\nTo: desk@in.example\r\nSubject: case\r\n' +
      'Content-Type: text/plain; charset=utf-8\r\n\r\na\0b \\u0000 \\\\ud83d\r\n',
  );
  const { payload } = await received(raw);
  const { content } = JSON.parse(payload.toString()) as WebhookPayload;
  expect(content.text).toBe('a\ufffdb \\u0000 \\\\ud83d\n');
});
