/** `inlet members …`: the people of the account and their roles. */
import { InvalidArgumentError, Option } from 'commander';

import type { InviteMemberRequest, Role } from '../../core/api/api-types.generated.ts';
import { durationIn } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../screen/text.ts';

const ROLES: readonly Role[] = ['owner', 'admin', 'developer', 'viewer', 'billing'];
const ID = '<member-id>';

const secondsIn = (text: string): number => Math.round(durationIn(text) / 1_000);

function roleIn(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new InvalidArgumentError(`It must be one of ${ROLES.join(', ')}.`);
  return role;
}

const linkExpires = () =>
  new Option(
    '--link-expires <duration>',
    'how long the link works, such as 1d; default: 7d',
  ).argParser(secondsIn);

type LinkOptions = { linkExpires?: number };

export function addMemberCommands(cli: Cli): void {
  const members = cli.program.command('members').description('people of the account');
  members
    .command('list')
    .description('list the people and their roles, newest first')
    .action(
      cli.printing(
        (call) => call('GET /account/members', {}),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'NAME', of: ({ name }) => name, most: 40 },
            { title: 'ROLE', of: ({ role }) => role },
            { title: 'SIGNS IN WITH', of: ({ subject }) => subject ?? 'links', most: 40 },
            { title: 'LAST SEEN', of: ({ last_seen_at }) => last_seen_at ?? 'never' },
            { title: 'LINK UNTIL', of: ({ link_expires_at }) => link_expires_at ?? '-' },
          ]),
      ),
    );

  members
    .command('invite <name>')
    .description('add a person and print a link, with which they sign in once')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory())
    .addOption(linkExpires())
    .action(
      cli.printing((call, name: string, options: LinkOptions & Pick<InviteMemberRequest, 'role'>) =>
        call('POST /account/members', {
          body: { name, role: options.role, link_expires_in_seconds: options.linkExpires },
        }),
      ),
    );

  members
    .command(`link ${ID}`)
    .description('print a new link, with which a person signs in again')
    .addOption(linkExpires())
    .action(
      cli.printing((call, member_id: string, options: LinkOptions) =>
        call('POST /account/members/{member_id}/links', {
          params: { member_id },
          body: { link_expires_in_seconds: options.linkExpires },
        }),
      ),
    );

  members
    .command(`role ${ID} <role>`)
    .description(`change what a person may do: ${ROLES.join(', ')}`)
    .action(
      cli.printing((call, member_id: string, role: string) =>
        call('PATCH /account/members/{member_id}', {
          params: { member_id },
          body: { role: roleIn(role) },
        }),
      ),
    );

  members
    .command(`remove ${ID}`)
    .description('remove a person with their sessions and tokens')
    .action(
      cli.printing((call, member_id: string) =>
        call('DELETE /account/members/{member_id}', { params: { member_id } }),
      ),
    );
}
