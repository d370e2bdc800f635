/**
 * The connection to MongoDB breaks at each command of a request: the answer is right, or 503, and
 * never 500 (D5, D160).
 */
import { expect, test } from 'vitest';

import { BREAKS, startBreakingMongo } from '../../support/mongo-breaks.ts';
import { testMongo } from '../../support/servers.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';

const AWAY_MS = 40;
/** Writes of one document, of several in a transaction, and reads. */
const CALLS = [
  ['POST', '/v1/addresses', { webhook_url: HOOK }],
  ['PATCH', '/v1/addresses/{id}', { description: 'changed' }],
  ['GET', '/v1/deliveries', undefined],
  ['POST', '/v1/deliveries/replay', { status: 'failed' }],
] as const;

test('each command of a request broken in each way: the answer is right, or 503', async () => {
  await using place = await testMongo();
  await using breaking = await startBreakingMongo(place.uri, AWAY_MS);
  await using api = await startTestApi({ mongoUri: breaking.uri });
  const { id } = await api.create();
  const wrong: string[] = [];
  let broken = 0;
  for (const [method, path, body] of CALLS)
    for (const how of BREAKS) {
      let at = 0;
      do {
        breaking.breakAt({ at, how });
        const options = body === undefined ? {} : { body };
        const { status } = await api.ask(method, path.replace('{id}', id), options);
        broken++;
        if (status >= 300 && status !== 503)
          wrong.push(`${method} ${path} ${how} ${at}: ${status}`);
      } while (breaking.commands() >= ++at);
    }
  expect(wrong).toEqual([]);
  expect(broken).toBeGreaterThan(CALLS.length * BREAKS.length);
});
