/**
 * Inlet from the inside, for scenarios: its streams, records, metrics, and the present pids of its
 * processes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';

import { createLog } from '../../services/adapters/process/log.ts';
import { connectMongo, type Mongo } from '../../services/adapters/mongo/database/connection.ts';
import { connectNats } from '../../services/adapters/stream/connection/connection.ts';
import {
  DISPATCHER_CONSUMER,
  existingPartitions,
  retryStream,
} from '../../services/adapters/stream/events/streams.ts';
import type { StandaloneState } from '../../services/standalone/state/state.ts';
import type { Bed } from './bed.ts';

/** Total published, and total delivered to dispatchers, redeliveries included. */
export type RetryLane = { published: number; deliveries: number };

export type InletInside = AsyncDisposable & {
  state(): Promise<StandaloneState>;
  mongo: Mongo;
  retryLane(): Promise<RetryLane>;
  /** Sum over all labels; NaN if there is no such metric. */
  metric(service: 'gateway' | 'dispatcher', name: string): Promise<number>;
  /** Removes the emails of an address, or of all (`*`), from the retry lane. */
  purgeRetries(addressId: string, accountId?: string): Promise<void>;
};

const log = createLog('silent');

export async function lookInside(bed: Bed): Promise<InletInside> {
  await using parts = new AsyncDisposableStack();
  const state = async () =>
    JSON.parse(
      await readFile(join(bed.dataDir, 'inlet', 'standalone.json'), 'utf8'),
    ) as StandaloneState;
  const { nats_url, mongodb_uri } = await state();
  const nats = parts.use(await connectNats({ url: nats_url, name: 'bench' }, log));
  const mongo = parts.use(await connectMongo(mongodb_uri, log));
  const manager = await jetstreamManager(nats.connection);
  const partitions = await existingPartitions(manager);
  const running = parts.move();
  return {
    state,
    mongo,
    retryLane: async () => {
      const lane: RetryLane = { published: 0, deliveries: 0 };
      for (const partition of partitions) {
        const stream = await manager.streams.info(retryStream(partition));
        const consumer = await manager.consumers.info(retryStream(partition), DISPATCHER_CONSUMER);
        lane.published += stream.state.last_seq;
        lane.deliveries += consumer.delivered.consumer_seq;
      }
      return lane;
    },
    metric: async (service, name) => {
      const text = await (await fetch((await state()).metrics_urls[service] ?? '')).text();
      const values = text
        .split('\n')
        .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
        .map((line) => Number(line.split(' ').at(-1)));
      return values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0);
    },
    purgeRetries: async (addressId, accountId = '*') => {
      for (const partition of partitions)
        await manager.streams.purge(retryStream(partition), {
          filter: `retry.${partition}.${accountId}.${addressId}.>`,
        });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
