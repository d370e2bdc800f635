/**
 * The form that a route of Mailgun posts with forward() (documentation.mailgun.com, "Receive, Forward
 * and Store Messages"). Its own signature is made with the webhook secret of the receiver.
 */
import { createHash, createHmac, type KeyObject } from 'node:crypto';

import type { WrittenBody } from './body.ts';
import { formBody, type FormField, type FormFile } from './form.ts';
import { capitalized, type Header, shownHeaders, shownText } from './shown-headers.ts';
import type { StoredEmail } from './stored-payload.ts';
import { storableJson } from '../../text/text.ts';

/** What Mailgun says, a sender must not. */
const VERDICTS = [
  'x-mailgun-dkim-check-result',
  'x-mailgun-incoming',
  'x-mailgun-sflag',
  'x-mailgun-spf',
  'x-mailgun-sscore',
];

/** Mailgun also posts headers as fields. Only these: others could have the name of a field. */
const AS_FIELDS = 'From Sender To Cc Reply-To Subject Date Message-Id In-Reply-To References'.split(
  ' ',
);

/**
 * @param key the webhook secret; undefined for a receiver with ed25519, whose form has no signature
 * @param now of the attempt: each one has a token of its own
 */
export function mailgunBody(
  email: StoredEmail,
  key: KeyObject | undefined,
  now: Date,
): WrittenBody {
  const { headers, content, envelope, files } = email;
  const shown: Header[] = [...verdicts(email), ...shownHeaders(email, VERDICTS)];
  const named = files.map((file, at): FormFile => [`attachment-${at + 1}`, file]);
  const text = shownText(content);
  const fields: FormField[] = [
    ...AS_FIELDS.flatMap((name): FormField[] => {
      const found = shown.find((one) => one.name.toLowerCase() === name.toLowerCase());
      return found === undefined ? [] : [[name, found.value]];
    }),
    ['recipient', email.recipients.join(',')],
    ['sender', envelope.mail_from],
    ['from', headers.from ?? ''],
    ['subject', headers.subject ?? ''],
    ['body-plain', text],
    ['stripped-text', email.reply_text ?? text],
    ['stripped-signature', ''],
    ...(content.html === null
      ? []
      : ([
          ['body-html', content.html],
          ['stripped-html', content.html],
        ] satisfies FormField[])),
    ['message-headers', storableJson(shown.map(({ name, value }) => [name, value]))],
  ];
  if (files.length > 0) fields.push(['attachment-count', String(files.length)]);
  const ids = named.flatMap(([name, { content_id: id }]) =>
    id === null ? [] : [`${storableJson(`<${id}>`)}: ${storableJson(name)}`],
  );
  if (ids.length > 0) fields.push(['content-id-map', `{${ids.join(', ')}}`]); // an id may occur twice
  fields.push(...signature(email.event_id, key, now));
  return formBody(email.event_id, fields, named);
}

function verdicts({ spam, authentication }: StoredEmail): Header[] {
  const isSpam = spam.verdict === 'spam';
  const results = authentication?.dkim.map(({ result }) => result) ?? [];
  return [
    { name: 'X-Mailgun-Incoming', value: 'Yes' },
    { name: 'X-Mailgun-Sflag', value: isSpam ? 'Yes' : 'No' },
    { name: 'X-Mailgun-Sscore', value: String(spam.score) },
    ...(authentication === null
      ? []
      : [{ name: 'X-Mailgun-Spf', value: capitalized(authentication.spf.result) }]),
    ...(results.length === 0
      ? []
      : [
          {
            name: 'X-Mailgun-Dkim-Check-Result',
            value: results.includes('pass') ? 'Pass' : 'Fail',
          },
        ]),
  ];
}

const TOKEN_CHARS = 50;

/** A handler may refuse a token that it has seen, so each attempt has another one. */
function signature(eventId: string, key: KeyObject | undefined, now: Date): FormField[] {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const digest = createHash('sha256').update(`${eventId} ${now.getTime()}`).digest('hex');
  const token = digest.slice(0, TOKEN_CHARS);
  const fields: FormField[] = [
    ['timestamp', timestamp],
    ['token', token],
  ];
  if (key === undefined) return fields;
  const hex = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
  return [...fields, ['signature', hex]];
}
