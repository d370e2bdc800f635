/** `inlet addresses …`. */
import type { Command } from 'commander';

import type { Address } from '../../core/api/api-types.generated.ts';
import type { Cli } from '../api/cli.ts';
import { ADDRESS_OPTIONS } from '../resource/address-options.ts';
import {
  allowedAttachmentsOf,
  type AttachmentOptions,
  attachmentOptions,
  namesAttachments,
} from '../resource/attachment-options.ts';
import {
  type ExpectOptions,
  expectOf,
  expectOptions,
  namesExpected,
} from '../resource/expect-options.ts';
import { addResource } from '../resource/resource.ts';
import {
  allowedSendersOf,
  namesSenders,
  type SenderOptions,
  senderOptions,
} from '../resource/sender-options.ts';
import { hoursIn } from '../terminal/arguments.ts';

type Options = AttachmentOptions & ExpectOptions & SenderOptions;

const moreOptions = (command: Command): Command =>
  expectOptions(attachmentOptions(senderOptions(command)));

const repliesOf = ({ replyAddresses: replies }: Options) =>
  replies && { reply_addresses: replies !== 'off', reply_only: replies === 'only' };

/** Fields of which an update changes a part. @param now of the address */
const partsOf = (options: Options, now?: Address) => ({
  ...allowedSendersOf(options, now?.allowed_senders),
  ...expectOf(options, now?.expect),
  ...allowedAttachmentsOf(options, now?.allowed_attachments),
});

const one = (address_id: string) => ({ params: { address_id } });

export function addAddressCommands(cli: Cli): void {
  const addresses = addResource(cli, {
    path: '/addresses',
    name: 'addresses',
    about: 'addresses that receive email',
    one: 'address',
    options: ADDRESS_OPTIONS,
    list: {
      about: 'list the addresses, newest first',
      isPaged: true,
      filters: {
        options: (command) =>
          command.option(
            '--labels <list>',
            'only addresses with all these labels, such as team=shop',
          ),
        value: (query) => query,
      },
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'ADDRESS', of: ({ address }) => address },
        { title: 'EMAILS', of: ({ email_count }) => String(email_count) },
        { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
        { title: 'WEBHOOK', of: ({ webhook_url }) => webhook_url ?? '-' },
      ],
    },
    create: {
      about: 'create an address; the response contains its webhook secret',
      more: {
        options: moreOptions,
        value: (options: Options) => ({
          webhook_url: null,
          ...repliesOf(options),
          ...partsOf(options),
        }),
      },
    },
    show: { about: 'show an address and its webhook secret' },
    update: {
      about: 'change an address',
      more: {
        options: (command) =>
          moreOptions(command).option('--no-allowed-senders', 'accept email from everybody'),
        value: async (options: Options, shown) => {
          const keepsSome =
            namesSenders(options) || namesAttachments(options) || namesExpected(options);
          return { ...repliesOf(options), ...(keepsSome && partsOf(options, await shown())) };
        },
      },
      hides: 'webhook_secret', // `show` has it: a change must not leave it in a log
    },
    remove: { about: 'delete an address; its email is refused from now on' },
    actions: {
      'rotate-secret': 'create a new webhook secret; the former one signs for a while, too',
      test: 'send a sample webhook to the receiver, and show what it responds',
    },
  });

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
}
