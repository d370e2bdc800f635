/** `inlet receivers …`: where the email of an address goes. */
import type {
  CreateReceiverRequest,
  UpdateReceiverRequest,
} from '../../core/api/api-types.generated.ts';
import type { Cli } from '../api/cli.ts';
import { addResource, type OptionsOf } from '../resource/resource.ts';
import { WEBHOOK_OPTIONS } from '../resource/webhook-options.ts';

const ALL = '/addresses/{address_id}/receivers';
const ONE = `${ALL}/{receiver_id}` as const;
const of = (address_id: string) => ({ params: { address_id } });
const one = (address_id: string, receiver_id: string) => ({ params: { address_id, receiver_id } });

const OPTIONS = {
  ...WEBHOOK_OPTIONS,
  url: { flags: '--url <url>', about: 'HTTPS URL of the receiver; not with --mode pull' },
  description: { flags: '--description <text>', about: 'what the receiver is for' },
  is_enabled: { in: 'update', enable: 'send it new email', disable: 'send it no new email' },
} satisfies OptionsOf<CreateReceiverRequest & UpdateReceiverRequest>;

export function addReceiverCommands(cli: Cli): void {
  const receivers = addResource(cli, {
    name: 'receivers',
    about: 'receivers of the email of an address; the id of the first one is that of the address',
    one: 'receiver',
    within: '<address>',
    options: OPTIONS,
    list: {
      about: 'list the receivers of an address',
      call: (call, addressId) => call(`GET ${ALL}`, of(addressId)),
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'URL', of: ({ mode, url }) => (mode === 'pull' ? mode : (url ?? '-')), most: 60 },
        { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
        { title: 'WHEN', of: ({ when }) => when ?? '-', most: 40 },
        { title: 'FAILING SINCE', of: ({ failing_since }) => failing_since ?? '-' },
        { title: 'DESCRIPTION', of: ({ description }) => description ?? '-', most: 40 },
      ],
    },
    create: {
      about: 'add a receiver of the email of an address; prints the secret',
      call: (call, body: CreateReceiverRequest, addressId) =>
        call(`POST ${ALL}`, { ...of(addressId), body }),
    },
    show: {
      about: 'show a receiver',
      call: (call, id, addressId) => call(`GET ${ONE}`, one(addressId, id)),
    },
    update: {
      about: 'change a receiver',
      call: (call, id, body: UpdateReceiverRequest, addressId) =>
        call(`PATCH ${ONE}`, { ...one(addressId, id), body }),
    },
    remove: {
      about: 'delete a further receiver; its waiting deliveries continue',
      call: (call, id, addressId) => call(`DELETE ${ONE}`, one(addressId, id)),
    },
  });

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
