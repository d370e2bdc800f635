/** Texts of the overview. */
import { screenTitles } from './screens.ts';

export const overviewText = {
  title: screenTitles.overview,
  period: 'Period',
  periods: { day: '24 hours', month: '30 days' },
  /** An email to several receivers has several. */
  deliveries: 'Deliveries',
  ofEmails: (emails: string) => `from ${emails} emails`,
  refused: 'Refused emails',
  successRate: 'Success rate of emails',
  median: 'Median delivery',
  p95: '95 % within',
  unknown: '–',
  plot: { day: 'Emails by hour', month: 'Emails by day' },
  failing: 'Receivers that fail',
  isFailing: 'Failing',
  failingSince: 'Nothing accepted since',
  noneFailing: 'No address has failed attempts since its last accepted one.',
  dueEmails: {
    id: 'due-title',
    title: 'Due next',
    none: 'Nothing waits for a retry.',
    to: '/mail?status=retrying',
  },
  recentEmails: {
    id: 'recent-title',
    title: 'Newest emails',
    none: 'No email so far.',
    to: '/mail',
  },
  failedEmails: {
    id: 'failed-title',
    title: 'Failed emails',
    none: 'No delivery has failed.',
    to: '/mail?status=failed',
  },
  allOf: (count: string) => `All ${count}`,
  firstTitle: 'First steps',
  firstText: 'Receive your first email as a webhook.',
  steps: [
    {
      title: 'Create an address',
      text: 'Choose the URL that receives its webhooks.',
      action: 'Create an address',
      to: '/addresses?new=1',
      needs: 'addresses:write',
    },
    {
      title: 'Write a receiver',
      text: 'Verify the signature, then respond with 200. There is code in Node, Python and Go.',
      action: 'Read how',
      to: undefined,
      needs: undefined,
    },
    {
      title: 'Send an email to it',
      text: 'It appears here within a second, with everything that happened to it.',
      action: 'Watch the mail',
      to: '/mail',
      needs: 'deliveries:read',
    },
  ] as const,
  docs: '/docs/receiving-webhooks',
};
