/** The field `description`, which nearly every resource has: free text, for people only. */
import { z } from 'zod';

import { textField } from './text-field.ts';

export const DESCRIPTION_MAX_CHARS = 500; // D9

export const descriptionText = textField({ maxChars: DESCRIPTION_MAX_CHARS }).describe('free text');

export const description = {
  record: z.string().nullable(),
  view: z.string().nullable(),
  create: descriptionText.nullable().optional(),
  change: descriptionText.nullable().optional(),
  spec: z.string().max(DESCRIPTION_MAX_CHARS).optional().describe('free text, which the API shows'),
  default: null,
};
