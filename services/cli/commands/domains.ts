/** `inlet domains …`. */
import type { Cli } from '../api/cli.ts';
import { addResource } from '../resource/resource.ts';

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
    create: { about: 'claim a domain; the response names the DNS records to set' },
    show: { about: 'show a domain and the DNS records that it needs' },
    update: { about: 'change the MTA-STS policy of a domain' },
    remove: { about: 'delete a domain that has no addresses' },
    actions: { verify: 'look the DNS records up now' },
  });
