// An Inlet payload in the form of Postmark's inbound webhook, so that a present handler takes it:
//   handler(toPostmark(payload))
import { addressesIn, headersOf } from './addresses.mjs';

export function toPostmark(email) {
  const { headers, content, envelope, attachments } = email;
  const full = ({ name, email: address }) => ({
    Email: address,
    Name: name,
    MailboxHash: /\+([^@]*)@/.exec(address)?.[1] ?? '',
  });
  const [from = { name: '', email: envelope.mail_from }] = addressesIn(headers.from);
  return {
    MessageStream: 'inbound',
    From: from.email,
    FromName: from.name,
    FromFull: full(from),
    To: headers.to ?? '',
    ToFull: addressesIn(headers.to).map(full),
    Cc: headers.cc ?? '',
    CcFull: addressesIn(headers.cc).map(full),
    Bcc: headers.bcc ?? '',
    BccFull: addressesIn(headers.bcc).map(full),
    OriginalRecipient: envelope.rcpt_to[0] ?? '',
    Subject: headers.subject ?? '',
    MessageID: email.event_id, // Postmark's own id; the Message-ID header is in Headers
    ReplyTo: headers.reply_to ?? '',
    MailboxHash: email.plus_tag ?? '',
    Date: headers.date === null ? '' : new Date(headers.date).toUTCString(),
    TextBody: content.text ?? '',
    HtmlBody: content.html ?? '',
    StrippedTextReply: email.reply_text ?? '',
    Tag: '',
    Headers: [
      ...headersOf(email).map(({ name, value }) => ({ Name: name, Value: value })),
      { Name: 'X-Spam-Score', Value: String(email.spam.score) },
      { Name: 'X-Spam-Status', Value: email.spam.verdict === 'spam' ? 'Yes' : 'No' },
    ],
    Attachments: attachments.map((file) => ({
      Name: file.filename,
      Content: file.content ?? '', // base64; empty when the address links to attachments
      ContentType: file.content_type,
      ContentLength: file.size_bytes,
      ContentID: file.content_id ?? '',
    })),
  };
}
