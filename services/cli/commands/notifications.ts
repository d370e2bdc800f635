/** `inlet notifications …`: URLs that receive events of the account. */
import type { CreateNotificationRequest } from '../../core/api/api-types.generated.ts';
import { listIn } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../screen/text.ts';

const ONE = '/account/notifications/{notification_id}';
const one = (notification_id: string) => ({ params: { notification_id } });

export function addNotificationCommands(cli: Cli): void {
  const notifications = cli.program
    .command('notifications')
    .description('URLs that receive events of the account');

  notifications
    .command('list')
    .description('list the notifications, newest first')
    .action(
      cli.printing(
        (call) => call('GET /account/notifications', {}),
        ({ data }) =>
          table(data, [
            { title: 'ID', of: ({ id }) => id },
            { title: 'URL', of: ({ url }) => url, most: 60 },
            { title: 'TYPES', of: ({ types }) => types?.join(',') ?? 'all' },
            { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
            { title: 'FAILING SINCE', of: ({ failing_since }) => failing_since ?? '-' },
          ]),
      ),
    );

  notifications
    .command('create')
    .description('send events of the account to a URL; prints the secret')
    .requiredOption('--url <url>', 'HTTPS URL that receives the events')
    .option('--types <list>', 'types of events, separated by commas; default: all', listIn)
    .option('--description <text>', 'free text')
    .action(
      cli.printing((call, body: CreateNotificationRequest) =>
        call('POST /account/notifications', { body }),
      ),
    );

  notifications
    .command('show <notification-id>')
    .description('show a notification')
    .action(cli.printing((call, id: string) => call(`GET ${ONE}`, one(id))));

  notifications
    .command('test <notification-id>')
    .description('send an example now and show the response of the receiver')
    .action(cli.printing((call, id: string) => call(`POST ${ONE}/test`, one(id))));

  notifications
    .command('rotate-secret <notification-id>')
    .description('replace the secret; the former one also signs for a while')
    .action(cli.printing((call, id: string) => call(`POST ${ONE}/rotate-secret`, one(id))));

  notifications
    .command('delete <notification-id>')
    .description('delete a notification')
    .action(cli.printing((call, id: string) => call(`DELETE ${ONE}`, one(id))));

  notifications
    .command('deliveries <notification-id>')
    .description('list the deliveries of a notification, newest first')
    .action(
      cli.printing(
        (call, id: string) => call(`GET ${ONE}/deliveries`, one(id)),
        ({ data }) =>
          table(data, [
            { title: 'EVENT', of: ({ event_id }) => event_id },
            { title: 'TYPE', of: ({ type }) => type },
            { title: 'STATUS', of: ({ status }) => status },
            { title: 'ATTEMPTS', of: ({ attempt_count }) => String(attempt_count) },
            { title: 'CREATED', of: ({ created_at }) => created_at },
          ]),
      ),
    );
}
