/**
 * Outcomes while the primary is killed under load, again and again: every one is recorded once
 * (D160). `INLET_KILLS=200 npm test -- test/dispatcher/primary-killed.slow.test.ts` for a long run.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { createAddresses } from '../../services/adapters/mongo/address/addresses.ts';
import { connectMongo, ensureIndexes } from '../../services/adapters/mongo/database/connection.ts';
import { createDeliveries } from '../../services/adapters/mongo/delivery/deliveries.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { INDEXES } from '../../services/adapters/mongo/stores.ts';
import { recountUsage } from '../../services/adapters/mongo/usage/recount.ts';
import { createOutcomeRecorder } from '../../services/dispatcher/outcome/outcome-recorder.ts';
import { changeTo, mailEvent } from '../support/mail-events.ts';
import { newAddress } from '../support/new-address.ts';
import { log } from '../support/pipeline.ts';
import { startTestMongod, type TestServer } from '../support/servers.ts';
import { counted } from './delivery-records.ts';

const KILLS = Number(process.env.INLET_KILLS ?? 3);
const DISPATCHERS = 2;
/** Of each dispatcher, all the time. */
const IN_FLIGHT = 20;
const KILL_AFTER_MS = 400;

test(
  `the primary is killed ${KILLS} times under load: every outcome is recorded once`,
  async () => {
    await using server = await startTestMongod();
    await using setUp = await connectMongo(server.url, log);
    await ensureIndexes(setUp.db, [INDEXES.deliveries, INDEXES.usage, INDEXES.events]);
    const address = newAddress('https://receiver.example/');
    await createAddresses(setUp.db, createSecretBox([randomBytes(32)])).insert(address);
    const refused: number[] = [];
    const attempts = new Map<string, number>();
    let isOver = false;

    const load = async (record: ReturnType<typeof createOutcomeRecorder>) => {
      while (!isOver) {
        const event = mailEvent(address, new Date());
        const changes = [
          { ...changeTo('retrying', event), isNew: true },
          changeTo(attempts.size % 2 === 0 ? 'delivered' : 'failed', event),
        ];
        for (const change of changes)
          if ((await record(change)) !== undefined)
            attempts.set(event.event_id, (attempts.get(event.event_id) ?? 0) + 1);
      }
    };
    const dispatch = async (): Promise<void> => {
      await using mongo = await connectMongo(server.url, log);
      const metrics = { recorded: () => undefined, refused: () => void refused.push(1) };
      const never = new AbortController().signal;
      const deliveries = createDeliveries(mongo.db);
      const record = createOutcomeRecorder(deliveries, () => new Date(), metrics, never, log);
      await Promise.all(Array.from({ length: IN_FLIGHT }, () => load(record)));
    };
    const dispatching = Promise.all(Array.from({ length: DISPATCHERS }, dispatch));
    for (let kills = 0; kills < KILLS; kills++) {
      await sleep(KILL_AFTER_MS * (0.5 + ((kills * 0.37) % 1)));
      await server.kill();
      await restarted(server);
      await setUp.ping().catch(() => undefined);
    }
    await sleep(KILL_AFTER_MS);
    isOver = true;
    await dispatching;

    expect(refused).toEqual([]);
    expect(attempts.size).toBeGreaterThan(KILLS * IN_FLIGHT);
    const records = await setUp.db
      .collection<{ _id: string; attempt_count: number; status: string }>('deliveries')
      .find()
      .toArray();
    expect(new Map(records.map((one) => [one._id, one.attempt_count]))).toEqual(attempts);
    const inAll = (status: string) => records.filter((one) => one.status === status).length;
    expect(await counted({ mongo: setUp })).toEqual({
      received: records.length,
      delivered: inAll('delivered'),
      failed: inAll('failed'),
    });
    expect(await Array.fromAsync(recountUsage(setUp.db))).toEqual([]);
  },
  60_000 + KILLS * 20_000,
);

/** On a busy machine, mongod may take longer than its harness waits. */
async function restarted(server: TestServer): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await server.restart();
    } catch (error) {
      if (tries === 5) throw error;
    }
}
