/** What expressions know of a small email, with a chosen result of DMARC. */
import type { ExpressionFacts } from '../../../services/core/expression/variables.ts';
import { UNKNOWN } from '../../../services/core/mail/authentication.ts';
import { NOT_CHECKED } from '../../../services/core/mail/spam.ts';

type Asked = { from: string; subject: string; dmarc: 'pass' | 'fail' | 'none' | 'temperror' };

export function expressionFacts({ from, subject, dmarc }: Asked): ExpressionFacts {
  const domain = from.replace(/.*@/, '').replace('>', '');
  const isSilent = dmarc === 'temperror';
  return {
    envelope: {
      mail_from: 'bounce@partner.example',
      rcpt_to: ['box@in.example'],
      helo_domain: 'mx.partner.example',
      remote_ip: '192.0.2.1',
    },
    headers: {
      from,
      to: 'box@in.example',
      cc: null,
      bcc: null,
      subject,
      date: '2026-11-21T08:00:00Z',
      message_id: null,
      in_reply_to: null,
      references: null,
      reply_to: null,
      all: [
        { name: 'From', value: from },
        { name: 'Subject', value: subject },
      ],
    },
    content: { size_bytes: 100 },
    attachments: [],
    spam: NOT_CHECKED,
    authentication: {
      ...UNKNOWN,
      dmarc: { ...UNKNOWN.dmarc, result: dmarc, domain: isSilent ? null : domain },
    },
    plus_tag: null,
    auto_submitted: false,
    is_bounce: false,
    is_list: false,
    metadata: { received_at: '2026-11-21T08:00:01Z' },
  };
}
