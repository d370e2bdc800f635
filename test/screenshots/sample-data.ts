/** What the screenshots show: the demo of `npm start -- --demo`, and what it leaves out. */
import type { ApiClient } from '../../services/standalone/round-trip/api-client.ts';
import { DEMO_ADDRESSES } from '../../services/standalone/demo/demo-mails.ts';
import { fillDemo } from '../../services/standalone/demo/demo.ts';
import type { StandaloneState } from '../../services/standalone/state/state.ts';
import { until } from '../support/until.ts';

export type Samples = { addressId: string; waiting: string; rich: string };

export const sampleData = () => ({
  settings: { RETRY_SCHEDULE: '20m,1h', MAIL_AUTH: 'true', INBOUND_DOMAIN: 'in.example.com' },
  create,
});

async function create(state: StandaloneState, api: ApiClient): Promise<Samples> {
  const sent = await fillDemo(state, api);
  await api('POST', '/domains', { domain: 'mail.northwind.example' });
  await api('POST', '/account/tokens', { name: 'Web shop', permissions: ['deliveries:read'] });
  type Item = { event_id: string; status: string; subject: string | null };
  const items = await until('every email was attempted', async () => {
    const { data } = (await api('GET', '/deliveries?limit=100')).body as { data: Item[] };
    return data.filter(({ status }) => status !== 'pending').length >= sent ? data : undefined;
  });
  const idOf = (matches: (item: Item) => boolean) => items.find(matches)?.event_id ?? '';
  const { description = '' } = DEMO_ADDRESSES[0] ?? {};
  const path = `/addresses?search=${encodeURIComponent(description)}`;
  const { data } = (await api('GET', path)).body as { data: { id: string }[] };
  return {
    addressId: data[0]?.id ?? '',
    waiting: idOf(({ status }) => status === 'retrying'),
    rich: idOf(({ status, subject }) => status === 'delivered' && subject === 'Order 10492'),
  };
}
