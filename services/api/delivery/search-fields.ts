/** The fields of a search of deliveries, for the list and for the bulk replay. */
import { z } from 'zod';

import type { Accounts } from '../../adapters/mongo/account/accounts.ts';
import type { Owned } from '../../core/address/scope.ts';
import { Tag } from '../../core/rule/rule.ts';
import { AppError, fieldConflict } from '../../core/error/app-error.ts';
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
  text: textField({ minChars: 1, maxChars: SEARCH_MAX_CHARS })
    .optional()
    .describe(
      'only emails with all these words in the subject or in the first 64 KB of the text, as for ' +
        'subject; 422 where texts are not searched: see search_bodies of the account',
    ),
  tag: Tag.optional().describe('only emails with this tag, which a rule added'),
  thread: z
    .string()
    .regex(THREAD_ID, 'must be the id of a conversation, which begins with thr_')
    .optional()
    .describe('only emails of this conversation: the thread_id of a payload or of a delivery'),
  has: z
    .enum(['attachment'])
    .optional()
    .describe('only emails with an attachment; images within the HTML do not count'),
  verdict: z
    .string()
    .regex(
      new RegExp(`^${anyVerdict}(,${anyVerdict}){0,3}$`),
      `must be 1 to 4 of ${VERDICTS.join(', ')}, separated by commas`,
    )
    .optional()
    .describe(`only emails with all these problems, separated by commas: ${VERDICTS.join(', ')}`),
};
const SearchFields = z.object(searchFields);
type SearchFields = z.infer<typeof SearchFields>;

/** The terms that an email must have; undefined when nothing is searched. */
export type TermsOf = (
  caller: Pick<Owned, 'account_id'>,
  search: SearchFields,
) => Promise<string[] | undefined>;

/** @param isOffered whether this installation searches texts */
export function createTermsOf(accounts: Pick<Accounts, 'find'>, isOffered: boolean): TermsOf {
  return async function termsOf({ account_id }, { verdict, ...search }) {
    if (search.text !== undefined) {
      if (!isOffered) throw textIsNotSearched('SEARCH_BODIES of this installation is off');
      const account = await accounts.find(account_id);
      if (!account?.settings.search_bodies)
        throw textIsNotSearched('settings.search_bodies of the account is off');
    }
    return searchedTerms({ ...search, verdict: verdict?.split(',') });
  };
}

const textIsNotSearched = (reason: string): AppError =>
  fieldConflict('text', `The text of emails is not searched: ${reason}`);

export const searchIsTooWide = (): AppError =>
  new AppError(
    'validation_failed',
    'This search reads too many emails: add a later start_date or a rarer word',
    { details: { field: 'start_date', code: 'too_small' } },
  );
