/** `inlet notifications …`: URLs that receive events of the account. */
import type { Cli } from '../api/cli.ts';
import { addResource } from '../resource/resource.ts';
import { listIn } from '../terminal/arguments.ts';
import { table } from '../terminal/text.ts';

export function addNotificationCommands(cli: Cli): void {
  const notifications = addResource(cli, {
    path: '/account/notifications',
    name: 'notifications',
    about: 'URLs that receive events of the account',
    one: 'notification',
    options: {
      url: { flags: '--url <url>', about: 'HTTPS URL that receives the events', isRequired: true },
      types: {
        flags: '--types <list>',
        about: 'types of events, separated by commas, or all',
        initial: 'all',
        parse: (text) => (text === 'all' ? null : listIn(text)),
      },
      description: { flags: '--description <text>', about: 'free text' },
      is_enabled: { in: 'update', enable: 'send new events', disable: 'send no new events' },
    },
    list: {
      about: 'list the notifications, newest first',
      columns: [
        { title: 'ID', of: ({ id }) => id },
        { title: 'URL', of: ({ url }) => url, most: 60 },
        { title: 'TYPES', of: ({ types }) => types?.join(',') ?? 'all' },
        { title: 'ENABLED', of: ({ is_enabled }) => (is_enabled ? 'yes' : 'no') },
        { title: 'FAILING SINCE', of: ({ failing_since }) => failing_since ?? '-' },
      ],
    },
    create: { about: 'send events of the account to a URL; prints the secret' },
    show: { about: 'show a notification' },
    update: { about: 'change a notification' },
    remove: { about: 'delete a notification' },
    actions: {
      test: 'send an example now and show the response of the receiver',
      'rotate-secret': 'replace the secret; the former one also signs for a while',
    },
  });

  notifications
    .command('deliveries <notification>')
    .description('list the deliveries of a notification, newest first')
    .action(
      cli.printing(
        (call, notification_id: string) =>
          call('GET /account/notifications/{notification_id}/deliveries', {
            params: { notification_id },
          }),
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
