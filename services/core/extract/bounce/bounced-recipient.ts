/** What a bounce says about one recipient, and how its words become a status (RFC 3463). */
import { z } from 'zod';
import { cutText } from '../../text/text.ts';
import { orNull } from '../../resource/described.ts';

export const BouncedRecipient = z.object({
  address: z.string().describe('whom the earlier email was for'),
  action: z
    .enum(['failed', 'delayed', 'delivered', 'relayed', 'expanded'])
    .describe(
      'what happened (RFC 3464): given up, still being tried, delivered, handed to a server that ' +
        'sends no reports, or sent on to several addresses',
    ),
  status: orNull(z.string(), 'status of three numbers (RFC 3463); null when the bounce says none'),
  diagnostic: z
    .string()
    .nullable()
    .describe('reply of the server that refused it, or the reason in words; null without one'),
  is_permanent: z
    .boolean()
    .describe(
      'whether another email to the address would probably fail too: the delivery was given up, ' +
        'and the status or the code of the reply begins with 5',
    ),
});
export type BouncedRecipient = z.infer<typeof BouncedRecipient>;

const DIAGNOSTIC_MAX_CHARS = 1_000;
/** Some programs repeat the name and the type of the field in its value. */
const DIAGNOSTIC_LABEL = /^diagnostic[- ]code: ?(?:smtp; ?)?/i;
/** Not a part of an IP address or of a version. */
const STATUS = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d]|\.\d)/;
const REPLY = /(?<![\d.\w-])([45])\d\d(?=[ :;,'-]|$)(?! ?(days?|hours?|minutes?|seconds?|bytes)\b)/;

/** Whether the text has a status or the code of an SMTP reply. */
export const hasCode = (text: string): boolean => STATUS.test(text) || REPLY.test(text);

/** @param facts as the bounce writes them; undefined for what it does not say */
export function recipientOf(facts: {
  address: string;
  action: BouncedRecipient['action'] | undefined;
  status: string | undefined;
  diagnostic: string | undefined;
}): BouncedRecipient {
  const diagnostic = (facts.diagnostic ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(DIAGNOSTIC_LABEL, '');
  const status = statusOf(facts.status ?? '', diagnostic);
  const kind = status?.[0] ?? REPLY.exec(diagnostic)?.[1];
  const action = facts.action ?? (kind === '2' ? 'delivered' : 'failed');
  return {
    address: facts.address,
    action,
    status: status ?? null,
    diagnostic: cutText(diagnostic, DIAGNOSTIC_MAX_CHARS) || null,
    is_permanent: action === 'failed' && kind === '5',
  };
}

/** A status such as 5.0.0 says no more than its class, so that of the reply is better. */
function statusOf(named: string, diagnostic: string): string | undefined {
  const status = STATUS.exec(named)?.[1];
  const replied = STATUS.exec(diagnostic)?.[1];
  if (status === undefined) return replied;
  return status.endsWith('.0.0') && replied?.[0] === status[0] ? replied : status;
}
