// An Inlet payload as the form that SendGrid's Inbound Parse posts (without "POST the raw, full MIME
// message"). Give it to a present handler as the body of a request:
//   fetch(url, { method: 'POST', body: toSendGrid(payload) })
import { headersOf } from './addresses.mjs';

export function toSendGrid(email) {
  const { headers, content, envelope, attachments, authentication } = email;
  const info = {};
  const ids = {};
  const form = new FormData();
  const set = (name, value) => value !== null && form.set(name, value);
  set(
    'headers',
    headersOf(email)
      .map(({ name, value }) => `${name}: ${value}`)
      .join('\n'),
  );
  set('from', headers.from ?? '');
  set('to', headers.to ?? '');
  set('cc', headers.cc);
  set('subject', headers.subject ?? '');
  set('text', content.text);
  set('html', content.html);
  set('sender_ip', envelope.remote_ip);
  set('envelope', JSON.stringify({ to: envelope.rcpt_to, from: envelope.mail_from }));
  set('SPF', authentication?.spf.result ?? 'none');
  const dkim = authentication?.dkim ?? [];
  set('dkim', `{${dkim.map(({ domain, result }) => `@${domain} : ${result}`).join(', ')}}`);
  set('spam_score', String(email.spam.score));
  set('charsets', JSON.stringify({ to: 'UTF-8', from: 'UTF-8', subject: 'UTF-8', text: 'UTF-8' }));
  set('attachments', String(attachments.length));
  attachments.forEach((file, i) => {
    const field = `attachment${i + 1}`;
    const { filename, content_type: type, content_id: id } = file;
    info[field] = { filename, name: filename, type, ...(id && { 'content-id': id }) };
    if (id) ids[id] = field;
    const bytes = Buffer.from(file.content ?? '', 'base64');
    form.set(field, new File([bytes], filename, { type }));
  });
  if (attachments.length > 0) set('attachment-info', JSON.stringify(info));
  if (Object.keys(ids).length > 0) set('content-ids', JSON.stringify(ids));
  return form;
}
