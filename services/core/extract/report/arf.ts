/** Reports about a single email (ARF, RFC 5965): complaints, and failed authentication (RFC 6591). */
import {
  addressOf,
  type FieldGroup,
  fieldGroups,
  fieldOf,
  messageIdOf,
  withoutType,
} from '../bounce/report-fields.ts';
import type { Report } from './report.ts';
import { countOf, textOf, timeOf } from './values.ts';

const MAX_RECIPIENTS = 100;

/**
 * Undefined for text of another form.
 *
 * @param original head of the email that the report is about; empty when it is not returned
 */
export function feedbackReport(report: string, original: string): Report | undefined {
  const [fields] = fieldGroups(report);
  const kind = fields && fieldOf(fields, 'feedback-type');
  if (fields === undefined || kind === undefined) return undefined;
  const value = (name: string) => textOf(fieldOf(fields, name));
  const arrival = timeOf(value('arrival-date') ?? value('received-date'));
  const head: FieldGroup = fieldGroups(original)[0] ?? new Map();
  return {
    kind: 'arf',
    organization: textOf(withoutType(value('reporting-mta') ?? '')),
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
      original_mail_from: textOf(addressOf(value('original-mail-from') ?? '')),
      original_recipients: (fields.get('original-rcpt-to') ?? [])
        .slice(0, MAX_RECIPIENTS)
        .flatMap((recipient) => addressOf(recipient) ?? []),
      original_message_id: messageIdOf(fieldOf(head, 'message-id')),
    },
  };
}
