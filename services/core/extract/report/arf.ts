/** Reports about a single email (ARF, RFC 5965): complaints, and failed authentication (RFC 6591). */
import {
  reportedAddress,
  type FieldGroup,
  fieldGroups,
  fieldOf,
  messageIdOf,
  withoutType,
} from '../bounce/report-fields.ts';
import type { Report } from './report.ts';
import { countOf, textOrNull, timeOf } from './values.ts';

const MAX_RECIPIENTS = 100;

type Header = { name: string; value: string };
/** Microsoft's JMRP has no part for programs: the subject has the address of the server. */
const JMRP_SUBJECT = /^\s*complaint about message from ([0-9a-f.:]{3,45})\s*$/i;

/** A complaint that Microsoft sends, with the email that it is about as a file. */
export function microsoftComplaint(
  headers: readonly Header[],
  original: string,
): Report | undefined {
  const valueOf = (name: string) =>
    headers.find((header) => header.name.toLowerCase() === name)?.value;
  const [, sourceIp] = JMRP_SUBJECT.exec(valueOf('subject') ?? '') ?? [];
  const head: FieldGroup = fieldGroups(original)[0] ?? new Map();
  if (sourceIp === undefined || head.size === 0) return undefined;
  const recipient =
    fieldOf(head, 'x-hmxmroriginalrecipient') ?? fieldOf(head, 'x-original-rcpt-to') ?? '';
  const address = reportedAddress(recipient);
  return {
    kind: 'arf',
    organization: textOrNull(/@([\w.-]{1,253})/.exec(valueOf('from') ?? '')?.[1]),
    report_id: null,
    domain: null,
    from: null,
    to: null,
    feedback: {
      type: 'abuse',
      user_agent: null,
      source_ip: sourceIp,
      incidents: 1,
      auth_failure: null,
      original_mail_from: textOrNull(reportedAddress(fieldOf(head, 'return-path') ?? '')),
      original_recipients: address === undefined ? [] : [address],
      original_message_id: messageIdOf(fieldOf(head, 'message-id')),
    },
  };
}

/**
 * Undefined for text of another form.
 *
 * @param original head of the email that the report is about; empty when it is not returned
 */
export function feedbackReport(report: string, original: string): Report | undefined {
  const [fields] = fieldGroups(report);
  const kind = fields && fieldOf(fields, 'feedback-type');
  if (fields === undefined || kind === undefined) return undefined;
  const value = (name: string) => textOrNull(fieldOf(fields, name));
  const arrival = timeOf(value('arrival-date') ?? value('received-date'));
  const head: FieldGroup = fieldGroups(original)[0] ?? new Map();
  return {
    kind: 'arf',
    organization: textOrNull(withoutType(value('reporting-mta') ?? '')),
    report_id: null,
    domain: value('reported-domain'),
    from: arrival,
    to: arrival,
    feedback: {
      type: kind.toLowerCase(),
      user_agent: value('user-agent'),
      source_ip: value('source-ip'),
      incidents: countOf(value('incidents')) || 1,
      auth_failure: value('auth-failure'),
      original_mail_from: textOrNull(reportedAddress(value('original-mail-from') ?? '')),
      original_recipients: (fields.get('original-rcpt-to') ?? [])
        .slice(0, MAX_RECIPIENTS)
        .flatMap((recipient) => reportedAddress(recipient) ?? []),
      original_message_id: messageIdOf(fieldOf(head, 'message-id')),
    },
  };
}
