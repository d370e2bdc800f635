/** The webhook of the API reference, whose signature holds. */
import { EXAMPLE } from '../resource/api-reference.ts';
import { buildPayload } from './build-payload.ts';
import { writtenPayload } from './payload-bytes.ts';
import { signatureHeaders, signingKeys, svcSignature } from './signature.ts';

export const EXAMPLE_TIME = new Date(EXAMPLE.now);
const RECEIVED_AT = new Date('2026-11-21T08:00:01.973Z');
const TEXT = 'Please send another one.\n\nAnn';

export const EXAMPLE_PAYLOAD = writtenPayload(
  buildPayload({
    eventId: EXAMPLE.event_id,
    addressId: EXAMPLE.address_id,
    envelope: {
      mailFrom: 'ann@sender.example',
      heloDomain: 'mx.sender.example',
      remoteIp: '192.0.2.25', // RFC 5737
    },
    named: ['orders@in.example.com'],
    rcptTo: ['orders@in.example.com'],
    mail: {
      headers: {
        from: 'Ann <ann@sender.example>',
        to: 'orders@in.example.com',
        cc: null,
        bcc: null,
        subject: 'Order 7',
        date: new Date('2026-11-21T08:00:00Z'),
        message_id: '<7@sender.example>',
        in_reply_to: null,
        references: null,
        reply_to: null,
        all: [
          { name: 'From', value: 'Ann <ann@sender.example>' },
          { name: 'To', value: 'orders@in.example.com' },
          { name: 'Subject', value: 'Order 7' },
        ],
      },
      text: TEXT,
      html: null,
      replyText: null,
      attachments: [
        {
          filename: 'order.txt',
          contentType: 'text/plain',
          contentId: null,
          disposition: 'attachment',
          method: null,
          content: Buffer.from('1 sprocket\n'),
        },
      ],
      warnings: [],
    },
    sizeBytes: 812,
    spam: {
      score: 0,
      verdict: 'not_spam',
      details: { spf: 'pass', dkim: 'pass', dmarc: 'pass' },
      scored_by: 'inlet',
      rules: [],
    },
    authentication: {
      spf: { result: 'pass', domain: 'sender.example', reason: null },
      dkim: [
        { result: 'pass', domain: 'sender.example', selector: 's1', aligned: true, reason: null },
      ],
      dmarc: {
        result: 'pass',
        domain: 'sender.example',
        policy: 'reject',
        alignment: { spf: true, dkim: true },
        override: null,
        reason: null,
      },
      arc: { result: 'none', chain: [], reason: null },
      iprev: { result: 'pass', name: 'mx.sender.example' },
    },
    receivedAt: RECEIVED_AT,
    now: EXAMPLE_TIME,
  }),
);

/** The bytes that the example signature covers. */
export const EXAMPLE_BODY = JSON.stringify(EXAMPLE_PAYLOAD);

const signed = {
  eventId: EXAMPLE.event_id,
  body: Buffer.from(EXAMPLE_BODY),
  keys: [signingKeys(EXAMPLE.webhook_secret)],
  now: EXAMPLE_TIME,
};
export const EXAMPLE_HEADERS = {
  ...signatureHeaders(signed),
  'svc-signature': svcSignature(signed),
};
