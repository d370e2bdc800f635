/** The envelope and all headers, in the order of the email. */
import type { Email } from '../../../../core/api/api-types.generated.ts';
import { formatSize } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { plain } from '../../../parts/plain-text.ts';
import { emailText } from '../../../strings/mail/email.ts';

/** An email has at most one of each (RFC 5322 §3.6). */
const UNIQUE = ['from', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id'];

export function HeadersView({ email: { envelope, headers, content } }: { email: Email }) {
  const names = headers.all.map(({ name }) => name.toLowerCase());
  const isRepeated = (name: string) =>
    UNIQUE.includes(name.toLowerCase()) &&
    names.filter((one) => one === name.toLowerCase()).length > 1;
  const rows: [string, string][] = [
    [emailText.mailFrom, envelope.mail_from || emailText.nullSender],
    [emailText.rcptTo, envelope.rcpt_to.join(', ')],
    [emailText.helo, envelope.helo_domain],
    [emailText.remoteIp, envelope.remote_ip],
    [emailText.size, formatSize(content.size_bytes)],
  ];
  return (
    <div class="card">
      <h2>{emailText.envelope}</h2>
      <dl class="headers">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{plain(value)}</dd>
          </div>
        ))}
      </dl>
      <h2>{emailText.messageHeaders}</h2>
      <dl class="headers">
        {headers.all.map(({ name, value }, n) => (
          <div key={n}>
            <dt>{plain(name)}</dt>
            <dd dir="auto">
              {plain(value)}
              {isRepeated(name) && (
                <span class="header-warning">
                  <Icon name="warning" /> {emailText.repeated}
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
