/** What django-anymail reads of webhooks in the formats of Postmark, SendGrid and Mailgun. */
import { join } from 'node:path';

import { expect, test } from 'vitest';

import type { OtherBody } from '../../services/core/receiver/webhook-format-names.ts';
import { readAddressField } from '../../services/core/mail/fields/address-field.ts';
import { attemptBody, bodyBytes } from '../../services/core/webhook/formats/attempt-body.ts';
import { shownText } from '../../services/core/webhook/formats/shown-headers.ts';
import type { WebhookPayload } from '../../services/core/webhook/payload.ts';
import { newSecret, signingKeys } from '../../services/core/webhook/signature.ts';
import { installAnymail } from '../contract/tools.ts';
import { seed } from '../support/random.ts';
import { atMost } from '../support/slowdown.ts';
import { readByProgram } from './read-by-program.ts';
import { PROGRAM_MAILS } from './mail-programs.ts';
import { storedMail, type StoredMail, variedEmails } from './varied-emails.ts';

const SECRET = newSecret(Buffer.alloc(32, 1));
const SERVICES = ['postmark', 'sendgrid', 'mailgun'] as const satisfies OtherBody[];
type Service = (typeof SERVICES)[number];

type FoundFile = { name: string; type: string; bytes: string | null; id: string | null };
type Read = {
  exception?: string;
  from: string[][];
  to: string[][];
  cc: string[][];
  bcc: string[][];
  subject: string | null;
  text: string | null;
  html: string | null;
  attachments: FoundFile[];
  inlines: FoundFile[];
  envelope_sender: string | null;
  envelope_recipient: string | null;
  stripped_text: string | null;
  spam_score: number | null;
  spam_detected: boolean | null;
};

const webhookOf = (service: Service, { stored }: StoredMail) => {
  const facts = { attempt: { retryCount: 0 }, keys: [signingKeys(SECRET)], now: new Date() };
  const written = attemptBody(stored, { format: service, ...facts });
  const body = bodyBytes(written).toString('base64');
  return { service, contentType: written.contentType, body };
};

const mailboxes = (field: string | null): string[][] =>
  readAddressField(field ?? '').mailboxes.map(({ name, address }) => [name, address]);
const lines = (shown: string | null): string => (shown ?? '').replaceAll(/\r\n?/g, '\n');
const sorted = (files: FoundFile[]): string[] => files.map((one) => JSON.stringify(one)).toSorted();

/** A form has the last part of a path, as browsers send it. */
const formName = (name: string, at: number): string => {
  const last = name.split(/[/\\]/).at(-1)?.trim() ?? '';
  return ['', '.', '..'].includes(last) ? `attachment-${at + 1}` : last;
};

function authorsOf({ headers, envelope }: WebhookPayload, service: Service): string[][] {
  const authors = mailboxes(headers.from);
  if (service !== 'postmark') return authors;
  const sender = envelope.mail_from === '' ? [] : [['', envelope.mail_from]];
  return authors.length === 0 ? sender : authors.slice(0, 1); // it has one From
}

function expected(payload: WebhookPayload, service: Service): Partial<Read> {
  const { headers, content, envelope, attachments, spam } = payload;
  const files = (isInline: boolean): string[] =>
    sorted(
      attachments.flatMap((one, at) => {
        if ((one.content_id !== null) !== isInline) return [];
        const type = /^[^/]+\/[^/]+$/.test(one.content_type)
          ? one.content_type
          : 'application/octet-stream';
        const name = service === 'postmark' ? one.filename : formName(one.filename, at);
        const bytes = type.startsWith('message/') ? null : one.content;
        return [{ name, type, bytes, id: one.content_id && `<${one.content_id}>` }];
      }),
    );
  return {
    from: authorsOf(payload, service),
    to: mailboxes(headers.to),
    cc: mailboxes(headers.cc),
    bcc: mailboxes(headers.bcc),
    subject: lines(headers.subject).trim(),
    text: lines(service === 'sendgrid' ? content.text : shownText(content)),
    html: lines(content.html),
    attachments: files(false) as unknown as FoundFile[],
    inlines: files(true) as unknown as FoundFile[],
    envelope_sender: envelope.mail_from,
    envelope_recipient: payload.recipient,
    spam_score: spam.score,
    ...(service !== 'sendgrid' && { spam_detected: spam.verdict === 'spam' }),
  };
}

function compared(
  read: Read,
  { content, attachments }: WebhookPayload,
  service: Service,
): Partial<Read> {
  // without a text of its own, anymail takes that of an email within the email
  const isOwn = !attachments.some(({ content_type: type }) => type.startsWith('message/'));
  const hasText = content.text !== null || (content.html !== null && service !== 'sendgrid');
  return {
    ...read,
    subject: lines(read.subject).trim(),
    text: !hasText && !isOwn ? '' : lines(read.text),
    html: content.html === null && !isOwn ? '' : lines(read.html),
    attachments: sorted(read.attachments) as unknown as FoundFile[],
    inlines: sorted(read.inlines) as unknown as FoundFile[],
  };
}

test(
  `django-anymail reads 300 varied emails of each format as Inlet does (seed ${seed})`,
  { timeout: atMost(300_000) },
  async ({ skip }) => {
    const folder = (await installAnymail()) ?? skip();
    const emails = variedEmails(300);
    const webhooks = emails.flatMap((email) =>
      SERVICES.map((service): [Service, StoredMail] => [service, email]),
    );
    const python = join(folder, 'bin', 'python');
    const program = join(import.meta.dirname, 'anymail_reader.py');
    const sent = webhooks.map(([service, email]) => webhookOf(service, email));
    const all = await readByProgram<Read>(python, [program, SECRET], sent);
    expect(all).toHaveLength(900);
    expect(all.flatMap(({ exception }) => exception ?? [])).toEqual([]);
    for (const [at, read] of all.entries()) {
      const [service, { payload }] = webhooks[at] as [Service, StoredMail];
      const { event_id: id } = payload;
      expect({ id, service, ...compared(read, payload, service) }).toMatchObject({
        id,
        service,
        ...expected(payload, service),
      });
    }
    const found = emails.flatMap(({ payload }) => payload.attachments);
    expect(found.filter(({ content_id: id }) => id !== null).length).toBeGreaterThan(50);
    expect(found.filter(({ content_id: id }) => id === null).length).toBeGreaterThan(200);
  },
);

const names = (files: FoundFile[]) => files.map(({ name }) => name);

test(
  'django-anymail finds the files and the pictures of an email, whichever program wrote it',
  { timeout: atMost(300_000) },
  async ({ skip }) => {
    const folder = (await installAnymail()) ?? skip();
    const cases = SERVICES.flatMap((service) => PROGRAM_MAILS.map((one) => ({ service, ...one })));
    const all = await readByProgram<Read>(
      join(folder, 'bin', 'python'),
      [join(import.meta.dirname, 'anymail_reader.py'), SECRET],
      cases.map(({ service, raw }) => webhookOf(service, storedMail(raw))),
    );
    expect(
      all.map(({ attachments, inlines }, at) => ({
        ...cases[at],
        files: names(attachments),
        pictures: names(inlines),
      })),
    ).toEqual(cases);
  },
);
