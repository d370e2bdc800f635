/** The dashboard about accounts. */
import type { Dashboard } from './grafana.ts';
import { accountRate, attemptsByAccount, ofAccounts, ofRelease, topAccounts } from './queries.ts';

const acceptedByAccount = attemptsByAccount('outcome="accepted"');
/** The rate of all accounts, regardless of the selection. */
const ofAll = (...matchers: string[]) =>
  `sum(rate(${ofRelease('inlet_account_mails_total', ...matchers)}[$__rate_interval]))`;

export const tenants: Dashboard = {
  uid: 'inlet-tenants',
  title: 'Inlet: tenants',
  about:
    'The METRICS_ACCOUNTS busiest accounts of each process. other is the sum of all other ' +
    'accounts. GET /v1/usage returns exact numbers for one account.',
  chooses: 'account',
  next: { uid: 'inlet-overview', title: 'overview' },
  rows: {
    Mail: [
      {
        title: 'Most emails',
        about: 'Events stored within the time range.',
        kind: 'bargauge',
        unit: 'short',
        width: 12,
        queries: [
          [
            `topk(10, sum by (account) (increase(${ofAccounts('inlet_account_mails_total')}[$__range])))`,
            '{{account}}',
          ],
        ],
      },
      {
        title: 'Most bytes',
        about: 'Raw bytes within the time range.',
        kind: 'bargauge',
        unit: 'bytes',
        width: 12,
        queries: [
          [
            `topk(10, sum by (account) (increase(${ofAccounts('inlet_account_mail_bytes_total')}[$__range])))`,
            '{{account}}',
          ],
        ],
      },
      {
        title: 'Emails by account',
        about: 'Events stored, one for each recipient.',
        unit: 'ops',
        width: 24,
        stacked: true,
        queries: [[accountRate('inlet_account_mails_total', 'account'), '{{account}}']],
      },
    ],
    Delivery: [
      {
        title: 'Most failed deliveries',
        about: 'Within the time range. Inform the owners.',
        kind: 'bargauge',
        unit: 'short',
        width: 12,
        queries: [
          [topAccounts('inlet_account_deliveries_total', 'status="failed"'), '{{account}}'],
        ],
      },
      {
        title: 'Most failed attempts',
        about: 'Within the time range. The receivers are down, slow, or refuse.',
        kind: 'bargauge',
        unit: 'short',
        width: 12,
        queries: [
          [topAccounts('inlet_account_attempts_total', 'outcome!="accepted"'), '{{account}}'],
        ],
      },
      {
        title: 'Finished deliveries by account',
        about: 'Delivered or failed.',
        unit: 'ops',
        width: 12,
        stacked: true,
        queries: [
          [
            accountRate('inlet_account_deliveries_total', 'account, status'),
            '{{account}} {{status}}',
          ],
        ],
      },
      {
        title: 'Share of failed attempts by account',
        about: 'At 1, the receivers of the account accept nothing.',
        unit: 'percentunit',
        width: 12,
        max: 1,
        queries: [
          [
            `1 - (${acceptedByAccount} or 0 * ${attemptsByAccount()}) / (${attemptsByAccount()} > 0)`,
            '{{account}}',
          ],
        ],
      },
    ],
    Labels: [
      {
        title: 'Share of mail of unlabeled accounts',
        about: 'If it is large, raise METRICS_ACCOUNTS.',
        unit: 'percentunit',
        max: 1,
        queries: [[`(${ofAll('account="other"')} or vector(0)) / (${ofAll()} > 0)`, 'other']],
      },
    ],
  },
};
