/** `inlet notifications …`: URLs that receive events of the account. */
import type { CreateNotificationRequest } from '../../core/api/api-types.generated.ts';
import type { Cli } from '../cli.ts';
import { listIn } from '../arguments.ts';
import { fields, table } from '../screen/text.ts';

const ONE = '/account/notifications/{notification_id}';

const typesOf = (types: readonly string[] | null) => types?.join(',') ?? 'all';

export function addNotificationCommands(cli: Cli): void {
  const notifications = cli.program
    .command('notifications')
    .description('URLs that receive events of the account');

  notifications
    .command('list')
    .description('list the notifications, newest first')
    .action(async () => {
      const { api } = await cli.connect();
      cli.print(await api.call('GET /account/notifications', {}), ({ data }) =>
        table(data, [
          { title: 'ID', of: ({ id }) => id },
          { title: 'URL', of: ({ url }) => url, most: 60 },
          { title: 'TYPES', of: ({ types }) => typesOf(types) },
          { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
          { title: 'FAILING SINCE', of: ({ failing_since }) => failing_since ?? '-' },
        ]),
      );
    });

  notifications
    .command('create')
    .description('send events of the account to a URL; prints the secret')
    .requiredOption('--url <url>', 'HTTPS URL that receives the events')
    .option('--types <list>', 'types of events, separated by commas; default: all', listIn)
    .option('--description <text>', 'free text')
    .action(async (body: CreateNotificationRequest) => {
      const { api } = await cli.connect();
      cli.print(await api.call('POST /account/notifications', { body }), fields);
    });

  notifications
    .command('show')
    .description('show a notification')
    .argument('<notification-id>')
    .action(async (notification_id: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call(`GET ${ONE}`, { params: { notification_id } }), fields);
    });

  notifications
    .command('test')
    .description('send an example now and show the response of the receiver')
    .argument('<notification-id>')
    .action(async (notification_id: string) => {
      const { api } = await cli.connect();
      const params = { notification_id };
      cli.print(await api.call(`POST ${ONE}/test`, { params }), fields);
    });

  notifications
    .command('rotate-secret')
    .description('replace the secret; the former one also signs for a while')
    .argument('<notification-id>')
    .action(async (notification_id: string) => {
      const { api } = await cli.connect();
      const params = { notification_id };
      cli.print(await api.call(`POST ${ONE}/rotate-secret`, { params }), fields);
    });

  notifications
    .command('delete')
    .description('delete a notification')
    .argument('<notification-id>')
    .action(async (notification_id: string) => {
      const { api } = await cli.connect();
      cli.print(await api.call(`DELETE ${ONE}`, { params: { notification_id } }), fields);
    });

  notifications
    .command('deliveries')
    .description('list the deliveries of a notification, newest first')
    .argument('<notification-id>')
    .action(async (notification_id: string) => {
      const { api } = await cli.connect();
      const params = { notification_id };
      cli.print(await api.call(`GET ${ONE}/deliveries`, { params }), ({ data }) =>
        table(data, [
          { title: 'EVENT', of: ({ event_id }) => event_id },
          { title: 'TYPE', of: ({ type }) => type },
          { title: 'STATUS', of: ({ status }) => status },
          { title: 'ATTEMPTS', of: ({ attempt_count }) => String(attempt_count) },
          { title: 'CREATED', of: ({ created_at }) => created_at },
        ]),
      );
    });
}
