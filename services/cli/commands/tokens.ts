/** `inlet tokens …` and `inlet usage`. */
import { Option } from 'commander';

import type {
  CreateTokenRequest,
  Permission,
  Token,
  Usage,
} from '../../core/api/api-types.generated.ts';
import { endIn, labelsIn, labelsText, listIn } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { fields, table } from '../screen/text.ts';

const SHOWN_PERMISSIONS = 3;
const DAY_MS = 86_400_000;

const PERMISSIONS = Object.keys({
  'addresses:read': true,
  'addresses:write': true,
  'domains:read': true,
  'domains:write': true,
  'deliveries:read': true,
  'deliveries:write': true,
  'usage:read': true,
  'billing:read': true,
  'account:read': true,
  'account:write': true,
  'tokens:read': true,
  'tokens:write': true,
  'secrets:read': true,
  'mail:submit': true,
} satisfies Record<Permission, true>);

/** All of many are in the JSON. A limited token has its permissions only at its addresses. */
function permissionsText({ permissions, address_ids, labels }: Token): string {
  const isAll = PERMISSIONS.every((one) => (permissions as readonly string[]).includes(one));
  if (isAll) return (address_ids ?? labels) ? 'everything within its limit' : 'everything';
  return permissions.length > SHOWN_PERMISSIONS
    ? `${permissions.length} permissions`
    : permissions.join(', ');
}

type CreateOptions = Omit<CreateTokenRequest, 'address_ids' | 'labels' | 'expires_at'> & {
  address?: string[];
  label?: Record<string, string>;
  expires?: string;
};

const limitText = ({ address_ids, labels }: Token): string =>
  address_ids?.join(',') ?? labelsText(labels ?? {});

export function addTokenCommands(cli: Cli): void {
  const tokens = cli.program.command('tokens').description('API tokens of the account');

  tokens
    .command('list')
    .description('list the tokens, newest first')
    .action(
      cli.printing(
        (call) => call('GET /account/tokens', {}),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'NAME', of: ({ name }) => name, most: 40 },
            { title: 'PREFIX', of: ({ prefix }) => prefix },
            { title: 'EXPIRES', of: ({ expires_at }) => expires_at ?? 'never' },
            { title: 'LAST USED', of: ({ last_used_at }) => last_used_at ?? '-' },
            { title: 'LIMIT', of: limitText, most: 40 },
            { title: 'PERMISSIONS', of: permissionsText },
          ]),
      ),
    );

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
    .option(
      '--address <list>',
      'ids of the only addresses that it reaches, separated by commas',
      listIn,
    )
    .option(
      '--label <list>',
      'labels of the only addresses that it reaches, such as team=shop',
      labelsIn,
    )
    .option('--expires <time>', 'when it ends: a time, or after a duration such as 90d', endIn)
    .action(
      cli.printing((call, { address, label, expires: expires_at, ...body }: CreateOptions) =>
        call('POST /account/tokens', {
          body: { ...body, address_ids: address, labels: label, expires_at },
        }),
      ),
    );

  tokens
    .command('delete <token-id>')
    .description('revoke a token')
    .action(
      cli.printing((call, token_id: string) =>
        call('DELETE /account/tokens/{token_id}', { params: { token_id } }),
      ),
    );
}

export function addUsageCommand(cli: Cli): void {
  cli.program
    .command('usage')
    .description('emails and webhooks of the current period')
    .action(cli.printing((call) => call('GET /usage', {}), usageText));
}

/** A few emails of the first day say nothing about a month. */
function usageText({ projected_monthly, ...usage }: Usage): string {
  const ageMs = Date.parse(usage.updated_at) - Date.parse(usage.period.start);
  const isKnown = ageMs >= DAY_MS;
  return fields({
    ...usage,
    projected_monthly: isKnown ? projected_monthly : 'known after the first day',
  });
}
