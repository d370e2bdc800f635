/** `inlet reply-address`: one signed reply address. */
import { countIn } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';

type Options = { ttlHours?: number; sender?: string; mailbox?: string };

export function addReplyAddressCommand(cli: Cli): void {
  cli.program
    .command('reply-address <address> <reference>')
    .description('make a signed reply address; anyone who knows it can write to it')
    .option('--ttl-hours <hours>', 'hours until it expires; default: 720', countIn)
    .option('--sender <address>', 'whose replies are bound; default: anybody')
    .option('--mailbox <address>', 'which mailbox of a catch-all or wildcard address')
    .action(
      cli.printing(
        (call, address_id: string, reference: string, { ttlHours, sender, mailbox }: Options) =>
          call('POST /addresses/{address_id}/reply-addresses', {
            params: { address_id },
            body: { reference, ttl_hours: ttlHours, sender, mailbox },
          }),
      ),
    );
}
