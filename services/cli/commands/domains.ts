/** `inlet domains …`. */
import type { Domain } from '../../core/api/api-types.generated.ts';
import type { Cli } from '../api/cli.ts';
import { addResource } from '../resource/resource.ts';
import { fields, table } from '../terminal/text.ts';

export const addDomainCommands = (cli: Cli) =>
  addResource(cli, {
    path: '/domains',
    name: 'domains',
    about: 'your own domains',
    one: 'domain',
    options: {
      domain: { argument: '<domain>' },
      mta_sts: {
        in: 'update',
        flags: '--mta-sts <mode>',
        about: 'what senders are to do without a valid certificate',
        choices: ['none', 'testing', 'enforce'],
      },
    },
    list: {
      about: 'list the domains, newest first',
      isPaged: true,
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'DOMAIN', of: ({ unicode_domain }) => unicode_domain },
        { title: 'STATUS', of: ({ status }) => status },
      ],
    },
    create: {
      about: 'claim a domain; the response names the DNS records to set',
      text: domainText,
    },
    show: { about: 'show a domain and the DNS records that it needs', text: domainText },
    update: { about: 'change the MTA-STS policy of a domain' },
    remove: { about: 'delete a domain that has no addresses' },
    actions: { verify: 'look the DNS records up now' },
    changed: domainText,
  });

/** The state, the records to set, and what is not right: the JSON has the rest. */
function domainText({ id, domain, status, problem, verification, mx, deliverability }: Domain) {
  const wrong = deliverability.checks.filter(({ status: one }) =>
    ['missing', 'wrong'].includes(one),
  );
  const { name, value, found } = verification;
  const records = [
    { type: 'TXT', name, value, found },
    ...mx.expected.map((host) => ({ type: 'MX', name: domain, value: host, found: mx.found })),
    ...wrong.flatMap((one) => (one.record ? [{ ...one.record, found: one.found }] : [])),
  ];
  return [
    fields({ id, domain, status, problem }),
    '\n',
    table(records, [
      { title: 'RECORD', of: (one) => one.type },
      { title: 'NAME', of: (one) => one.name },
      { title: 'VALUE', of: (one) => one.value },
      { title: 'FOUND', of: (one) => one.found.join(', ') || '-' },
    ]),
    ...wrong.map(({ kind, message }) => `note: ${kind}: ${message}\n`),
  ].join('');
}
