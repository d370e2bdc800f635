/** The request that Inlet sends to receivers: its headers, and an example whose signature holds. */
import { signatureHeaders, signingKeys } from '../../core/webhook/signature.ts';
import { buildPayload } from '../../core/webhook/payload.ts';
import { writtenPayload } from '../../core/webhook/payload-bytes.ts';
import { mailTrace, traceparent } from '../../core/trace-context.ts';
import { VERSION } from '../../core/version.ts';
import { VERIFY_SAMPLE } from './verify-sample.ts';

const SECRET_BYTES = 'inlet example secret, 32 bytes!!';

/** The secret that signs the example. */
export const EXAMPLE_SECRET = `whsec_${Buffer.from(SECRET_BYTES).toString('base64')}`;

export const EXAMPLE_TIME = new Date('2026-11-21T08:00:02Z');
const RECEIVED_AT = new Date('2026-11-21T08:00:01.973Z');
const EVENT_ID = 'evt_01k9x0v7n3m4q8r2s6t1w5y9za';
const TEXT = 'Please send another one.\n\nAnn';

export const EXAMPLE_PAYLOAD = writtenPayload(
  buildPayload({
    eventId: EVENT_ID,
    addressId: 'addr_01k9wzq4c2d6f8g1h3j5k7m9np',
    envelope: {
      mailFrom: 'ann@sender.example',
      heloDomain: 'mx.sender.example',
      remoteIp: '192.0.2.25', // RFC 5737
    },
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

export const EXAMPLE_HEADERS = signatureHeaders({
  eventId: EVENT_ID,
  body: Buffer.from(EXAMPLE_BODY),
  keys: [signingKeys(EXAMPLE_SECRET)],
  now: EXAMPLE_TIME,
});

export const EXAMPLE_TRACE_ID = mailTrace(EVENT_ID).traceId;
const EXAMPLE_TRACEPARENT = traceparent(
  EXAMPLE_TRACE_ID,
  '00f067aa0ba902b7', // of www.w3.org/TR/trace-context
  false,
);

const DESCRIPTION = [
  'An HTTPS POST to the `webhook_url` of the address. Respond with 2xx within 30 seconds.',
  'Verify the signature over the raw bytes of the body before you use it. There are two schemes, and ' +
    'either is enough:',
  '- `Svc-Signature` has the value `v1,t=<unix seconds>,s=<hex>`. Compute the HMAC-SHA256 of ' +
    '`<t>.<body>`, keyed with the whole `webhook_secret` as UTF-8 text, and compare it in constant ' +
    'time with each `s`. Reject the request when `t` is more than 300 seconds from now.\n' +
    '- The `webhook-*` headers follow Standard Webhooks, so its libraries verify them.',
  'The `event_id` is the same on every attempt: use it to ignore duplicates. New fields may be added: ' +
    'ignore fields that you do not know.',
  `The example is signed with the secret \`${EXAMPLE_SECRET}\`; the signed body is its compact JSON.`,
].join('\n\n');

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** `post` of the webhook. @param payloadSchema reference to the component WebhookPayload */
export const webhookOperation = (payloadSchema: { $ref?: string }) => ({
  operationId: 'receiveEmail',
  tags: ['webhook'],
  summary: 'Receive an email',
  description: DESCRIPTION,
  security: [],
  'x-codeSamples': [VERIFY_SAMPLE],
  parameters: [
    header(
      'Svc-Signature',
      'Signature version, Unix time and HMAC-SHA256 in hex; one `s` for each valid secret',
      EXAMPLE_HEADERS['svc-signature'],
    ),
    header('webhook-id', 'The event_id', EXAMPLE_HEADERS['webhook-id']),
    header(
      'webhook-timestamp',
      'Unix time of the attempt in seconds',
      EXAMPLE_HEADERS['webhook-timestamp'],
    ),
    header(
      'webhook-signature',
      'Standard Webhooks signatures, separated by spaces; one for each valid secret',
      EXAMPLE_HEADERS['webhook-signature'],
    ),
    header(
      'traceparent',
      'W3C Trace Context: the same trace id on every attempt, and the span of this one',
      EXAMPLE_TRACEPARENT,
    ),
    header('User-Agent', 'Name and version of the sender', `Inlet/${VERSION}`),
  ],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: payloadSchema,
        examples: { email: { summary: 'An order with one attachment', value: EXAMPLE_PAYLOAD } },
      },
    },
  },
  responses: {
    '2XX': { description: 'Accepted: the delivery is complete' },
    '429': { description: 'Retried on the schedule, not before Retry-After' },
    '5XX': { description: 'Retried on the schedule, and so are timeouts and connection errors' },
    default: { description: 'Final: the delivery has failed and is not retried' },
  },
});
