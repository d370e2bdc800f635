/** Bodies in the formats of other services. test/formats/ has the parsers that programs use. */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { WebhookFormat } from '../../../services/core/receiver/webhook-format.ts';
import type { OtherBody } from '../../../services/core/receiver/webhook-format-names.ts';
import { attemptBody, bodyBytes } from '../../../services/core/webhook/formats/attempt-body.ts';
import {
  readStoredEmail,
  recipientIn,
} from '../../../services/core/webhook/formats/stored-payload.ts';
import { NOT_EVALUATED } from '../../../services/core/webhook/parse-warning.ts';
import type { WebhookPayload } from '../../../services/core/webhook/payload.ts';
import { newPrivateKey } from '../../../services/core/webhook/key-pair.ts';
import { newSecret, signingKeys } from '../../../services/core/webhook/signature.ts';
import { fullMail } from '../../fixtures/full-mail.ts';
import {
  inPieces,
  storedMail,
  type StoredMail,
  variedEmails,
} from '../../formats/varied-emails.ts';
import { PROGRAM_MAILS } from '../../formats/mail-programs.ts';
import { fc, runs } from '../../support/random.ts';

const SECRET = newSecret(Buffer.alloc(32, 1));
const NOW = new Date('2026-11-21T08:00:02Z');

const written = (
  format: WebhookFormat,
  stored: readonly Uint8Array[],
  { keys = [SECRET], recipient = 'box@in.example' } = {},
) => {
  const facts = { format, recipient, attempt: { retryCount: 3 }, keys: keys.map(signingKeys) };
  const body = attemptBody(stored, { ...facts, now: NOW });
  return { contentType: body.contentType, bytes: bodyBytes(body) };
};
const formOf = async (
  format: 'sendgrid' | 'mailgun',
  { stored }: StoredMail,
  keys?: string[],
): Promise<FormData> => {
  const { contentType, bytes } = written(format, stored, keys && { keys });
  const headers = { 'content-type': contentType };
  return new Response(Uint8Array.from(bytes), { headers }).formData();
};
const jsonOf = (format: 'postmark' | 'cloudmailin', { stored }: StoredMail): unknown =>
  JSON.parse(written(format, stored).bytes.toString());
