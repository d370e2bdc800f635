/** The requests that Inlet sends to receivers, as operations of the document. */
import { EXAMPLE } from '../../core/resource/api-reference.ts';
import { NOTIFICATION_TYPES } from '../../core/notification/notification.ts';
import { exampleNotification } from '../../core/notification/notification-payload.ts';
import { mailTrace, traceparent } from '../../core/id/trace-context.ts';
import { VERSION } from '../../core/version.ts';
import { EXAMPLE_HEADERS, EXAMPLE_PAYLOAD } from '../../core/webhook/example.ts';
import { VERIFY_SAMPLE } from './verify-sample.ts';

const EXAMPLE_TRACEPARENT = traceparent(
  mailTrace(EXAMPLE.event_id).traceId,
  '00f067aa0ba902b7', // the example in www.w3.org/TR/trace-context
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
  `The example is signed with the secret \`${EXAMPLE.webhook_secret}\`; the signed body is its compact JSON.`,
].join('\n\n');

const header = (name: string, description: string, example: string, required = true) => ({
  name,
  in: 'header' as const,
  required,
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
      'Signature version, Unix time and HMAC-SHA256 in hex; one `s` for each valid secret; absent ' +
        'for receivers with `signing: ed25519`',
      EXAMPLE_HEADERS['svc-signature'],
      false,
    ),
    header('webhook-id', 'The event_id', EXAMPLE_HEADERS['webhook-id']),
    header(
      'webhook-timestamp',
      'Unix time of the attempt in seconds',
      EXAMPLE_HEADERS['webhook-timestamp'],
    ),
    header(
      'webhook-signature',
      'Standard Webhooks signatures, separated by spaces; one for each valid secret, or private key ' +
        '(`v1a,`)',
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

/** The same request as for an email, with another payload. */
export const notificationOperation = (payload: { $ref?: string }) => {
  const email = webhookOperation(payload);
  return {
    ...email,
    operationId: 'receiveNotification',
    summary: 'Receive an event of the account',
    description:
      'An HTTPS POST to the `url` of a notification. Headers, signature, retries and responses are ' +
      'those of an email.',
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: payload,
          examples: Object.fromEntries(
            NOTIFICATION_TYPES.map((type) => [
              type.replace('.', '_'),
              { summary: type, value: exampleNotification(type) },
            ]),
          ),
        },
      },
    },
  };
};
