/** `inlet domains …`. */
import { Option } from 'commander';

import { type PageOptions, paged } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';
import { table } from '../terminal/text.ts';
import type { MtaStsMode } from '../../core/api/api-types.generated.ts';

const one = (domain_id: string) => ({ params: { domain_id } });

export function addDomainCommands(cli: Cli): void {
  const domains = cli.program.command('domains').description('your own domains');

  paged(domains.command('list'), 'domains')
    .description('list the domains, newest first')
    .action(
      cli.printing(
        (call, query: PageOptions) => call('GET /domains', { query }),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'DOMAIN', of: ({ unicode_domain }) => unicode_domain },
            { title: 'STATUS', of: ({ status }) => status },
          ]),
      ),
    );

  domains
    .command('create <domain>')
    .description('claim a domain; the response names the DNS records to set')
    .action(cli.printing((call, domain: string) => call('POST /domains', { body: { domain } })));

  domains
    .command('show <domain-id>')
    .description('show a domain and the DNS records that it needs')
    .action(cli.printing((call, id: string) => call('GET /domains/{domain_id}', one(id))));

  domains
    .command('verify <domain-id>')
    .description('look the DNS records up now')
    .action(cli.printing((call, id: string) => call('POST /domains/{domain_id}/verify', one(id))));

  domains
    .command('update <domain-id>')
    .description('change the MTA-STS policy of a domain')
    .addOption(
      new Option('--mta-sts <mode>', 'what senders are to do without a valid certificate')
        .choices(['none', 'testing', 'enforce'])
        .makeOptionMandatory(),
    )
    .action(
      cli.printing((call, id: string, { mtaSts }: { mtaSts: MtaStsMode }) =>
        call('PATCH /domains/{domain_id}', { ...one(id), body: { mta_sts: mtaSts } }),
      ),
    );

  domains
    .command('delete <domain-id>')
    .description('delete a domain that has no addresses')
    .action(cli.printing((call, id: string) => call('DELETE /domains/{domain_id}', one(id))));
}
