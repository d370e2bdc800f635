/** The connection to NATS comes back when NATS does, whatever the clock of the machine did meanwhile. */
import { expect, test, vi } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { startTestNats } from '../../support/servers.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
const ownTime = Date.now;

test.each([
  ['was a day ahead', DAY_MS, 0],
  ['is set back by a day', 0, -DAY_MS],
  ['is set to 1970', 0, -ownTime()],
  ['is set ahead by a day', 0, DAY_MS],
])('U.1: a clock that %s', async (_, connectedMs, thenMs) => {
  const clock = vi.spyOn(Date, 'now');
  const shift = (ms: number) => clock.mockImplementation(() => ownTime() + ms);
  try {
    shift(connectedMs);
    await using server = await startTestNats();
    await using proxy = await startTcpProxy(Number(new URL(server.url).port));
    const url = `nats://127.0.0.1:${proxy.port}`;
    await using nats = await connectNats({ url, name: 'test' }, createLog('silent'));
    await proxy.fail('cut');
    await until('the disconnect', () => !nats.isConnected());
    shift(thenMs);
    await proxy.heal();
    await until('the reconnect', () => nats.isConnected());
    expect(await nats.connection.rtt()).toEqual(expect.any(Number));
  } finally {
    clock.mockRestore();
  }
});
