/** `inlet tokens …` and `inlet usage`. */
import type { Permission, Token, Usage } from '../../core/api/api-types.generated.ts';
import { endIn, labelsIn, labelsText, listIn } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';
import { addResource } from '../resource/resource.ts';
import { fields, printable } from '../terminal/text.ts';

const SHOWN_PERMISSIONS = 3;
const PERMISSIONS = Object.keys({
  'addresses:read': true,
  'addresses:write': true,
  'domains:read': true,
  'domains:write': true,
  'deliveries:read': true,
  'deliveries:write': true,
  'deliveries:consume': true,
  'deliveries:decide': true,
  'deliveries:erase': true,
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

const limitText = ({ address_ids, labels }: Token): string =>
  address_ids?.join(',') ?? labelsText(labels ?? {});

export const addTokenCommands = (cli: Cli) =>
  addResource(cli, {
    path: '/account/tokens',
    name: 'tokens',
    about: 'API tokens of the account',
    one: 'token',
    options: {
      name: { flags: '--name <name>', about: 'name of the token', isRequired: true },
      environment: {
        flags: '--environment <environment>',
        about: 'default: that of your token',
        choices: ['live', 'test'],
      },
      permissions: {
        flags: '--permissions <list>',
        about: 'permissions, separated by commas; default: yours',
        parse: listIn,
      },
      address_ids: {
        flags: '--address <list>',
        about: 'ids of the only addresses that it reaches, separated by commas',
        parse: listIn,
      },
      labels: {
        flags: '--label <list>',
        about: 'labels of the only addresses that it reaches, such as team=shop',
        parse: labelsIn,
      },
      expires_at: {
        flags: '--expires <time>',
        about: 'when it ends: a time, or after a duration such as 90d',
        parse: endIn,
      },
    },
    list: {
      about: 'list the tokens, newest first',
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name, most: 40 },
        { title: 'PREFIX', of: ({ prefix }) => prefix },
        { title: 'EXPIRES', of: ({ expires_at }) => expires_at ?? 'never' },
        { title: 'LAST USED', of: ({ last_used_at }) => last_used_at ?? '-' },
        { title: 'LIMIT', of: limitText, most: 40 },
        { title: 'PERMISSIONS', of: permissionsText },
      ],
    },
    create: { about: 'create a token and print it once' },
    remove: { about: 'revoke a token' },
  });

export function addUsageCommand(cli: Cli): void {
  cli.program
    .command('usage')
    .description('emails and webhooks of the current period')
    .action(cli.printing((call) => call('GET /usage', {}), usageText));
}

function usageText({ quota, ...usage }: Usage): string {
  const { message = null, ...limit } = quota ?? {};
  const text = fields({ ...usage, quota: quota === null ? 'none' : limit });
  return message === null ? text : `${printable(message)}\n\n${text}`;
}
