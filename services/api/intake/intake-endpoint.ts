/**
 * Email by HTTP, for clusters that cannot receive SMTP (docs/other-ways-in.md). A gateway receives
 * it over LMTP, so it passes the same checks and limits as any other email.
 */
import type { IncomingMessage } from 'node:http';

import { z } from 'zod';

import { EXAMPLE_EMAIL } from '../../core/resource/api-reference.ts';
import { candidatesFor, takesPart } from '../../core/address/resolution.ts';
import { AppError, unavailable } from '../../core/error/app-error.ts';
import type { TokenIdentity } from '../../core/token/token.ts';
import type { Recipient } from '../../core/address/recipient.ts';
import {
  INTAKE_HEADERS,
  readEnvelope,
  RecipientResult,
  requireAccepted,
  type SubmittedEnvelope,
  submittedRecipient,
  unknownRecipient,
} from '../../core/smtp/intake.ts';
import type { Submission, Submit } from '../../adapters/smtp/lmtp-client.ts';
import { defineEndpoint, type Endpoint, type HeaderParameter } from '../http/endpoint.ts';
import { createUploads } from './uploads.ts';

type IntakeEndpointDependencies = {
  /** The current address with this name. */
  recipients: (address: string) => Promise<Recipient | undefined>;
  /** undefined when this installation has no LMTP. */
  submit: Submit | undefined;
};

const INTAKE_PARAMETERS: HeaderParameter[] = [
  {
    name: INTAKE_HEADERS.rcptTo,
    required: true,
    description: 'recipients of the envelope, separated by commas: 100 at most',
    schema: { type: 'string', minLength: 1 },
    example: 'orders@in.example.com',
  },
  {
    name: INTAKE_HEADERS.mailFrom,
    required: false,
    description: 'sender of the envelope; absent or empty for a bounce',
    schema: { type: 'string' },
    example: 'ann@sender.example',
  },
  {
    name: INTAKE_HEADERS.remoteIp,
    required: false,
    description:
      'IP address of the mail server that sent the email: SPF is checked for it; by default the ' +
      'address of the client of this request',
    schema: { type: 'string' },
    example: '203.0.113.7',
  },
  {
    name: INTAKE_HEADERS.heloDomain,
    required: false,
    description: 'name of that mail server in EHLO',
    schema: { type: 'string' },
    example: 'mx.sender.example',
  },
];

export function intakeEndpoint({ recipients, submit }: IntakeEndpointDependencies): Endpoint {
  const uploads = createUploads();
  const mayReach = async (caller: TokenIdentity, text: string, now: Date): Promise<boolean> => {
    const found = await Promise.all((candidatesFor(text) ?? []).map(({ key }) => recipients(key)));
    const recipient = found.find((one) => one && takesPart(one, now));
    return (
      recipient?.account_id === caller.account_id && recipient.environment === caller.environment
    );
  };

  return defineEndpoint({
    call: 'POST /intake',
    operationId: 'submitEmail',
    summary: 'Submit an email that another mail server or a worker received',
    permission: 'mail:submit',
    tag: 'deliveries',
    receives: { mediaType: 'message/rfc822', headers: INTAKE_PARAMETERS, example: EXAMPLE_EMAIL },
    response: z.object({ recipients: z.array(RecipientResult) }),
    handle: async ({ caller, connection, request, now }) => {
      const envelope = readEnvelope(request.headers, connection.source);
      using upload = uploads.begin(caller.account_id, connection, request);
      if (submit === undefined)
        throw unavailable(new Error('INTAKE_LMTP is not set, so no gateway receives this email'));
      const reached = await Promise.all(
        envelope.recipients.map((recipient) => mayReach(caller, recipient, now)),
      );
      const own = envelope.recipients.filter((_, index) => reached[index]);
      const replies =
        own.length === 0
          ? []
          : await submitted(submit, envelope, own, {
              ...lengthOf(request),
              content: upload.content,
            });
      const remaining = replies.values();
      const results = envelope.recipients.map((recipient, index) =>
        reached[index]
          ? submittedRecipient(recipient, remaining.next().value ?? '')
          : unknownRecipient(recipient),
      );
      requireAccepted(results);
      return { recipients: results };
    },
  });
}

function lengthOf({ headers }: IncomingMessage): Pick<Submission, 'sizeBytes'> {
  const length = headers['content-length'];
  return { sizeBytes: length === undefined ? undefined : Number(length) };
}

/**
 * @throws AppError `unavailable`: the email may be stored, and can be sent again (D32);
 * `request_timeout` when the client is too slow
 */
async function submitted(
  submit: Submit,
  { mailFrom, remoteIp, heloDomain }: SubmittedEnvelope,
  recipients: readonly string[],
  email: Pick<Submission, 'sizeBytes' | 'content'>,
): Promise<string[]> {
  try {
    return await submit({ mailFrom, recipients, remoteIp, heloDomain, ...email });
  } catch (cause) {
    throw cause instanceof AppError ? cause : unavailable(cause);
  }
}
