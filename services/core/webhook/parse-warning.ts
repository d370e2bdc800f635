/** Problems of an email that its payload reports. */
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';

/**
 * Part of the contract: their meaning does not change. docs/receiving-webhooks.md explains each.
 */
export const PARSE_WARNING_CODES = [
  'bare_line_ends',
  'boundary_too_long',
  'cut_for_hook',
  'e_invoice_unreadable',
  'extraction_failed',
  'guessed_charset',
  'hidden_text',
  'invalid_encoding',
  'invitation_unreadable',
  'malformed_headers',
  'no_parts_found',
  'parse_failed',
  'parse_out_of_memory',
  'parse_timeout',
  'parts_behind_end',
  'protected_headers_differ',
  'repeated_header',
  'report_unreadable',
  'rules_timeout',
  'text_outside_parts',
  'text_too_long',
  'tnef_unreadable',
  'too_deep',
  'too_many_headers',
  'too_many_parts',
  'unclear_author',
  'wrong_charset',
] as const;

export const ParseWarning = z.object({
  code: z
    .string()
    .describe(`for programs: ${PARSE_WARNING_CODES.join(', ')}; new codes may be added`),
  message: z.string().describe('for people'),
});
export type ParseWarning = z.infer<typeof ParseWarning>;
describeSchema(ParseWarning, 'ParseWarning');

/** What depends on them is held. */
export const NOT_EVALUATED = {
  code: 'rules_timeout',
  message: 'Rules or filters took too long for this email: they were not evaluated',
} as const satisfies ParseWarning;
