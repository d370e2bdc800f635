/** The fields of a search of deliveries, for the list and for the bulk replay. */
import { z } from 'zod';

import { Tag } from '../../core/address/rule.ts';
import { AppError } from '../../core/app-error.ts';
import { THREAD_ID } from '../../core/mail/thread.ts';
import { searchedTerms, VERDICTS } from '../../core/delivery/search-terms.ts';
import { textField } from '../../core/resource/text-field.ts';

const SEARCH_MAX_CHARS = 200;
const anyVerdict = `(${VERDICTS.join('|')})`;
const person = 'an address, a domain such as @example.com, or words (or beginnings, `ann*`) of';

/** An email matches all of them. */
export const searchFields = {
  sender: textField({ minChars: 1, maxChars: SEARCH_MAX_CHARS })
    .optional()
    .describe(`only emails from this sender: ${person} the name or of the part before the @`),
  recipient: textField({ minChars: 1, maxChars: SEARCH_MAX_CHARS })
    .optional()
    .describe(`only emails to this mailbox: ${person} the part before the @`),
  subject: textField({ minChars: 1, maxChars: SEARCH_MAX_CHARS })
    .optional()
    .describe(
      'only emails with all these words in the subject, without case: whole words, or beginnings ' +
        'such as `inv*` of three letters or more',
    ),
  tag: Tag.optional().describe('only emails with this tag, which a rule added'),
  thread: z
    .string()
    .regex(THREAD_ID)
    .optional()
    .describe('only emails of this conversation: the thread_id of a payload or of a delivery'),
  has: z
    .enum(['attachment'])
    .optional()
    .describe('only emails with an attachment; images within the HTML do not count'),
  verdict: z
    .string()
    .regex(new RegExp(`^${anyVerdict}(,${anyVerdict}){0,3}$`))
    .optional()
    .describe(`only emails with all these problems, separated by commas: ${VERDICTS.join(', ')}`),
};
const SearchFields = z.object(searchFields);
type SearchFields = z.infer<typeof SearchFields>;

/** The terms that an email must have; undefined when nothing is searched. */
export const termsOf = ({ verdict, ...search }: SearchFields): string[] | undefined =>
  searchedTerms({ ...search, verdict: verdict?.split(',') });

export const searchIsTooWide = (): AppError =>
  new AppError(
    'validation_failed',
    'This search reads too many emails: add a later start_date or a rarer word',
    { details: { field: 'start_date', code: 'too_small' } },
  );
