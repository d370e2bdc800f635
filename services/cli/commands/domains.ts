/** `inlet domains …`. */
import type {
  CreateDomainRequest,
  UpdateDomainRequest,
} from '../../core/api/api-types.generated.ts';
import type { Cli } from '../api/cli.ts';
import { addResource, type OptionsOf } from '../resource/resource.ts';

const ONE = '/domains/{domain_id}';
const one = (domain_id: string) => ({ params: { domain_id } });

const OPTIONS = {
  domain: { argument: '<domain>' },
  mta_sts: {
    in: 'update',
    flags: '--mta-sts <mode>',
    about: 'what senders are to do without a valid certificate',
    choices: ['none', 'testing', 'enforce'],
  },
} satisfies OptionsOf<CreateDomainRequest & UpdateDomainRequest>;

export function addDomainCommands(cli: Cli): void {
  const domains = addResource(cli, {
    name: 'domains',
    about: 'your own domains',
    one: 'domain',
    options: OPTIONS,
    list: {
      about: 'list the domains, newest first',
      isPaged: true,
      call: (call, _, query) => call('GET /domains', { query }),
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'DOMAIN', of: ({ unicode_domain }) => unicode_domain },
        { title: 'STATUS', of: ({ status }) => status },
      ],
    },
    create: {
      about: 'claim a domain; the response names the DNS records to set',
      call: (call, body: CreateDomainRequest) => call('POST /domains', { body }),
    },
    show: {
      about: 'show a domain and the DNS records that it needs',
      call: (call, id) => call(`GET ${ONE}`, one(id)),
    },
    update: {
      about: 'change the MTA-STS policy of a domain',
      call: (call, id, body: UpdateDomainRequest) => call(`PATCH ${ONE}`, { ...one(id), body }),
    },
    remove: {
      about: 'delete a domain that has no addresses',
      call: (call, id) => call(`DELETE ${ONE}`, one(id)),
    },
  });

  domains
    .command('verify <domain-id>')
    .description('look the DNS records up now')
    .action(cli.printing((call, id: string) => call(`POST ${ONE}/verify`, one(id))));
}
