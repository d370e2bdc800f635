/** `inlet receivers …`: where the email of an address goes. */
import type { UpdateReceiverRequest } from '../../core/api/api-types.generated.ts';
import type { Cli } from '../api/cli.ts';
import {
  addPayloadOptions,
  type PayloadOptions,
  withPayload,
} from '../resource/payload-options.ts';
import { usageFault } from '../terminal/failure.ts';
import { fields, table } from '../terminal/text.ts';
import {
  addWebhookOptions,
  addWebhookRemovals,
  type WebhookOptions,
  withWebhook,
} from '../resource/webhook-options.ts';

const ALL = '/addresses/{address_id}/receivers';
const ONE = `${ALL}/{receiver_id}` as const;
const of = (address_id: string) => ({ params: { address_id } });
const one = (address_id: string, receiver_id: string) => ({ params: { address_id, receiver_id } });

type CreateOptions = { url?: string; description?: string } & WebhookOptions & PayloadOptions;
type UpdateOptions = Partial<CreateOptions> & { enable?: boolean; disable?: boolean };

export function addReceiverCommands(cli: Cli): void {
  const receivers = cli.program
    .command('receivers')
    .description(
      'receivers of the email of an address; the id of the first one is that of the address',
    );

  receivers
    .command('list <address>')
    .description('list the receivers of an address')
    .action(
      cli.printing(
        (call, addressId: string) => call(`GET ${ALL}`, of(addressId)),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            {
              title: 'URL',
              of: ({ mode, url }) => (mode === 'pull' ? 'pull' : (url ?? '-')),
              most: 60,
            },
            { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
            { title: 'WHEN', of: ({ when }) => when ?? '-', most: 40 },
            { title: 'FAILING SINCE', of: ({ failing_since }) => failing_since ?? '-' },
            { title: 'DESCRIPTION', of: ({ description }) => description ?? '-', most: 40 },
          ]),
      ),
    );

  addWebhookOptions(addPayloadOptions(receivers.command('create <address>')))
    .description('add a receiver of the email of an address; prints the secret')
    .option('--url <url>', 'HTTPS URL of the receiver; not with --mode pull')
    .option('--description <text>', 'what the receiver is for')
    .action(
      cli.printing(async (call, addressId: string, options: CreateOptions) =>
        call(`POST ${ALL}`, {
          ...of(addressId),
          body: await withWebhook(cli, withPayload(options)),
        }),
      ),
    );

  receivers
    .command('show <address> <receiver-id>')
    .description('show a receiver')
    .action(
      cli.printing((call, addressId: string, id: string) => call(`GET ${ONE}`, one(addressId, id))),
    );

  addWebhookRemovals(
    addWebhookOptions(addPayloadOptions(receivers.command('update <address> <receiver-id>'))),
  )
    .description('change a receiver')
    .option('--url <url>', 'HTTPS URL of the receiver')
    .option('--description <text>', 'what the receiver is for')
    .option('--enable', 'send it new email')
    .option('--disable', 'send it no new email')
    .action(async (addressId: string, id: string, options: UpdateOptions) => {
      const body = await changeOf(cli, options);
      const { api } = await cli.connect();
      cli.print(await api.call(`PATCH ${ONE}`, { ...one(addressId, id), body }), fields);
    });

  receivers
    .command('delete <address> <receiver-id>')
    .description('delete a further receiver; its waiting deliveries continue')
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
  { enable, disable, ...change }: UpdateOptions,
): Promise<UpdateReceiverRequest> {
  if (enable && disable) throw usageFault('--enable and --disable exclude each other');
  const body = {
    ...(await withWebhook(cli, withPayload(change))),
    ...((enable || disable) && { is_enabled: enable === true }),
  };
  if (Object.keys(body).length === 0) throw usageFault('there is nothing to change');
  return body;
}
