/** The query and body fields that limit a list to a time range. */
import { z } from 'zod';

import { endOf, startOf } from '../../../core/time/date-range.ts';
import { issueOf } from '../../../core/error/app-error.ts';

/** The schema of a time or a day in the document. */
const TIME_OR_DAY = {
  anyOf: [
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'date' },
  ],
} as const;

const TIME_OR_DAY_TEXT = 'must be a day or a time, such as 2027-01-31 or 2027-01-31T08:00:00Z';

/** The beginning of what a request asks for. */
export const SINCE = z
  .string()
  .refine((text) => startOf(text) !== undefined, TIME_OR_DAY_TEXT)
  .meta({ anyOf: [...TIME_OR_DAY.anyOf] })
  .optional();

const bound = (read: (text: string) => Date | undefined) =>
  z
    .string()
    .transform((text, context) => {
      const date = read(text);
      if (date !== undefined) return date;
      context.issues.push(issueOf('invalid_value', text, TIME_OR_DAY_TEXT));
      return z.NEVER;
    })
    .meta({ anyOf: [...TIME_OR_DAY.anyOf] });

export const dateFields = {
  start_date: bound(startOf)
    .optional()
    .describe('ISO 8601 time or date: start of the range, inclusive'),
  end_date: bound(endOf)
    .optional()
    .describe('ISO 8601 time (exclusive) or date (inclusive): end of the range'),
};
