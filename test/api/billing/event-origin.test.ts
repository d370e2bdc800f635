/** D15: every event of a change through the API names its request, and where it came from. */
import { expect, test } from 'vitest';

import { until } from '../../support/until.ts';
import { openDashboard } from '../session/dashboard.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({ RETRY_SCHEDULE: '1h,2h,3h' }));

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

async function change(method: Method, path: string, body?: object) {
  const answer = await whole.api.ask(method, `/v1${path}`, body && { body });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body as { id: string };
}

/** The ids of emails whose first attempt failed. */
async function asleep(path: string, emails: number): Promise<string[]> {
  whole.pipeline.receiver.answer(path, (count) => (count <= emails ? 503 : 200));
  const { id, address } = await whole.address(path);
  for (let n = 0; n < emails; n++) await whole.send(address, `${path} ${n}`);
  return until('all to sleep', async () => {
    const { body } = await whole.api.ask('GET', `/v1/deliveries?address_id=${id}&status=retrying`);
    const found = (body.data as { event_id: string }[]).map(({ event_id }) => event_id);
    return found.length === emails ? found : undefined;
  });
}

test('D15: each kind of change has source_ip and request_id', async () => {
  const [retried = '', canceled = ''] = await asleep('/origin', 2);
  await change('POST', `/deliveries/${canceled}/cancel`);
  await change('POST', `/deliveries/${retried}/retry`);
  await whole.pipeline.receiver.nth('/origin', 3);
  await change('POST', `/deliveries/${canceled}/replay`);
  await change('POST', '/deliveries/replay', { status: 'failed' });
  const { id } = await whole.address('/changed');
  await change('PATCH', `/addresses/${id}`, { description: 'new' });
  await change('GET', `/addresses/${id}/secret`);
  await change('DELETE', `/addresses/${id}`);
  const token = await change('POST', '/account/tokens', { name: 'another' });
  await change('DELETE', `/account/tokens/${token.id}`);
  await change('PATCH', '/account', { name: 'Another' });
  const domain = await change('POST', '/domains', { domain: 'origin.example' });
  await change('DELETE', `/domains/${domain.id}`);
  await (await openDashboard(whole.api)).ask('DELETE', '/v1/sessions/current');

  const { body } = await whole.api.ask('GET', '/v1/usage/events?limit=100');
  const events = body.data as { type: string; data: Record<string, unknown> }[];
  const ofRequests = events.filter(({ data }) => data.request_id !== undefined);
  expect(ofRequests.filter(({ data }) => data.source_ip !== '127.0.0.1')).toEqual([]);
  expect(ofRequests.map(({ type }) => type).toSorted()).toEqual([
    'account.updated',
    'address.created',
    'address.created',
    'address.deleted',
    'address.secret_viewed',
    'address.updated',
    'delivery.replayed',
    'delivery.replayed',
    'delivery.replayed',
    'domain.created',
    'domain.deleted',
    'session.created',
    'session.ended',
    'token.created',
    'token.deleted',
    'webhook.failed',
  ]);
});
