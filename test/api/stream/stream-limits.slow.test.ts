/** Streams end soon after their token. */
import { expect, test } from 'vitest';

import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';
import { startTestApi } from '../../support/start-api.ts';
import { openStream } from './event-source.ts';

test('a stream ends within ten seconds of its token, whatever else its client does', async () => {
  await using api = await startTestApi({ constants: { authFailuresPerMinute: 1 } });
  const { token, id } = await api.issue();
  const headers = { authorization: `Bearer ${token}` };
  await using stream = await openStream(api, { headers });
  await stream.nth('stream.ready');
  await api.ask('DELETE', `/v1/account/tokens/${id}`);
  const revokedAt = Date.now();
  const failures = [await api.ask('GET', '/v1/account', { token })];
  failures.push(await api.ask('GET', '/v1/account', { token }));
  expect(failures.map(({ status }) => status)).toEqual([401, 429]);
  await until('the end of the stream', async () => stream.isOver());
  expect(Date.now() - revokedAt).toBeLessThan(atMost(10_000));
});
