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
import { newId } from '../../services/core/id/ids.ts';
import { DispatcherConfig } from '../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { log, startPipeline } from '../support/pipeline.ts';
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
  const event = () => ({
    event_id: newId('evt', earlier, randomBytes(10)),
    account_id: address.account_id,
    environment: 'live' as const,
    address_id: address.id,
    mail_from: 'a@b.example',
    from: null,
    subject: null,
    size_bytes: 1,
    received_at_ms: earlier.getTime(),
  });
  const [delivered, waiting] = [event(), event()];
  const payload = Buffer.from(JSON.stringify({ metadata: { retry_count: 0 } }));
  await storeMail(delivered, [payload], digest());
  await storeMail(waiting, [payload], digest());
  const attempt = {
    at: earlier,
    duration_ms: 1,
    outcome: 'accepted' as const,
    status_code: 200,
    error: null,
    excerpt: null,
  };
  await createDeliveries(pipeline.mongo.db).record(
    [
      {
        kind: 'attempted',
        mail: { ...delivered, payload_bytes: payload.length, payload_in: 'message' },
        storedAt: { partition: 0, sequence: 1 },
        revision: 0,
        attempt,
        step: { kind: 'done' },
      },
    ],
    new Date(),
  );

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
  const later = event();
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
