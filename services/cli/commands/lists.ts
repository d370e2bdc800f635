/** `inlet lists …`: senders that rules and filters name. */
import type { UpdateSenderListRequest } from '../../core/api/api-types.generated.ts';
import { pathOf } from '../../core/api/calls.ts';
import { success } from '../api/client.ts';
import type { Cli } from '../cli.ts';
import { linesIn } from '../input-files.ts';
import { fields, table } from '../screen/text.ts';

const one = (list_id: string) => ({ params: { list_id } });

export function addListCommands(cli: Cli): void {
  const lists = cli.program
    .command('lists')
    .description('lists of senders for rules and filters: sender in lists.NAME');

  lists
    .command('list')
    .description('list the sender lists by name')
    .action(
      cli.printing(
        (call) => call('GET /lists', {}),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'NAME', of: ({ name }) => name },
            { title: 'ENTRIES', of: ({ entry_count }) => String(entry_count) },
            { title: 'DESCRIPTION', of: ({ description }) => description ?? '-', most: 40 },
          ]),
      ),
    );

  lists
    .command('create <name> [file]')
    .description('create a list, with the entries of a text file: one in each line, - for stdin')
    .option('--description <text>', 'who is on the list')
    .action(
      cli.printing(
        async (call, name: string, file: string | undefined, options: { description?: string }) => {
          const entries = file === undefined ? undefined : await linesIn(cli, file);
          return call('POST /lists', { body: { name, ...options, ...(entries && { entries }) } });
        },
      ),
    );

  const changing = (
    command: string,
    description: string,
    bodyOf: (entries: string[]) => UpdateSenderListRequest,
  ) =>
    lists
      .command(`${command} <list-id> <entry...>`)
      .description(description)
      .action(
        cli.printing((call, id: string, entries: string[]) =>
          call('PATCH /lists/{list_id}', { ...one(id), body: bodyOf(entries) }),
        ),
      );
  changing('add', 'add addresses, domains or *.domains', (add) => ({ add }));
  changing('remove', 'remove entries', (remove) => ({ remove }));

  lists
    .command('import <list-id> <file>')
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
    .command('export <list-id>')
    .description('print the entries, one in each line')
    .action(async (list_id: string) => {
      const { api } = await cli.connect();
      const response = await success(
        await api.send('GET', pathOf('/lists/{list_id}/entries', { list_id })),
      );
      cli.terminal.write(await response.text());
    });

  lists
    .command('delete <list-id>')
    .description('delete a list; rules that name it then fail, and do nothing')
    .action(cli.printing((call, id: string) => call('DELETE /lists/{list_id}', one(id))));
}
