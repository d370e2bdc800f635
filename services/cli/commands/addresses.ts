/** `inlet addresses …`. */
import type { Command } from 'commander';

import type { UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import { ADDRESS_OPTIONS } from '../resource/address-options.ts';
import { hoursIn, type PageOptions, paged } from '../terminal/arguments.ts';
import {
  allowedAttachmentsOf,
  type AttachmentOptions,
  attachmentOptions,
  namesAttachments,
} from '../resource/attachment-options.ts';
import type { Cli } from '../api/cli.ts';
import {
  type ExpectOptions,
  expectOf,
  expectOptions,
  namesExpected,
} from '../resource/expect-options.ts';
import { usageFault } from '../terminal/failure.ts';
import { bodyOf, fieldsIn, withOptions } from '../resource/resource.ts';
import { fields, table } from '../terminal/text.ts';
import {
  allowedSendersOf,
  namesSenders,
  type SenderOptions,
  senderOptions,
} from '../resource/sender-options.ts';

type Options = AttachmentOptions & ExpectOptions & SenderOptions;

const CREATION = fieldsIn('create', ADDRESS_OPTIONS);
const CHANGE = fieldsIn('update', ADDRESS_OPTIONS);

/** Options of fields of which an update changes a part. */
const moreOptions = (command: Command): Command =>
  expectOptions(attachmentOptions(senderOptions(command)));

/** What the options say about fields that need no look at the address. */
async function askedOf(
  cli: Cli,
  offered: typeof CREATION,
  options: Options,
): Promise<UpdateAddressRequest> {
  const { replyAddresses: replies } = options;
  return {
    ...(await bodyOf(cli, offered, [options])),
    ...(replies !== undefined && {
      reply_addresses: replies !== 'off',
      reply_only: replies === 'only',
    }),
  };
}

const one = (address_id: string) => ({ params: { address_id } });

export function addAddressCommands(cli: Cli): void {
  const addresses = cli.program.command('addresses').description('addresses that receive email');

  paged(addresses.command('list'), 'addresses')
    .description('list the addresses, newest first')
    .option('--labels <list>', 'only addresses with all these labels, such as team=shop')
    .action(
      cli.printing(
        (call, query: PageOptions & { labels?: string }) => call('GET /addresses', { query }),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'ADDRESS', of: ({ address }) => address },
            { title: 'EMAILS', of: ({ email_count }) => String(email_count) },
            { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
            { title: 'WEBHOOK', of: ({ webhook_url }) => webhook_url ?? '-' },
          ]),
      ),
    );

  moreOptions(withOptions(addresses.command('create'), CREATION, 'create'))
    .description('create an address; the response contains its webhook secret')
    .action(
      cli.printing(async (call, options: Options) =>
        call('POST /addresses', {
          body: {
            webhook_url: null,
            ...((await askedOf(cli, CREATION, options)) as object),
            ...allowedSendersOf(options),
            ...expectOf(options),
            ...allowedAttachmentsOf(options),
          },
        }),
      ),
    );

  addresses
    .command('show <address>')
    .description('show an address and its webhook secret')
    .action(cli.printing((call, id: string) => call('GET /addresses/{address_id}', one(id))));

  moreOptions(withOptions(addresses.command('update <address>'), CHANGE, 'update'))
    .description('change an address')
    .option('--no-allowed-senders', 'accept email from everybody')
    .action(async (id: string, options: Options) => {
      const change = await askedOf(cli, CHANGE, options);
      const keepsSome =
        namesSenders(options) || namesAttachments(options) || namesExpected(options);
      if (Object.keys(change).length === 0 && !keepsSome)
        throw usageFault('there is nothing to change');
      const { api } = await cli.connect();
      const now = keepsSome && (await api.call('GET /addresses/{address_id}', one(id)));
      const body = {
        ...change,
        ...(now && allowedSendersOf(options, now.allowed_senders)),
        ...(now && allowedAttachmentsOf(options, now.allowed_attachments)),
        ...(now && expectOf(options, now.expect)),
      };
      const { webhook_secret: _, ...changed } = await api.call('PATCH /addresses/{address_id}', {
        ...one(id),
        body,
      });
      cli.print(changed, fields); // `show` has the secret: a change must not leave it in a log
    });

  addresses
    .command('delete <address>')
    .description('delete an address; its email is refused from now on')
    .action(cli.printing((call, id: string) => call('DELETE /addresses/{address_id}', one(id))));

  addresses
    .command('rotate-secret <address>')
    .description('create a new webhook secret; the former one signs for a while, too')
    .action(
      cli.printing((call, id: string) =>
        call('POST /addresses/{address_id}/rotate-secret', one(id)),
      ),
    );

  addresses
    .command('reply-key <address>')
    .description('show the key that signs reply addresses; each view is an event')
    .action(
      cli.printing((call, id: string) => call('GET /addresses/{address_id}/reply-key', one(id))),
    );

  addresses
    .command('rotate-reply-key <address>')
    .description(
      'create a new key of reply addresses; those of the former one stay valid for a while',
    )
    .option('--overlap-hours <hours>', 'how long they do; default: 24', hoursIn)
    .action(
      cli.printing((call, id: string, options: { overlapHours?: number }) =>
        call('POST /addresses/{address_id}/rotate-reply-key', {
          ...one(id),
          body: { overlap_hours: options.overlapHours },
        }),
      ),
    );

  addresses
    .command('test <address>')
    .description('send a sample webhook to the receiver, and show what it responds')
    .action(cli.printing((call, id: string) => call('POST /addresses/{address_id}/test', one(id))));
}
