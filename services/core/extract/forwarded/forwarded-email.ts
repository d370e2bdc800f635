/** What a forwarded email says about its original. All of it is a claim of the forwarder. */
import { z } from 'zod';

import { describeSchema } from '../../resource/api-reference.ts';

const text = z.string().nullable();

export const Forwarded = z.object({
  by: text.describe('address that forwarded it; null when the email names none'),
  kind: z
    .enum(['inline', 'attached', 'automatic'])
    .describe(
      'in the text below its headers, as a file (message/rfc822), or sent on by a server, which ' +
        'changes nothing but a few headers',
    ),
  original: z.object({
    from: text.describe('as the email writes it, as are the fields below'),
    to: text,
    cc: text,
    date: text,
    subject: text,
    text: text.describe('at most 65,536 characters; null for an email without text'),
  }),
  depth: z.int().describe('how often it was forwarded, as far as its text or files show'),
});
export type Forwarded = z.infer<typeof Forwarded>;
describeSchema(Forwarded, 'ExtractedForwarded', {
  by: 'bob@example.net',
  kind: 'inline',
  original: {
    from: 'Ann Reed <ann@example.com>',
    to: 'bob@example.net',
    cc: null,
    date: 'Mon, May 4, 2026 at 10:11 AM',
    subject: 'Order 4711',
    text: 'Please find the order attached.',
  },
  depth: 1,
});

export const ForwardingRequest = z.object({
  address: text.describe('mailbox whose email would be forwarded'),
  code: text.describe('that confirms the forwarding'),
  url: text.describe('link that confirms the forwarding; never fetched'),
});
export type ForwardingRequest = z.infer<typeof ForwardingRequest>;
describeSchema(ForwardingRequest, 'ExtractedForwardingRequest', {
  address: 'ann@example.com',
  code: '482913048',
  url: 'https://mail-settings.example.com/mail/vf-4f2a',
});
