/** Texts of the domain screens. */
import type {
  DeliverabilityCheck as Check,
  Domain,
  DomainProblem,
} from '../../core/api/api-types.generated.ts';
import { screenTitles } from './screens.ts';

export const domainText = {
  title: screenTitles.domains,
  one: screenTitles.domain,
  list: 'Domains, newest first',
  columns: { domain: 'Domain', state: 'State', mail: 'Mail', checked: 'Checked', added: 'Added' },
  statusFilter: 'State',
  all: 'All',
  noMatchTitle: 'No domain matches',
  noMatchText: 'Change the filter.',
  status: { verified: 'Verified', pending: 'Waiting for DNS', failed: 'Failed' },
  mxOk: 'Mail arrives here',
  mxWrong: 'MX differs',
  notChecked: 'Not checked yet',
  add: 'Add a domain',
  name: 'Domain',
  namePlaceholder: 'in.example.com',
  nameHint:
    'Such as in.example.com. Two DNS records prove that it is yours and lead its mail here.',
  submit: 'Add',
  added: 'Domain added. Set its DNS records',
  emptyTitle: 'No domain of your own',
  emptyText:
    'Addresses on the shared domain work without one. Add a domain to receive mail at your own names.',
  records: 'DNS records to set',
  recordColumns: { type: 'Type', name: 'Name', value: 'Value', found: 'DNS says now' },
  ownership: 'Proves that the domain is yours',
  mailExchange: 'Leads mail to Inlet, with any priority such as 10',
  asExpected: 'as expected',
  nothingFound: 'nothing',
  noResponse: 'no response',
  safety: 'Delivery',
  checkColumns: { check: 'Check', result: 'Result', record: 'Record', found: 'Found' },
  checks: {
    mta_sts: 'MTA-STS record',
    mta_sts_host: 'MTA-STS host',
    tls_rpt: 'TLS reports',
    dmarc: 'DMARC',
    mx_reachable: 'MX hosts, port 25',
    mx_certificate: 'MX certificates',
    dane: 'DANE',
  } satisfies Record<Check['kind'], string>,
  checkStatus: {
    ok: 'OK',
    missing: 'Missing',
    wrong: 'Wrong',
    unknown: 'Unknown',
    off: 'Off',
  } satisfies Record<Check['status'], string>,
  mtaSts: 'MTA-STS',
  mtaStsHint:
    'Testing asks senders for reports. With enforce, they deliver only to MX hosts with a valid certificate.',
  mtaStsModes: { none: 'None', testing: 'Testing', enforce: 'Enforce' } satisfies Record<
    Domain['mta_sts'],
    string
  >,
  mtaStsChanged: 'MTA-STS changed. Set its record to the value below',
  zoneFile: 'zone file of all records',
  check: 'Check now',
  checking: 'Checking …',
  checkedAt: 'Checked',
  verifiedAt: 'Verified',
  problem: {
    txt_missing: 'The TXT record is missing. New records can take some minutes to appear.',
    txt_differs: 'A TXT record exists, but with another value. Copy the value below.',
    dns_unavailable: 'The DNS servers of the domain do not respond. Check again later.',
    taken: 'Another account has verified this domain.',
  } satisfies Record<DomainProblem, string>,
  remove: 'Delete',
  removed: 'Domain deleted',
  removeTitle: 'Delete this domain?',
  removeText: (domain: string) =>
    `No new address can be created on ${domain}. It must have no addresses any more.`,
};
