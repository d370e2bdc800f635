// An Inlet payload as the form that a route of Mailgun posts by forward(). signingKey is the key with
// which the present handler checks timestamp, token and signature:
//   fetch(url, { method: 'POST', body: toMailgun(payload, signingKey) })
import { createHmac, randomBytes } from 'node:crypto';

import { headersOf } from './addresses.mjs';

export function toMailgun(email, signingKey) {
  const { headers, content, envelope, attachments } = email;
  const form = new FormData();
  const set = (name, value) => value !== null && form.set(name, value);
  set('recipient', envelope.rcpt_to.join(','));
  set('sender', envelope.mail_from);
  set('from', headers.from ?? '');
  set('subject', headers.subject ?? '');
  set('body-plain', content.text ?? '');
  set('body-html', content.html);
  set('stripped-text', email.reply_text ?? content.text ?? '');
  set('message-headers', JSON.stringify(headersOf(email).map(({ name, value }) => [name, value])));
  const ids = {};
  attachments.forEach((file, i) => {
    const field = `attachment-${i + 1}`;
    if (file.content_id) ids[file.content_id] = field;
    const bytes = Buffer.from(file.content ?? '', 'base64');
    form.set(field, new File([bytes], file.filename, { type: file.content_type }));
  });
  if (attachments.length > 0) set('attachment-count', String(attachments.length));
  if (Object.keys(ids).length > 0) set('content-id-map', JSON.stringify(ids));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const token = randomBytes(25).toString('hex');
  set('timestamp', timestamp);
  set('token', token);
  set(
    'signature',
    createHmac('sha256', signingKey)
      .update(timestamp + token)
      .digest('hex'),
  );
  return form;
}
