/**
 * The form of SendGrid's Inbound Parse, without "POST the raw, full MIME message"
 * (twilio.com/docs/sendgrid/for-developers/parsing-email/setting-up-the-inbound-parse-webhook).
 */
import type { WrittenBody } from './body.ts';
import { formBody, type FormField, type FormFile } from './form.ts';
import { shownHeaders } from './shown-headers.ts';
import type { StoredEmail } from './stored-payload.ts';
import { storableJson } from '../../text/text.ts';

export function sendgridBody(email: StoredEmail): WrittenBody {
  const { headers, content, envelope, authentication, files } = email;
  const named = files.map((file, at): FormFile => [`attachment${at + 1}`, file]);
  const dkim = authentication?.dkim ?? [];
  const fields: FormField[] = [
    [
      'headers',
      shownHeaders(email)
        .map(({ name, value }) => `${name}: ${value}\n`)
        .join(''),
    ],
    ['dkim', `{${dkim.map(({ domain, result }) => `@${domain} : ${result}`).join(', ')}}`],
    ['to', headers.to ?? ''],
    ...optional('cc', headers.cc),
    ['from', headers.from ?? ''],
    ['subject', headers.subject ?? ''],
    ...optional('text', content.text),
    ...optional('html', content.html),
    ['sender_ip', envelope.remote_ip],
    ['envelope', storableJson({ to: email.recipients, from: envelope.mail_from })],
    ['SPF', authentication?.spf.result ?? 'none'],
    ['spam_score', String(email.spam.score)],
    ['charsets', storableJson(CHARSETS)],
    ['attachments', String(files.length)],
  ];
  if (files.length > 0) {
    const info = named.map(([name, { filename, content_type: type, content_id: id }]) => [
      name,
      { filename, name: filename, type, ...(id !== null && { 'content-id': id }) },
    ]);
    fields.push(['attachment-info', storableJson(Object.fromEntries(info))]);
    const ids = named.flatMap(([name, { content_id: id }]) => (id === null ? [] : [[id, name]]));
    if (ids.length > 0) fields.push(['content-ids', storableJson(Object.fromEntries(ids))]);
  }
  return formBody(email.event_id, fields, named);
}

/** Everything is UTF-8, whatever it was in the email. */
const CHARSETS = {
  to: 'UTF-8',
  from: 'UTF-8',
  cc: 'UTF-8',
  subject: 'UTF-8',
  text: 'UTF-8',
  html: 'UTF-8',
  filename: 'UTF-8',
};

const optional = (name: string, value: string | null): FormField[] =>
  value === null ? [] : [[name, value]];
