/** The body of CloudMailin in the format "JSON (Normalized)" (docs.cloudmailin.com/http_post_formats). */
import { type WrittenBody, jsonBody } from './body.ts';
import { shownHeaders, shownText } from './shown-headers.ts';
import type { StoredEmail } from './stored-payload.ts';

export function cloudmailinBody(email: StoredEmail): WrittenBody {
  const { content, envelope, authentication } = email;
  const headers = new Map<string, string | string[]>();
  for (const { name, value } of shownHeaders(email)) {
    const key = name.toLowerCase().replaceAll('-', '_');
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : [before, value].flat());
  }
  const members = {
    headers: Object.fromEntries(headers),
    envelope: {
      to: email.recipient,
      recipients: email.recipients,
      from: envelope.mail_from,
      helo_domain: envelope.helo_domain,
      remote_ip: envelope.remote_ip,
      tls: cameByTls(email),
      spf: {
        result: authentication?.spf.result ?? 'none',
        domain: authentication?.spf.domain ?? '',
      },
    },
    plain: shownText(content),
    html: content.html ?? '',
    reply_plain: email.reply_text ?? '',
  };
  return jsonBody(
    members,
    'attachments',
    'content',
    email.files.map((file) => ({
      fields: {
        file_name: file.filename,
        content_type: file.content_type,
        size: file.size_bytes,
        disposition: file.content_id === null ? (file.disposition ?? 'attachment') : 'inline',
        ...(file.content_id !== null && { content_id: file.content_id }),
      },
      content: file.base64,
    })),
  );
}

const WITH_TLS = /\bwith (?:UTF8SMTPS|ESMTPS|UTF8LMTPS|LMTPS) id /; // RFC 3848, RFC 6531 §4.3

/** As the topmost Received says, which is Inlet's. */
const cameByTls = ({ headers }: StoredEmail): boolean =>
  WITH_TLS.test(headers.all.find(({ name }) => name.toLowerCase() === 'received')?.value ?? '');
