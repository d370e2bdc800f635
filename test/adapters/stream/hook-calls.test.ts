/** J2: calls of hooks over NATS, without a dispatcher that makes them. */
import { expect, test } from 'vitest';

import { createHookCalls } from '../../../services/adapters/messages/hook-calls.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { log } from '../../support/pipeline.ts';
import { startTestNats } from '../../support/servers.ts';

test('a hook that no dispatcher could call was not called', async () => {
  await using server = await startTestNats();
  await using nats = await connectNats({ url: server.url, name: 'test' }, log);
  const call = { url: 'https://hook.example/', event_id: 'evt_1', address_id: 'addr_1' };
  const response = await createHookCalls(nats)({ ...call, timeout_ms: 5_000 }, Buffer.from('{}'));
  expect(response).toMatchObject({ error: 'no dispatcher is running', wasNotCalled: true });
});
