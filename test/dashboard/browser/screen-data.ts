/** Data for every screen: emails in each state, an address that fails, and a domain. */
import {
  ADDRESSES,
  type StoredAddress,
} from '../../../services/adapters/mongo/documents/address-documents.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import type { DashboardTest } from './dashboard.ts';

const DAY_MS = 86_400_000;

const RULES = [
  { name: 'partners', when: 'sender in lists.partners', action: 'tag', tags: ['partner'] },
  { name: 'large', when: 'size_bytes > 5242880 || is_list', action: 'hold' },
];

/** Ids for the paths of the detail screens. */
export type ScreenData = Record<
  'address' | 'failing' | 'domain' | 'list' | 'bucket' | 'delivered' | 'failed' | 'waiting' | 'raw',
  string
>;

export async function createScreenData(dashboard: DashboardTest): Promise<ScreenData> {
  const { whole } = dashboard;
  const address = await whole.address('/screens');
  const responses = [200, { status: 410, body: 'This receiver has moved.' }, 503];
  whole.receiver.answer('/screens', (count) => responses[count - 1] ?? 200);
  const delivered = await dashboard.sent(address, 'delivered', 'delivered', {
    html: '<h1>Hello</h1><p>This is <b>delivered</b>.</p>',
    attachments: [{ filename: 'notes.txt', content: 'a note' }],
  });
  const failed = await dashboard.sent(address, 'failed', 'failed');
  const waiting = await dashboard.sent(address, 'waiting', 'retrying');
  const withRaw = await whole.address('/raw', { payload: { attachments: 'inline', raw: true } });
  const raw = await dashboard.sent(withRaw, 'raw', 'delivered');
  const failing = await whole.address('/failing');
  await using mongo = await connectMongo(whole.standalone.state().mongodb_uri, createLog('silent'));
  const noticedAt = new Date();
  await mongo.db.collection<StoredAddress>(ADDRESSES).updateOne(
    { _id: failing.id },
    {
      $set: {
        failing_since: new Date(noticedAt.getTime() - 6 * DAY_MS),
        failing_noticed_at: noticedAt,
      },
    },
  );
  const { body } = await whole.call('POST', '/domains', { domain: 'mail.example' });
  const { id: domain } = body as { id: string };
  const list = await whole.call('POST', '/lists', { name: 'partners', entries: ['a.example'] });
  const { id: listId } = list.body as { id: string };
  const bucket = await whole.call('POST', '/account/buckets', {
    name: 'files',
    endpoint: 'https://s3.example.com',
    bucket: 'example-mail',
    credentials: { access_key_id: 'AKIAEXAMPLE', secret_access_key: 'example-secret' },
  });
  const { id: bucketId } = bucket.body as { id: string };
  await whole.call('PATCH', `/addresses/${address.id}`, { rules: RULES });
  return {
    address: address.id,
    failing: failing.id,
    domain,
    list: listId,
    bucket: bucketId,
    delivered,
    failed,
    waiting,
    raw,
  };
}

/** Paths of the screens that the navigation leads to, such as `/mail`. */
export async function screensInNavigation(dashboard: DashboardTest): Promise<string[]> {
  const { page } = await dashboard.open('/mail');
  const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
  const paths = await links.evaluateAll((all) =>
    all.map((link) => (link as unknown as { pathname: string }).pathname.replace('/dashboard', '')),
  );
  await page.context().close();
  return paths;
}
