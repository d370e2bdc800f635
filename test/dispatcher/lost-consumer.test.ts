/**
 * The stream can forget what was delivered, for example when a consumer is deleted or a backup
 * restored. The delivery records remain.
 */
import { randomBytes } from 'node:crypto';

import { z } from 'zod';
import { expect, test } from 'vitest';

import { createDeliveries } from '../../services/adapters/mongo/delivery/deliveries.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { createStoreMail } from '../../services/adapters/stream/store.ts';
import {
  DISPATCHER_CONSUMER,
  ensureStreams,
  mailStream,
  retryStream,
  StreamsConfig,
} from '../../services/adapters/stream/events/streams.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { log, startPipeline } from '../support/pipeline.ts';
import { changeTo, mailEvent } from '../support/mail-events.ts';
import { until } from '../support/until.ts';

/** For the first partition. */
const digest = () => `00000000${randomBytes(28).toString('hex')}`;

test('a new consumer sends no email again, and those that wait; a running dispatcher makes it', async () => {
  await using pipeline = await startPipeline({ withDispatcher: false });
  const streams = await ensureStreams(
    pipeline.nats,
    z.object(StreamsConfig).parse(pipeline.settings),
  );
  const storeMail = createStoreMail(streams);
  const address = await pipeline.address('/again');
  const earlier = new Date(Date.now() - 60_000);
  const [delivered, waiting] = [mailEvent(address, earlier), mailEvent(address, earlier)];
  const payload = Buffer.from(JSON.stringify({ metadata: { retry_count: 0 } }));
  await storeMail(delivered, [payload], digest());
  await storeMail(waiting, [payload], digest());
  await createDeliveries(pipeline.mongo.db).record([changeTo('delivered', delivered)], new Date());

  await using _dispatcher = await startDispatcher(
    readConfig(DispatcherConfig, pipeline.settings),
    log,
  );
  const ackFloor = async () => {
    const consumer = await streams.manager.consumers.info(mailStream(0), DISPATCHER_CONSUMER);
    return consumer.ack_floor.stream_seq;
  };
  await until('both to be settled', async () => (await ackFloor()) === 2);
  const sent = () =>
    pipeline.receiver.received('/again').map(({ headers }) => headers['webhook-id']);
  expect(sent()).toEqual([waiting.event_id]);

  for (const stream of [mailStream(0), retryStream(0)])
    await streams.manager.consumers.delete(stream, DISPATCHER_CONSUMER);
  const later = mailEvent(address, earlier);
  await storeMail(later, [payload], digest());
  await until('all three to be settled', async () =>
    ackFloor().then(
      (floor) => floor === 3,
      () => false,
    ),
  );
  expect(sent()).toEqual([waiting.event_id, later.event_id]);
  await until('the other consumer', () =>
    streams.manager.consumers.info(retryStream(0), DISPATCHER_CONSUMER).catch(() => undefined),
  );
});
