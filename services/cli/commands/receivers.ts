/** `inlet receivers …`: where the email of an address goes. */
import type { Cli } from '../api/cli.ts';
import { addResource } from '../resource/resource.ts';
import { WEBHOOK_OPTIONS } from '../resource/webhook-options.ts';

export const addReceiverCommands = (cli: Cli) =>
  addResource(cli, {
    path: '/addresses/{address_id}/receivers',
    name: 'receivers',
    about: 'receivers of the email of an address; the id of the first one is that of the address',
    one: 'receiver',
    options: {
      ...WEBHOOK_OPTIONS,
      url: { flags: '--url <url>', about: 'HTTPS URL of the receiver; not with --mode pull' },
      description: { flags: '--description <text>', about: 'what the receiver is for' },
      is_enabled: { in: 'update', enable: 'send it new email', disable: 'send it no new email' },
    },
    list: {
      about: 'list the receivers of an address',
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'URL', of: ({ mode, url }) => (mode === 'pull' ? mode : (url ?? '-')), most: 60 },
        { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
        { title: 'WHEN', of: ({ when }) => when ?? '-', most: 40 },
        { title: 'FAILING SINCE', of: ({ failing_since }) => failing_since ?? '-' },
        { title: 'DESCRIPTION', of: ({ description }) => description ?? '-', most: 40 },
      ],
    },
    create: { about: 'add a receiver of the email of an address; prints the secret' },
    show: { about: 'show a receiver' },
    update: { about: 'change a receiver' },
    remove: { about: 'delete a further receiver; its waiting deliveries continue' },
    actions: {
      'rotate-secret': 'create a new webhook secret; the former one signs for a while, too',
      test: 'send a sample webhook to the receiver, and show what it responds',
    },
  });
