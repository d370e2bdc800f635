/**
 * The body of Postmark's inbound webhook (postmarkapp.com/developer/webhooks/inbound-webhook), as
 * programs written for it read it.
 */
import type { Mailbox } from '../../mail/fields/address-field.ts';
import { mailDate } from '../../mail/mail-date.ts';
import { type WrittenBody, jsonBody } from './body.ts';
import { capitalized, mailboxesIn, oneLine, shownHeaders, shownText } from './shown-headers.ts';
import type { StoredEmail } from './stored-payload.ts';

/** Postmark shows them as members of their own. */
const MEMBERS = ['from', 'to', 'cc', 'bcc', 'subject', 'date', 'reply-to'];
/** What Postmark says, a sender must not. */
const VERDICTS = [
  'received-spf',
  'x-spam-checker-version',
  'x-spam-level',
  'x-spam-score',
  'x-spam-status',
  'x-spam-tests',
];

export function postmarkBody(email: StoredEmail): WrittenBody {
  const { headers, content, envelope, plus_tag: tag } = email;
  const [from = { name: '', address: envelope.mail_from }] = mailboxesIn(headers.from);
  const members = {
    FromName: from.name,
    MessageStream: 'inbound',
    From: from.address,
    FromFull: from.address === '' ? null : full(from), // a bounce without a From
    ...recipients('To', headers.to),
    ...recipients('Cc', headers.cc),
    ...recipients('Bcc', headers.bcc),
    OriginalRecipient: email.recipient,
    Subject: headers.subject ?? '',
    MessageID: email.event_id, // Postmark's own id; that of the email is in Headers
    ReplyTo: headers.reply_to ?? '',
    MailboxHash: tag ?? '',
    Date: headers.date === null ? '' : mailDate(headers.date),
    TextBody: shownText(content),
    HtmlBody: content.html ?? '',
    StrippedTextReply: email.reply_text ?? '',
    Tag: '',
    Headers: [
      { Name: 'Return-Path', Value: `<${oneLine(envelope.mail_from)}>` }, // Postmark's first one
      ...verdicts(email),
      ...shownHeaders(email, [...MEMBERS, ...VERDICTS]).map(({ name, value }) => ({
        Name: name,
        Value: value,
      })),
    ],
  };
  return jsonBody(
    members,
    'Attachments',
    'Content',
    email.files.map((file) => ({
      fields: {
        Name: file.filename,
        ContentType: file.content_type,
        ContentLength: file.size_bytes,
        ContentID: file.content_id, // also an empty one would mark it as inline
        // django-anymail reads Data, which Postmark's test webhooks have, when Content is empty
        ...(file.size_bytes === 0 && { Data: '' }),
      },
      content: file.base64,
    })),
  );
}

const full = ({ name, address }: Mailbox) => ({
  Email: address,
  Name: name,
  MailboxHash: tagOf(address),
});

/** Between `+` and `@`. A stranger's address has any length, and any number of them. */
function tagOf(address: string): string {
  const plus = address.indexOf('+');
  const at = address.indexOf('@', plus);
  return plus === -1 || at === -1 ? '' : address.slice(plus + 1, at);
}

const recipients = <Name extends string>(name: Name, field: string | null) =>
  ({ [name]: field ?? '', [`${name}Full`]: mailboxesIn(field).map(full) }) as Record<
    Name | `${Name}Full`,
    string | ReturnType<typeof full>[]
  >;

/** In the words of SpamAssassin, as Postmark has them. */
function verdicts({ spam, authentication, envelope }: StoredEmail) {
  const spf = authentication?.spf.result ?? 'none';
  const passing = authentication?.dkim.filter(({ result }) => result === 'pass') ?? [];
  const tests = [
    ...(authentication && authentication.dkim.length > 0 ? ['DKIM_SIGNED'] : []),
    ...(passing.length > 0 ? ['DKIM_VALID'] : []),
    ...(passing.some(({ aligned }) => aligned) ? ['DKIM_VALID_AU'] : []),
    ...(spf === 'none' ? [] : [`SPF_${spf.toUpperCase()}`]),
  ];
  const { remote_ip: ip, helo_domain: helo, mail_from: from } = envelope;
  return [
    { Name: 'X-Spam-Status', Value: spam.verdict === 'spam' ? 'Yes' : 'No' },
    { Name: 'X-Spam-Score', Value: String(spam.score) },
    { Name: 'X-Spam-Tests', Value: tests.join(',') },
    {
      Name: 'Received-SPF',
      Value: oneLine(
        `${capitalized(spf)} identity=mailfrom; client-ip=${ip}; helo=${helo}; envelope-from=${from}`,
      ),
    },
  ];
}
