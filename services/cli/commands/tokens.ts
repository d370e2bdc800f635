/** `inlet tokens …` and `inlet usage`. */
import { Option } from 'commander';

import type { CreateTokenRequest } from '../../core/api/api-types.generated.ts';
import { listIn } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { fields, table } from '../screen/text.ts';

export function addTokenCommands(cli: Cli): void {
  const tokens = cli.program.command('tokens').description('API tokens of the account');

  tokens
    .command('list')
    .description('list the tokens, newest first')
    .action(async () => {
      const { api } = await cli.connect();
      cli.print(await api.call('GET /account/tokens', {}), ({ data }) =>
        table(data, [
          { title: 'ID', of: ({ id }) => id },
          { title: 'NAME', of: ({ name }) => name, most: 40 },
          { title: 'PREFIX', of: ({ prefix }) => prefix },
          { title: 'LAST USED', of: ({ last_used_at }) => last_used_at ?? '-' },
          { title: 'PERMISSIONS', of: ({ permissions }) => permissions.join(',') },
        ]),
      );
    });

  tokens
    .command('create')
    .description('create a token and print it once')
    .requiredOption('--name <name>', 'name of the token')
    .addOption(
      new Option('--environment <environment>', 'default: that of your token').choices([
        'live',
        'test',
      ]),
    )
    .option('--permissions <list>', 'permissions, separated by commas; default: yours', listIn)
    .action(async (body: CreateTokenRequest) => {
      const { api } = await cli.connect();
      cli.print(await api.call('POST /account/tokens', { body }), fields);
    });

  tokens
    .command('delete')
    .description('revoke a token')
    .argument('<token-id>')
    .action(async (token_id: string) => {
      const { api } = await cli.connect();
      const params = { token_id };
      cli.print(await api.call('DELETE /account/tokens/{token_id}', { params }), fields);
    });
}

export function addUsageCommand(cli: Cli): void {
  cli.program
    .command('usage')
    .description('emails and webhooks of the current period')
    .action(async () => {
      const { api } = await cli.connect();
      cli.print(await api.call('GET /usage', {}), fields);
    });
}