const printable = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replaceAll('\r', '')
    .replaceAll(/[^\n -~]/g, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
const mailWith = (...lines: string[]): StoredMail =>
  storedMail(Buffer.from([...lines, '', 'text', ''].join('\r\n')), 1);

test.each<[OtherBody, string]>([
  ['postmark', 'json'],
  ['cloudmailin', 'json'],
  ['sendgrid', 'txt'],
  ['mailgun', 'txt'],
])('%s: an email with everything; vitest -u writes the file', async (format, kind) => {
  const { contentType, bytes } = written(format, storedMail(fullMail, 3).stored);
  const text =
    kind === 'json'
      ? `${JSON.stringify(JSON.parse(bytes.toString()), null, 2)}\n`
      : `${contentType}\n\n${printable(bytes)}`;
  await expect(text).toMatchFileSnapshot(
    join(import.meta.dirname, `formats.${format}.golden.${kind}`),
  );
});

test.each(['postmark', 'sendgrid', 'mailgun', 'cloudmailin'] as const)(
  '%s: says that rules or filters were not evaluated, and a sender cannot say it',
  (format) => {
    const { payload } = mailWith('Subject: x', 'X-Inlet-Warnings: forged');
    const bodyWith = (parse_warnings: WebhookPayload['parse_warnings']) => {
      const stored = [Buffer.from(JSON.stringify({ ...payload, parse_warnings }))];
      return written(format, stored).bytes.toString().toLowerCase().replaceAll('_', '-');
    };
    const said = bodyWith([NOT_EVALUATED]);
    expect(said).toMatch(/x-inlet-warnings\W+(value\W+)?rules-timeout/);
    expect(said + bodyWith([])).not.toContain('forged');
    expect(bodyWith([])).not.toContain('x-inlet-warnings');
  },
);

test.each(PROGRAM_MAILS)('$name: which parts are files', ({ raw, files, pictures }) => {
  const email = storedMail(raw);
  const { attachments } = email.payload;
  const named = (isInline: boolean) =>
    attachments
      .filter(({ content_id: id }) => (id !== null) === isInline)
      .map(({ filename }) => filename);
  expect([named(false), named(true)]).toEqual([files, pictures]);
  const shown = jsonOf('cloudmailin', email) as {
    attachments: { file_name: string; disposition: string; content_id?: string }[];
  };
  for (const [at, { file_name: name, disposition, content_id: id }] of shown.attachments.entries())
    expect([disposition, id !== undefined]).toEqual(
      pictures.includes(name)
        ? ['inline', true]
        : [attachments[at]?.disposition ?? 'attachment', false],
    );
});

test('an email without a text has that of its HTML, where a service promises one', async () => {
  const email = mailWith('Content-Type: text/html', 'X-A: b');
  expect(email.payload.content).toMatchObject({ text: null, html: 'text\n' });
  expect(jsonOf('postmark', email)).toMatchObject({ TextBody: 'text' });
  expect(jsonOf('cloudmailin', email)).toMatchObject({ plain: 'text' });
  const form = await formOf('mailgun', email);
  expect([form.get('body-plain'), form.get('stripped-text')]).toEqual(['text', 'text']);
  expect((await formOf('sendgrid', email)).has('text')).toBe(false);
});

describe('the stored payload', () => {
  test('is read from pieces of any size as from one', () => {
    const emails = variedEmails(20);
    fc.assert(
      fc.property(
        fc.constantFrom(...emails),
        fc.integer({ min: 1, max: 70_000 }),
        (email, size) => {
          const bytes = Buffer.concat(email.stored);
          const { files, ...read } = readStoredEmail(inPieces(bytes, size));
          const { attachments, ...payload } = email.payload;
          expect(read).toEqual(payload);
          expect(files.map(({ base64 }) => Buffer.concat(base64).toString())).toEqual(
            attachments.map(({ content }) => content),
          );
        },
      ),
      runs(30),
    );
  });

  test('a body is the same for pieces of any size, and sent in slices', () => {
    for (const { stored } of variedEmails(10))
      for (const format of ['postmark', 'sendgrid', 'mailgun', 'cloudmailin'] as const) {
        const whole = written(format, [Buffer.concat(stored)]).bytes;
        expect(written(format, inPieces(Buffer.concat(stored), 7)).bytes.equals(whole)).toBe(true);
      }
  });

  test('of an earlier release has no recipient: the first of rcpt_to stands for it', () => {
    const { payload } = storedMail(fullMail);
    const { recipient, recipients, ...earlier } = payload;
    expect(recipients).toEqual([recipient]);
    const stored = Buffer.from(JSON.stringify(earlier));
    expect(readStoredEmail([stored])).toMatchObject({
      recipient: 'other@in.example.com',
      recipients: ['other@in.example.com'],
    });
    expect(recipientIn(stored)).toBeUndefined();
    expect(recipientIn(Buffer.from(JSON.stringify(payload)))).toBe(recipient);
  });

  test('attachments without their content are left out', () => {
    const { payload } = storedMail(fullMail);
    const attachments = payload.attachments.map((one) => ({ ...one, content: null }));
    const stored = Buffer.from(JSON.stringify({ ...payload, attachments }));
    expect(readStoredEmail([stored]).files).toEqual([]);
  });
});

describe('a sender', () => {
  test('does not say what the receiving server says', async () => {
    const forged = mailWith(
      'From: ann@sender.example',
      'X-Spam-Status: No, forged',
      'Received-SPF: Pass (forged)',
      'X-Mailgun-Spf: forged',
      'Return-Path: <forged@sender.example>',
      'signature: forged',
      'recipient: forged@sender.example',
    );
    const { Headers } = jsonOf('postmark', forged) as {
      Headers: { Name: string; Value: string }[];
    };
    expect(Headers[0]).toEqual({ Name: 'Return-Path', Value: '<bounce+1@sender.example>' });
    const verdicts = Headers.filter(({ Name }) =>
      /^(return-path|received-spf|x-spam-status)$/i.test(Name),
    );
    expect(JSON.stringify(verdicts)).not.toContain('forged');
    expect(verdicts).toHaveLength(3);
    const form = await formOf('mailgun', forged);
    expect(form.getAll('recipient')).toEqual(['orders1@in.example.com']);
    expect(form.getAll('signature')).toHaveLength(1);
    expect(form.get('message-headers')).not.toMatch(/"(X-Mailgun-Spf","forged|Return-Path)/);
  });

  test('who repeats a field, or breaks lines in one, makes one field of one line', () => {
    const odd = mailWith(
      'From: ann@sender.example',
      'From: bob@sender.example',
      'Subject: one',
      'Subject: =?utf-8?q?two=0D=0AX-Injected: yes?=',
      '__proto__: x',
    );
    const bytes = written('sendgrid', odd.stored).bytes.toString();
    expect(bytes.match(/^From: /gm)).toHaveLength(1);
    expect(bytes.match(/^Subject: two/gm)).toHaveLength(1);
    expect(bytes).not.toMatch(/^X-Injected/m);
    const { headers } = jsonOf('cloudmailin', odd) as { headers: Record<string, string> };
    expect(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value).toBe('x');
  });

  test('cannot end a part of a form: file names are quoted, and lines in them are blanks', async () => {
    const { payload } = storedMail(fullMail);
    const [file] = payload.attachments;
    const named = (filename: string) => ({ ...file, filename }) as WebhookPayload['attachments'][0];
    const attachments = ['a"b.txt', 'x\r\nX: y.txt', '../..', 'C:\\x\\y.doc', 'ü.txt'].map(named);
    const stored = [Buffer.from(JSON.stringify({ ...payload, attachments }))];
    const form = await formOf('sendgrid', { ...storedMail(fullMail), stored });
    const names = attachments.map((_, at) => (form.get(`attachment${at + 1}`) as File).name);
    expect(names).toEqual(['a"b.txt', 'x X: y.txt', 'attachment-3', 'y.doc', 'ü.txt']);
  });
});

describe('mailgun', () => {
  test('is signed with the current secret, with another token in each attempt', async () => {
    const form = await formOf('mailgun', storedMail(fullMail), [
      SECRET,
      newSecret(Buffer.alloc(32)),
    ]);
    const [timestamp, token] = [String(form.get('timestamp')), String(form.get('token'))];
    expect([timestamp, token.length]).toEqual([String(NOW.getTime() / 1000), 50]);
    const hmac = createHmac('sha256', SECRET).update(timestamp + token);
    expect(form.get('signature')).toBe(hmac.digest('hex'));
  });

  test('has no signature for a receiver with a private key', async () => {
    const key = newPrivateKey(Buffer.alloc(32, 2));
    const form = await formOf('mailgun', storedMail(fullMail), [key]);
    expect([form.has('token'), form.has('signature')]).toEqual([true, false]);
  });
});

test('an email without an author and without a sender has no FromFull', () => {
  const bounce = storedMail(Buffer.from('Subject: x\r\n\r\ntext\r\n'), 0);
  expect(jsonOf('postmark', bounce)).toMatchObject({ From: '', FromFull: null, Attachments: [] });
});

test('raw is the email, byte for byte, below X-Original-To', () => {
  const email = inPieces(Buffer.from('Subject: \xe9\n\r\n\0text', 'latin1'), 3);
  const { contentType, bytes } = written('raw', email, { recipient: 'Box+7@in.example' });
  expect(contentType).toBe('message/rfc822');
  const head = 'X-Original-To: Box+7@in.example\r\n';
  expect(bytes.equals(Buffer.concat([Buffer.from(head), ...email]))).toBe(true);
});

test('inlet and cloudevents are the payload, with the number of the attempt', () => {
  const { stored } = storedMail(fullMail);
  for (const format of ['inlet', 'cloudevents'] as const) {
    const { contentType, bytes } = written(format, stored);
    expect(contentType).toBe('application/json');
    expect(JSON.parse(bytes.toString())).toMatchObject({ metadata: { retry_count: 3 } });
  }
});
