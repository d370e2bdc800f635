/** An account of its own with a notification, whose URL is a path of the receiver. */
import type { NotificationPayload } from '../../../services/core/notification/notification-payload.ts';
import type { NotificationView } from '../../../services/core/notification/notification.ts';
import type { Webhook } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import type { Answer } from '../../support/start-api.ts';
import type { InProcess } from '../../support/start-in-process.ts';

export type Subscriber = {
  accountId: string;
  /** Calls the API with a token of the account. */
  ask: (method: string, path: string, body?: object) => Promise<Answer>;
  notification: NotificationView & { webhook_secret: string };
  /** Path of its calls. */
  path: string;
  /** Waits for its nth request. */
  nth: (n: number) => Promise<Webhook & { payload: NotificationPayload }>;
  received: () => Webhook[];
  /** Causes one event of the account: a token is created. */
  cause: (name?: string) => Promise<void>;
  deliveries: () => Promise<Record<string, unknown>[]>;
  /** Waits for the records of so many deliveries, and reads all. */
  recorded: (count: number) => Promise<Record<string, unknown>[]>;
  /** Waits until all events of the account are in the queue. */
  published: () => Promise<unknown>;
};

export async function subscribe(
  whole: InProcess,
  hook: string,
  fields: object = {},
): Promise<Subscriber> {
  const { id: accountId } = await whole.api.newAccount();
  const { token } = await whole.api.issue({ accountId });
  const ask: Subscriber['ask'] = (method, path, body) =>
    whole.api.ask(method, path, { token, ...(body && { body }) });
  const { receiver } = whole.pipeline;
  const created = await ask('POST', '/v1/account/notifications', {
    url: receiver.url(hook),
    ...fields,
  });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const notification = created.body as Subscriber['notification'];
  const path = `/v1/account/notifications/${notification.id}`;
  const deliveries = async () =>
    (await ask('GET', `${path}/deliveries`)).body.data as Record<string, unknown>[];
  return {
    accountId,
    ask,
    notification,
    path,
    nth: async (n) => (await receiver.nth(hook, n)) as never,
    received: () => receiver.received(hook),
    cause: async (name = 'new') => {
      const { status } = await ask('POST', '/v1/account/tokens', { name });
      if (status !== 201) throw new Error(`a token: ${status}`);
    },
    deliveries,
    recorded: (count) =>
      until(`${count} deliveries`, async () => {
        const found = await deliveries();
        return found.length >= count ? found : undefined;
      }),
    published: () =>
      until('all events in the queue', async () => {
        const due = { account_id: accountId, to_notify: true };
        return (await whole.api.mongo.db.collection('events').countDocuments(due)) === 0;
      }),
  };
}
