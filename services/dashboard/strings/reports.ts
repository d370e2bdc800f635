/** Texts of the reports about a domain. */

export const reportText = {
  title: 'Reports of the last 30 days',
  dmarc: 'Emails in the name of the domain (DMARC)',
  tls: 'TLS sessions with its MX hosts',
  passed: 'passed',
  failed: 'failed',
  source: 'Server',
  sources: 'Servers that sent in the name of the domain',
  reason: 'Reason',
  unknown: 'not named',
  failures: 'Why TLS sessions failed',
  made: (reports: number, organizations: number) =>
    `From ${reports} reports of ${organizations} organizations.`,
  leftOut: (count: number) =>
    `Left out because their email did not pass DMARC, so anybody can have sent them: ${count}.`,
  incomplete: 'There are more reports than are counted here.',
  emptyTitle: 'No reports yet',
  emptyText:
    'Create the address that the records above name for reports, and let it extract reports.',
};
