/** Texts of the mail screens. */
import type { DeliveryListItem } from '../../core/api/api-types.generated.ts';

export const mailText = {
  title: 'Mail',
  list: 'Emails, newest first',
  count: (total: string) => `${total} in all`,
  countAtLeast: (total: string) => `${total} or more`,
  reload: 'Reload the list',
  search: 'Search mail',
  searchButton: 'Search',
  searchPlaceholder: 'Words of the subject, or from: to: verdict:',
  searchHint:
    'Whole words of the subject. from: and to: take an address, a domain or a name. ' +
    'verdict: takes spam, or a result such as spf=fail.',
  moreFilters: 'Filters',
  allStatuses: 'All',
  status: {
    delivered: 'Delivered',
    retrying: 'Retrying',
    failed: 'Failed',
    pending: 'Waiting',
  } satisfies Record<DeliveryListItem['status'], string>,
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
  clear: 'Clear filters',
  noSubject: '(no subject)',
  noSender: '(no sender)',
  attempts: (count: string) => `${count} attempts`,
  emptyTitle: 'No mail yet',
  emptyText: 'Emails appear here while you watch, as soon as one of your addresses receives them.',
  noMatchTitle: 'No email matches',
  noMatchText: 'Change the search and the filters, or clear them. A search finds whole words.',
};
