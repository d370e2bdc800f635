/** Bodies of large emails are removed when their replay window ends, and not before. */
import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';

import { createMeter } from '../../../services/adapters/process/meter.ts';
import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createObjects } from '../../../services/adapters/stream/objects/objects.ts';
import { createMailErasure } from '../../../services/adapters/stream/erase.ts';
import { openMailStreams } from '../../../services/adapters/stream/replay.ts';
import { createRegistry } from '../../../services/adapters/process/observe.ts';
import { createSweeps } from '../../../services/adapters/process/sweeps.ts';
import { startJanitor } from '../../../services/dispatcher/upkeep/janitor.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const MINUTE_MS = 60_000;
const pipeline = await useInFile(startPipeline());

async function large(path: string, status: number): Promise<string> {
  const { address } = await pipeline.address(path);
  pipeline.receiver.answer(path, () => status);
  await pipeline.mailer.sendMail({
    from: 'a@b.example',
    to: address,
    subject: path,
    text: path,
    attachments: [{ filename: 'a', content: randomBytes(700_000) }],
  });
  const { payload } = await pipeline.receiver.nth(path, 1);
  await until('the end', async () =>
    (
      await pipeline.mongo.db
        .collection<{ _id: string; status: string }>('deliveries')
        .findOne({ _id: payload.event_id })
    )?.status.match(/delivered|failed/),
  );
  return payload.event_id;
}

test('a delivered body is removed after its window, a failed one stays for replay', async () => {
  const [delivered, failed] = [await large('/fine', 200), await large('/broken', 400)];
  const bodies = createObjects((await openMailStreams(pipeline.nats)).bodies);
  const deliveries = createDeliveries(pipeline.mongo.db);
  const purgedFrom: Date[] = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const start = Date.now();
    let now = new Date(start);
    using _janitor = startJanitor(
      {
        purgeMail: async (keepFrom) => purgedFrom.push(keepFrom),
        keepFree: () => Promise.resolve(0),
        bodies,
        contents: createMailErasure(await openMailStreams(pipeline.nats)),
        region: undefined,
        deliveries,
      },
      10 * MINUTE_MS,
      createSweeps(createMeter(createRegistry('test')), () => now, log),
      log,
    );
    await until('the first round, immediately', () => purgedFrom.length === 1);
    expect([await bodies.has(delivered), await bodies.has(failed)]).toEqual([true, true]);

    now = new Date(start + 11 * MINUTE_MS);
    await until('the body to go', async () => {
      vi.advanceTimersByTime(MINUTE_MS);
      return !(await bodies.has(delivered));
    });
    expect(await bodies.has(failed)).toBe(true);
    await until(
      'the record to say so',
      async () => (await deliveries.bodiesToRemove(now, 10, undefined)).length === 0,
    );
  } finally {
    vi.useRealTimers();
  }
});

test('a round removes all bodies whose window has ended, however many there are', async () => {
  let left = 1_450;
  const removed: string[] = [];
  using _janitor = startJanitor(
    {
      purgeMail: () => Promise.resolve(0),
      keepFree: () => Promise.resolve(0),
      bodies: { remove: async (eventId) => void removed.push(eventId) },
      contents: { remove: () => Promise.resolve(), erase: () => Promise.resolve() },
      region: undefined,
      deliveries: {
        bodiesToRemove: async (_, limit) =>
          Array.from({ length: Math.min(limit, left) }, (_one, at) => `evt_${left - at}`),
        bodiesRemoved: async (eventIds) => void (left -= eventIds.length),
        endedContents: async () => [],
        contentsRemoved: () => Promise.resolve(),
        forgetTexts: () => Promise.resolve(0),
      },
    },
    MINUTE_MS,
    createSweeps(createMeter(createRegistry('test')), () => new Date(), log),
    log,
  );
  await until('the first round', () => left === 0);
  expect(new Set(removed).size).toBe(1_450);
});
