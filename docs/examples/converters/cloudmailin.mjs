// An Inlet payload in CloudMailin's format "JSON (Normalized)":
//   handler(toCloudMailin(payload))
import { headersOf } from './addresses.mjs';

export function toCloudMailin(email) {
  const { content, envelope, attachments, authentication } = email;
  const headers = {};
  for (const { name, value } of headersOf(email)) {
    const key = name.toLowerCase().replaceAll('-', '_');
    headers[key] = key in headers ? [headers[key], value].flat() : value;
  }
  const spf = authentication?.spf;
  return {
    headers,
    envelope: {
      to: envelope.rcpt_to[0] ?? '',
      recipients: envelope.rcpt_to,
      from: envelope.mail_from,
      helo_domain: envelope.helo_domain,
      remote_ip: envelope.remote_ip,
      ...(spf && { spf: { result: spf.result, domain: spf.domain } }),
    },
    plain: content.text ?? '',
    html: content.html ?? '',
    reply_plain: email.reply_text ?? '',
    attachments: attachments.map((file) => ({
      content: file.content,
      file_name: file.filename,
      content_type: file.content_type,
      size: String(file.size_bytes),
      disposition: file.content_id ? 'inline' : 'attachment',
      content_id: file.content_id ?? undefined,
    })),
  };
}
