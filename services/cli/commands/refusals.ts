/** `inlet refusals …`: email that was refused, and why. */
import type { Command } from 'commander';

import type { Address, Refusal, UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import { allowSender, holdInstead, NOT_ALLOWABLE } from '../../core/api/refusal-steps.ts';
import type { Cli } from '../api/cli.ts';
import { addResource } from '../resource/resource.ts';
import { agreed, withYes } from '../terminal/agreement.ts';
import { searching, timeIn } from '../terminal/arguments.ts';
import { usageFault } from '../terminal/failure.ts';
import { type Column, fields } from '../terminal/text.ts';

type Filters = {
  address?: string;
  domain?: string;
  sender?: string;
  recipient?: string;
  subject?: string;
  reason?: string;
  since?: string;
  until?: string;
};

const ONE = '/refusals/{refusal_id}';
const one = (refusal_id: string) => ({ params: { refusal_id } });

const filterOf = ({ address: address_id, since, until, ...search }: Filters) => ({
  ...search,
  address_id,
  start_date: since,
  end_date: until,
});

const withFilters = (command: Command): Command =>
  searching(
    command
      .option('--address <address>', 'only those of this address')
      .option('--domain <domain>', 'only those of mailboxes of this domain'),
  )
    .option('--reason <reason>', 'only those for this reason, such as no_such_address')
    .option('--since <time>', 'only those since a time, or a duration ago: 1h', timeIn)
    .option('--until <time>', 'only those before a time', timeIn);

const COLUMNS: readonly Column<Refusal>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'LAST', of: ({ last_at }) => last_at },
  { title: 'COUNT', of: ({ count }) => String(count) },
  { title: 'MAILBOX', of: ({ mailbox }) => mailbox, most: 40 },
  { title: 'SENDER', of: ({ from, mail_from }) => from ?? (mail_from || '<>'), most: 40 },
  { title: 'REASON', of: ({ reason }) => reason },
];

const printed = ({ reply, authentication, decided_by, ...refusal }: Refusal) =>
  fields({
    ...refusal,
    reply: `${reply.code} ${reply.enhanced_code} ${reply.text}`,
    decided_by: decided_by && `${decided_by.kind} ${decided_by.name}`,
    ...authentication,
  });

export function addRefusalCommands(cli: Cli): void {
  const refusals = addResource(cli, {
    path: '/refusals',
    name: 'refusals',
    about: 'email that was refused: who wrote to which mailbox, and why',
    one: 'refusal',
    options: {},
    list: {
      about: 'list refusals, the last one first',
      isPaged: true,
      filters: { options: withFilters, value: filterOf },
      columns: COLUMNS,
    },
    show: { about: 'show a refusal', text: printed },
  });

  /** @param stepOf what it changes; a warning is printed first */
  const changing = (
    command: string,
    description: string,
    stepOf: (
      refusal: Refusal,
      address: Address,
    ) => { change: UpdateAddressRequest; warning?: string },
  ) =>
    refusals
      .command(`${command} <refusal-id>`)
      .description(description)
      .action(async (id: string) => {
        const { api } = await cli.connect();
        const refusal = await api.call(`GET ${ONE}`, one(id));
        if (refusal.address_id === null) throw usageFault('this mailbox is no address');
        const params = { address_id: refusal.address_id };
        const address = await api.call('GET /addresses/{address_id}', { params });
        const { change: body, warning } = stepOf(refusal, address);
        if (warning) cli.terminal.complain(`${warning}\n`);
        cli.print(await api.call('PATCH /addresses/{address_id}', { params, body }), () =>
          fields({ address: address.address, ...body }),
        );
      });
  changing('allow', 'let the sender of a refusal write to its address from now on', (...both) => {
    const allowed = allowSender(...both);
    if (typeof allowed === 'string') throw usageFault(NOT_ALLOWABLE[allowed]);
    const { change, isProven, sender } = allowed;
    if (isProven) return { change };
    const warning = `Nothing proves this sender: anybody can write in the name of ${sender}`;
    return { change, warning };
  });
  changing('hold', 'hold such email from now on, instead of refusing it', (...both) => {
    const change = holdInstead(...both);
    if (!change)
      throw usageFault('no rule of the address can hold what is refused for this reason');
    return { change };
  });

  withYes(refusals.command('erase [refusal-id]'))
    .description('erase a refusal, or all of a sender')
    .option('--sender <sender>', 'an address, or a domain such as @example.com')
    .action(async (id: string | undefined, options: { sender?: string; yes?: boolean }) => {
      const { sender } = options;
      const { call } = (await cli.connect()).api;
      if (id !== undefined && sender === undefined) {
        await agreed(cli.terminal, options, `erase ${id}?`);
        return cli.print(await call(`DELETE ${ONE}`, one(id)), fields);
      }
      if (id !== undefined || sender === undefined)
        throw usageFault('give the id of a refusal, or --sender');
      await agreed(cli.terminal, options, `erase all of ${sender}?`);
      return cli.print(await call('DELETE /refusals', { query: { sender } }), fields);
    });
}
