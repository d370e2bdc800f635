/** `inlet receivers …`: where the email of an address goes, besides its own webhook URL. */
import { Option } from 'commander';

import type {
  CreateReceiverRequest,
  Receiver,
  UpdateReceiverRequest,
} from '../../core/api/api-types.generated.ts';
import type { Cli } from '../cli.ts';
import { addPayloadOptions, type PayloadOptions, withPayload } from '../payload-options.ts';
import { usageFault } from '../failure.ts';
import { jsonIn } from '../input-files.ts';
import { fields, table } from '../screen/text.ts';

const ALL = '/addresses/{address_id}/receivers';
const ONE = `${ALL}/{receiver_id}` as const;
const of = (address_id: string) => ({ params: { address_id } });
const one = (address_id: string, receiver_id: string) => ({ params: { address_id, receiver_id } });

type Format = Pick<CreateReceiverRequest, 'format' | 'signing'>;
type CreateOptions = {
  url: string;
  description?: string;
  when?: string;
  authFile?: string;
} & Format &
  PayloadOptions;
type UpdateOptions = Partial<Omit<CreateOptions, 'when'>> & {
  /** false with --no-auth */
  auth?: false;
  /** false with --no-when */
  when?: string | false;
  enable?: boolean;
  disable?: boolean;
};

const format = () =>
  new Option(
    '--format <format>',
    'what its webhooks are: of Inlet, as another service posts them, or the email itself',
  ).choices(FORMATS);

const FORMATS: Receiver['format'][] = [
  'inlet',
  'cloudevents',
  'postmark',
  'sendgrid',
  'mailgun',
  'cloudmailin',
  'raw',
];

const signing = () =>
  new Option('--signing <method>', 'ed25519 for a public key instead of a secret').choices([
    'hmac',
    'ed25519',
  ]);

/** A file, so that no secret is on the command line, where every user of the machine reads it. */
const authFile = () =>
  new Option(
    '--auth-file <file>',
    'JSON with headers, basic, oauth2 or client_certificate, by which Inlet authenticates to it',
  );

export function addReceiverCommands(cli: Cli): void {
  const receivers = cli.program
    .command('receivers')
    .description('further receivers of the email of an address');

  receivers
    .command('list <address>')
    .description('list the receivers of an address, its own first')
    .action(
      cli.printing(
        (call, addressId: string) => call(`GET ${ALL}`, of(addressId)),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'URL', of: ({ url }) => url, most: 60 },
            { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
            { title: 'WHEN', of: ({ when }) => when ?? '-', most: 40 },
            { title: 'FAILING SINCE', of: ({ failing_since }) => failing_since ?? '-' },
            { title: 'DESCRIPTION', of: ({ description }) => description ?? '-', most: 40 },
          ]),
      ),
    );

  addPayloadOptions(receivers.command('create <address>'))
    .description('send the email of an address to one more URL; prints the secret')
    .requiredOption('--url <url>', 'HTTPS URL of the receiver')
    .option('--description <text>', 'what the receiver is for')
    .option(
      '--when <expression>',
      'send it only emails for which this is true: see the filters of the docs',
    )
    .addOption(format())
    .addOption(signing())
    .addOption(authFile())
    .action(
      cli.printing(
        async (call, addressId: string, { authFile: file, ...options }: CreateOptions) => {
          const body = {
            ...withPayload(options),
            ...(file !== undefined && {
              auth: await jsonIn<CreateReceiverRequest['auth']>(cli, file),
            }),
          };
          return call(`POST ${ALL}`, { ...of(addressId), body });
        },
      ),
    );

  receivers
    .command('show <address> <receiver-id>')
    .description('show a receiver')
    .action(
      cli.printing((call, addressId: string, id: string) => call(`GET ${ONE}`, one(addressId, id))),
    );

  addPayloadOptions(receivers.command('update <address> <receiver-id>'))
    .description('change a receiver')
    .option('--url <url>', 'HTTPS URL of the receiver')
    .option('--description <text>', 'what the receiver is for')
    .option('--when <expression>', 'send it only emails for which this is true')
    .option('--no-when', 'send it all emails')
    .addOption(format())
    .addOption(signing())
    .addOption(authFile())
    .option('--no-auth', 'authenticate no longer')
    .option('--enable', 'send it new email')
    .option('--disable', 'send it no new email')
    .action(async (addressId: string, id: string, options: UpdateOptions) => {
      const body = await changeOf(cli, options);
      const { api } = await cli.connect();
      cli.print(await api.call(`PATCH ${ONE}`, { ...one(addressId, id), body }), fields);
    });

  receivers
    .command('delete <address> <receiver-id>')
    .description('delete a receiver; its waiting deliveries continue')
    .action(
      cli.printing((call, addressId: string, id: string) =>
        call(`DELETE ${ONE}`, one(addressId, id)),
      ),
    );

  receivers
    .command('rotate-secret <address> <receiver-id>')
    .description('create a new webhook secret; the former one signs for a while, too')
    .action(
      cli.printing((call, addressId: string, id: string) =>
        call(`POST ${ONE}/rotate-secret`, one(addressId, id)),
      ),
    );

  receivers
    .command('test <address> <receiver-id>')
    .description('send a sample webhook to the receiver, and show what it responds')
    .action(
      cli.printing((call, addressId: string, id: string) =>
        call(`POST ${ONE}/test`, one(addressId, id)),
      ),
    );
}

async function changeOf(
  cli: Cli,
  { enable, disable, when, authFile: file, auth, ...change }: UpdateOptions,
): Promise<UpdateReceiverRequest> {
  if (enable && disable) throw usageFault('--enable and --disable exclude each other');
  const body = {
    ...withPayload(change),
    ...(when !== undefined && { when: when === false ? null : when }),
    ...(auth === false && { auth: null }),
    ...(file !== undefined && { auth: await jsonIn<CreateReceiverRequest['auth']>(cli, file) }),
    ...((enable || disable) && { is_enabled: enable === true }),
  };
  if (Object.keys(body).length === 0) throw usageFault('there is nothing to change');
  return body;
}
