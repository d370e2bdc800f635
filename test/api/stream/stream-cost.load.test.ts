/** What waiting requests cost while a stream is open. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { timestamp } from '../../../services/core/time/timestamp.ts';
import { atMost } from '../../support/slowdown.ts';
import { startInProcess, type InProcess } from '../../support/start-in-process.ts';
import { openStream } from './event-source.ts';

let system: InProcess;
beforeAll(async () => {
  system = await startInProcess();
});
afterAll(() => system[Symbol.asyncDispose]());

const wait = (id: string, more: string) =>
  system.api.ask('GET', `/v1/deliveries/wait?address_id=${id}${more}`);

test('a hundred waiters of an account get their email while a stream is open, and cost almost nothing', async () => {
  const { id, address } = await system.address('/hundred');
  await using stream = await openStream(system.api);
  await wait(id, '&timeout=1');
  const since = timestamp(new Date(Date.now() - 1_000));
  const waiting = Array.from({ length: 100 }, () => wait(id, `&timeout=60&since=${since}`));
  await sleep(1_000); // all of them wait
  const { user, system: kernel } = process.cpuUsage();
  await sleep(2_000);
  const used = process.cpuUsage({ user, system: kernel });
  // API, gateway and dispatcher run in this process
  expect((used.user + used.system) / 1_000).toBeLessThan(atMost(1_000));
  expect(stream.status).toBe(200);
  await system.send(address, 'for all');
  const answers = await Promise.all(waiting);
  expect(answers.map(({ status, body }) => `${status} ${String(body.subject)}`)).toEqual(
    Array<string>(100).fill('200 for all'),
  );
});
