/** The query and body fields that narrow a list to a range of time. */
import { z } from 'zod';

import { endOf, startOf } from '../../core/date-range.ts';
import { issueOf } from '../http/validation.ts';

const bound = (read: (text: string) => Date | undefined) =>
  z
    .string()
    .transform((text, context) => {
      const date = read(text);
      if (date !== undefined) return date;
      context.issues.push(issueOf('invalid_value', text));
      return z.NEVER;
    })
    .meta({ anyOf: [{ format: 'date-time' }, { format: 'date' }] });

export const dateFields = {
  start_date: bound(startOf).optional().describe('ISO 8601: from this time or day on'),
  end_date: bound(endOf)
    .optional()
    .describe('ISO 8601: before this time, or to the end of this day'),
};
