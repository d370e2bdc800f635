/** `inlet members …`: the people of the account and their roles. */
import { InvalidArgumentError } from 'commander';

import type { Role } from '../../core/api/api-types.generated.ts';
import { durationIn } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';
import { addResource } from '../resource/resource.ts';

const ROLES: readonly Role[] = ['owner', 'admin', 'developer', 'viewer', 'billing'];
const ID = '<member>';

const secondsIn = (text: string): number => Math.round(durationIn(text) / 1_000);

function roleIn(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new InvalidArgumentError(`It must be one of ${ROLES.join(', ')}.`);
  return role;
}

const LINK_EXPIRES = {
  flags: '--link-expires <duration>',
  about: 'how long the link works, such as 1d',
  initial: '7d',
  parse: secondsIn,
};

export function addMemberCommands(cli: Cli): void {
  const members = addResource(cli, {
    path: '/account/members',
    name: 'members',
    about: 'people of the account',
    one: 'member',
    options: {
      name: { argument: '<name>' },
      role: { flags: '--role <role>', about: 'what they may do', choices: ROLES, isRequired: true },
      link_expires_in_seconds: LINK_EXPIRES,
    },
    list: {
      about: 'list the people and their roles, newest first',
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name, most: 40 },
        { title: 'ROLE', of: ({ role }) => role },
        { title: 'SIGNS IN WITH', of: ({ subject }) => subject ?? 'links', most: 40 },
        { title: 'LAST SEEN', of: ({ last_seen_at }) => last_seen_at ?? 'never' },
        { title: 'LINK UNTIL', of: ({ link_expires_at }) => link_expires_at ?? '-' },
      ],
    },
    create: {
      command: 'invite',
      about: 'add a person and print a link, with which they sign in once',
    },
    remove: { command: 'remove', about: 'remove a person with their sessions and tokens' },
  });

  members
    .command(`link ${ID}`)
    .description('print a new link, with which a person signs in again')
    .option(
      LINK_EXPIRES.flags,
      `${LINK_EXPIRES.about}; default: ${LINK_EXPIRES.initial}`,
      secondsIn,
    )
    .action(
      cli.printing((call, member_id: string, options: { linkExpires?: number }) =>
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
}
