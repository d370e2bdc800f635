/** Whether a person wrote an email. Programs that reply to email need to know (RFC 3834). */
export type MailKind = {
  /** Written by a program: an automatic reply could start a loop. */
  auto_submitted: boolean;
  is_bounce: boolean;
  is_list: boolean;
};

type Facts = {
  /** Envelope sender; empty for the null sender. */
  mailFrom: string;
  headers: readonly { name: string; value: string }[];
};

const AUTOMATIC_SENDERS = /^(mailer-daemon|no-?reply|do-?not-?reply)(@|$)/i;
/** Authors of bounces. A person may write as postmaster. */
const DAEMON = /\bmailer[-_]?daemon\b/;
const POSTMASTER = /(^|<)post_?master(@|>|$)/;
/** Subjects of bounces that are not reports (RFC 3464), as mail servers and filters write them. */
const FAILURE = new RegExp(
  '^(undeliver(able|ed)\\b|non-?deliverable\\b|returned mail\\b|failure notice\\b|' +
    '(mail |message )?delivery (has )?(fail|problem|error|delayed|notification|status notification)|' +
    'mail (could not be delivered|system error)|warning: (message delayed|could not send)|' +
    'メッセージを配信できません)',
);
/** Headers that only programs set. */
const AUTOMATIC_HEADERS = [
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-auto-reply-from',
  'x-mail-autoreply',
];
const LIST_HEADERS = [
  'list-id',
  'list-post',
  'list-unsubscribe',
  'list-help',
  'list-subscribe',
  'list-owner',
  'mailing-list',
  'x-mailing-list',
];

export function mailKind({ mailFrom, headers }: Facts): MailKind {
  const byName = Map.groupBy(headers, ({ name }) => name.toLowerCase());
  const values = (name: string) =>
    (byName.get(name) ?? []).map(({ value }) => value.trim().toLowerCase());
  const has = (name: string) => byName.has(name);
  const says = (name: string, pattern: RegExp) => values(name).some((value) => pattern.test(value));

  const isReport = says('content-type', /^multipart\/report\b/);
  const isDeliveryReport =
    isReport &&
    (says('content-type', /report-type\s*=\s*"?(delivery-status|global-delivery-status)\b/) ||
      (mailFrom === '' && !says('content-type', /report-type\s*=/)));
  const signs = [mailFrom === '', says('from', POSTMASTER), says('subject', FAILURE)];
  const isBounce =
    isDeliveryReport ||
    has('x-failed-recipients') ||
    (!isReport && (says('from', DAEMON) || signs.filter(Boolean).length >= 2));
  const isReply =
    isBounce || says('auto-submitted', /^auto-replied\b/) || AUTOMATIC_HEADERS.some(has);
  const isList =
    LIST_HEADERS.some(has) ||
    says('precedence', /^list$/) ||
    (says('precedence', /^bulk$/) && !isReply); // Gmail's vacation replies are called bulk
  const isAutomatic =
    values('auto-submitted').some((value) => value !== '' && !/^no\b/.test(value)) || // RFC 3834 §5
    mailFrom === '' ||
    AUTOMATIC_SENDERS.test(mailFrom) || // RFC 3834 §2
    says('x-auto-response-suppress', /\b(all|autoreply|oof)\b/) || // [MS-OXCMAIL] §2.2.3.2.14
    says('precedence', /^(auto[-_]reply|bulk|junk)$/) ||
    isReport ||
    isReply;
  return { auto_submitted: isAutomatic, is_bounce: isBounce, is_list: isList };
}
