/** `inlet lists …`: senders that rules and filters name. */
import type { UpdateSenderListRequest } from '../../core/api/api-types.generated.ts';
import { pathOf } from '../../core/api/calls.ts';
import { idOfName } from '../api/address-names.ts';
import { success } from '../api/client.ts';
import type { Cli } from '../api/cli.ts';
import { linesIn } from '../resource/input-files.ts';
import { addResource } from '../resource/resource.ts';
import { fields } from '../terminal/text.ts';

const one = (list_id: string) => ({ params: { list_id } });

export function addListCommands(cli: Cli): void {
  const lists = addResource(cli, {
    path: '/lists',
    name: 'lists',
    about: 'lists of senders for rules and filters: sender in lists.NAME',
    one: 'list',
    options: {
      name: { argument: '<name>' },
      description: { flags: '--description <text>', about: 'who is on the list' },
      entries: { argument: '[file]', read: linesIn },
      add: null,
      remove: null,
    },
    list: {
      about: 'list the sender lists by name',
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'NAME', of: ({ name }) => name },
        { title: 'ENTRIES', of: ({ entry_count }) => String(entry_count) },
        { title: 'DESCRIPTION', of: ({ description }) => description ?? '-', most: 40 },
      ],
    },
    create: {
      about: 'create a list, with the entries of a text file: one in each line, - for stdin',
    },
    show: { about: 'show a list without its entries' },
    update: { about: 'change the description of a list' },
    remove: { about: 'delete a list; rules that name it then fail, and do nothing' },
  });

  const changing = (
    command: string,
    description: string,
    bodyOf: (entries: string[]) => UpdateSenderListRequest,
  ) =>
    lists
      .command(`${command} <list> <entry...>`)
      .description(description)
      .action(
        cli.printing((call, id: string, entries: string[]) =>
          call('PATCH /lists/{list_id}', { ...one(id), body: bodyOf(entries) }),
        ),
      );
  changing('add', 'add addresses, domains, *.domains, IP addresses or networks', (add) => ({
    add,
  }));
  changing('remove', 'remove entries', (remove) => ({ remove }));

  lists
    .command('import <list> <file>')
    .description('replace all entries by those of a text file: one in each line; - reads stdin')
    .action(async (id: string, file: string) => {
      const entries = await linesIn(cli, file);
      const { api } = await cli.connect();
      cli.print(
        await api.call('PATCH /lists/{list_id}', { ...one(id), body: { entries } }),
        fields,
      );
    });

  lists
    .command('export <list>')
    .description('print the entries, one in each line')
    .action(async (given: string) => {
      const { api } = await cli.connect();
      const list_id = await idOfName(api.call, 'list_id', given);
      const response = await success(
        await api.send('GET', pathOf('/lists/{list_id}/entries', { list_id })),
      );
      cli.terminal.write(await response.text());
    });
}
