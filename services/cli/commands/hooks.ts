/** `inlet hooks …`: a program that is asked about an email before the reply to its sender. */
import { type Command, Option } from 'commander';

import type { Address, UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import type { Call } from '../../core/api/calls.ts';
import { countIn } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';
import { fields } from '../terminal/text.ts';

type OfAddress = { address?: string };
type Hook = NonNullable<Address['hook']>;
type AskedHook = UpdateAddressRequest['hook'];
type SetOptions = OfAddress & { when?: string; timeout?: number; onError?: Hook['on_error'] };

const one = (address_id: string) => ({ params: { address_id } });

const hookOf = async (call: Call, { address }: OfAddress): Promise<Hook | null> =>
  address === undefined
    ? (await call('GET /account', {})).settings.hook
    : (await call('GET /addresses/{address_id}', one(address))).hook;

async function setHook(call: Call, { address }: OfAddress, hook: AskedHook): Promise<Hook | null> {
  if (address === undefined)
    return (await call('PATCH /account', { body: { settings: { hook } } })).settings.hook;
  return (await call('PATCH /addresses/{address_id}', { ...one(address), body: { hook } })).hook;
}

const hookText = (hook: Hook | null): string => (hook === null ? 'no hook\n' : fields(hook));

const ofAddress = (command: Command): Command =>
  command.option('--address <address>', "of this address; default: the account's");

export function addHookCommands(cli: Cli): void {
  const hooks = cli.program
    .command('hooks')
    .description('a program of yours that decides about an email before the reply to its sender');

  ofAddress(hooks.command('show'))
    .description('show the hook')
    .action(async (options: OfAddress) => {
      const { api } = await cli.connect();
      cli.print(await hookOf(api.call, options), hookText);
    });

  ofAddress(hooks.command('set <url>'))
    .description('ask this HTTPS URL')
    .option('--when <expression>', 'only about such email; default: about all')
    .option('--timeout <ms>', 'milliseconds for the answer, at most 10000; default: 5000', countIn)
    .addOption(
      new Option('--on-error <decision>', 'without a valid answer; default: accept').choices([
        'accept',
        'defer',
      ]),
    )
    .action(async (url: string, { when, timeout, onError, ...options }: SetOptions) => {
      const { api } = await cli.connect();
      const hook = { url, when, timeout_ms: timeout, on_error: onError };
      cli.print(await setHook(api.call, options, hook), hookText);
    });

  ofAddress(hooks.command('remove'))
    .description('ask nobody')
    .action(async (options: OfAddress) => {
      const { api } = await cli.connect();
      cli.print(await setHook(api.call, options, null), hookText);
    });
}
