/** Texts of the mail screens. */
import type { DeliveryListItem } from '../../../core/api/api-types.generated.ts';
import { screenTitles } from '../screens.ts';

/** Why a text is not searched, with the words at fault. */
export type SearchProblem =
  | { kind: 'unknown_field'; field: string }
  | { kind: 'unknown_value'; field: string; value: string }
  | { kind: 'no_words' };

/** The one word for each state, which docs/glossary.md has, too. */
const STATUS = {
  delivered: 'Delivered',
  retrying: 'Retrying',
  failed: 'Failed',
  pending: 'Pending',
  held: 'Held',
  dropped: 'Dropped',
} satisfies Record<DeliveryListItem['status'], string>;

const FIELDS = 'from:, to:, subject:, text:, status:, is:, has:, verdict:, tag: or thread:';
const STATES = 'delivered, waiting, retrying, failed, pending, held or dropped';
const RESULTS = 'spam, or a result such as spf=fail, dkim=fail or dmarc=fail';

export const mailText = {
  title: screenTitles.mail,
  list: 'Emails, newest first',
  views: 'Accepted or refused',
  view: { accepted: 'Accepted', refused: 'Refused' },
  count: (total: string) => `${total} deliveries`,
  countAtLeast: (total: string) => `${total} deliveries or more`,
  receivers: (count: string) => `${count} receivers`,
  ownReceiver: 'the address',
  furtherReceiver: 'further receiver',
  reload: 'Reload the list',
  search: 'Search mail',
  searchButton: 'Search',
  searchPlaceholder: 'Subject, evt_…, or from: to: status: has:attachment',
  searchHint:
    'Words of the subject, or of the text after text:, or the id of an email. ' +
    'from: and to: take an address, a domain or a name, tag: a tag of a rule, thread: the id of a ' +
    `conversation, has: attachment, is: ${STATES}, or ${RESULTS}.`,
  searchProblem: (problem: SearchProblem): string =>
    problem.kind === 'no_words'
      ? 'Search for words of two letters or more. Punctuation is not searched.'
      : problem.kind === 'unknown_field'
        ? `There is no field ${problem.field}: – use ${FIELDS}. Put words with a colon in quotes.`
        : `${problem.field}: cannot be “${problem.value}”. ${SEARCHED_VALUES[problem.field] ?? ''}`,
  beginnings: 'No email has these whole words. These have words that begin with them.',
  moreFilters: 'Filters',
  allStatuses: 'All',
  status: STATUS,
  /** Pending and retrying emails are waiting. */
  states: { ...STATUS, waiting: 'Waiting' },
  ends: {
    canceled: 'Canceled',
    lost: 'Lost',
    expired: 'Not delivered in time',
    backlog_full: 'Too many waited',
  },
  stored: 'Stored',
  forged: 'Forged?',
  statusFilter: 'Status',
  address: 'Address',
  anyAddress: 'Any address',
  olderAddresses: 'For an older one, use Recipient',
  recipient: 'Recipient',
  recipientPlaceholder: 'orders@in.example.com',
  verdict: 'Problem',
  anyVerdict: 'Any, or none',
  verdicts: {
    spam: 'Spam',
    'spf=fail': 'SPF failed',
    'spf=softfail': 'SPF failed softly',
    'dkim=fail': 'DKIM failed',
    'dmarc=fail': 'DMARC failed',
  },
  dropShown: (count: string) => `Drop these ${count}`,
  dropTitle: 'Drop these held emails?',
  dropText: (count: string) =>
    `${count} held emails of this page become “dropped”: no receiver gets them, unless you release them later.`,
  dropped: (count: string) => `${count} emails are dropped`,
  releaseAll: 'Release many',
  clear: 'Clear filters',
  noSubject: '(no subject)',
  noSender: '(no sender)',
  attempts: (count: string) => `${count} attempts`,
  emptyTitle: 'No mail yet',
  emptyText: 'Emails appear here while you watch, as soon as one of your addresses receives them.',
  noMatchTitle: 'No email matches',
  noMatchText: 'Change the search and the filters, or clear them. Words are those of the subject.',
};

/** What each field takes. */
const SEARCHED_VALUES: Record<string, string> = {
  status: `It takes ${STATES}.`,
  is: `It takes ${STATES}, or ${RESULTS}.`,
  verdict: `It takes ${RESULTS}.`,
  has: 'It takes attachment.',
  tag: 'A tag has small letters, digits, - and _.',
  thread: 'It takes the id of a conversation, thr_…',
};
