/** `inlet domains …`. */
import { countIn } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { fields, table } from '../screen/text.ts';

const DOMAIN_ID = '<domain-id>';

const paramsOf = (domain_id: string) => ({ params: { domain_id } });

export function addDomainCommands(cli: Cli): void {
  const domains = cli.program.command('domains').description('your own domains');

  domains
    .command('list')
    .description('list the domains, newest first')
    .option('--limit <number>', 'at most this number of domains', countIn, 20)
    .option('--offset <number>', 'skip this number of domains', countIn)
    .action(async (query: { limit: number; offset?: number }) => {
      const { api } = await cli.connect();
      cli.print(await api.call('GET /domains', { query }), ({ data }) =>
        table(data, [
          { title: 'ID', of: ({ id }) => id },
          { title: 'DOMAIN', of: ({ unicode_domain }) => unicode_domain },
          { title: 'STATUS', of: ({ status }) => status },
        ]),
      );
    });

  domains
    .command('create')
    .description('claim a domain; the response names the DNS records to set')
    .argument('<domain>')
    .action(async (domain: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call('POST /domains', { body: { domain } }), fields);
    });

  domains
    .command('show')
    .description('show a domain and the DNS records that it needs')
    .argument(DOMAIN_ID)
    .action(async (id: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call('GET /domains/{domain_id}', paramsOf(id)), fields);
    });

  domains
    .command('verify')
    .description('look the DNS records up now')
    .argument(DOMAIN_ID)
    .action(async (id: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call('POST /domains/{domain_id}/verify', paramsOf(id)), fields);
    });

  domains
    .command('delete')
    .description('delete a domain that has no addresses')
    .argument(DOMAIN_ID)
    .action(async (id: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call('DELETE /domains/{domain_id}', paramsOf(id)), fields);
    });
}
