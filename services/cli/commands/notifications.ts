/** `inlet notifications …`: URLs that receive events of the account. */
import type {
  CreateNotificationRequest,
  UpdateNotificationRequest,
} from '../../core/api/api-types.generated.ts';
import { listIn } from '../terminal/arguments.ts';
import type { Cli } from '../api/cli.ts';
import { addResource, type OptionsOf } from '../resource/resource.ts';
import { table } from '../terminal/text.ts';

const ALL = '/account/notifications';
const ONE = '/account/notifications/{notification_id}';
const one = (notification_id: string) => ({ params: { notification_id } });

const OPTIONS = {
  url: { flags: '--url <url>', about: 'HTTPS URL that receives the events', isRequired: true },
  types: {
    flags: '--types <list>',
    about: 'types of events, separated by commas, or all',
    initial: 'all',
    parse: (text) => (text === 'all' ? null : listIn(text)),
  },
  description: { flags: '--description <text>', about: 'free text' },
  is_enabled: { in: 'update', enable: 'send new events', disable: 'send no new events' },
} satisfies OptionsOf<CreateNotificationRequest & UpdateNotificationRequest>;

export function addNotificationCommands(cli: Cli): void {
  const notifications = addResource(cli, {
    name: 'notifications',
    about: 'URLs that receive events of the account',
    one: 'notification',
    options: OPTIONS,
    list: {
      about: 'list the notifications, newest first',
      call: (call) => call(`GET ${ALL}`, {}),
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'URL', of: ({ url }) => url, most: 60 },
        { title: 'TYPES', of: ({ types }) => types?.join(',') ?? 'all' },
        { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
        { title: 'FAILING SINCE', of: ({ failing_since }) => failing_since ?? '-' },
      ],
    },
    create: {
      about: 'send events of the account to a URL; prints the secret',
      call: (call, body: CreateNotificationRequest) => call(`POST ${ALL}`, { body }),
    },
    show: { about: 'show a notification', call: (call, id) => call(`GET ${ONE}`, one(id)) },
    update: {
      about: 'change a notification',
      call: (call, id, body: UpdateNotificationRequest) =>
        call(`PATCH ${ONE}`, { ...one(id), body }),
    },
    remove: { about: 'delete a notification', call: (call, id) => call(`DELETE ${ONE}`, one(id)) },
  });

  notifications
    .command('test <notification-id>')
    .description('send an example now and show the response of the receiver')
    .action(cli.printing((call, id: string) => call(`POST ${ONE}/test`, one(id))));

  notifications
    .command('rotate-secret <notification-id>')
    .description('replace the secret; the former one also signs for a while')
    .action(cli.printing((call, id: string) => call(`POST ${ONE}/rotate-secret`, one(id))));

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
