/** Texts of the mail screens. */
import type { DeliveryListItem } from '../app/api-types.golden.ts';

export const mailText = {
  title: 'Mail',
  list: 'Emails, newest first',
  count: (total: string) => `${total} in all`,
  reload: 'Reload the list',
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
  from: 'From date',
  until: 'Until date',
  clear: 'Clear filters',
  noSubject: '(no subject)',
  noSender: '(no sender)',
  attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
  emptyTitle: 'No mail yet',
  emptyText: 'Emails appear here while you watch, as soon as one of your addresses receives them.',
  noMatchTitle: 'No email matches',
  noMatchText: 'Change the filters, or clear them.',
};
