/**
 * The stream can forget what was delivered, for example when a consumer is deleted or a backup
 * restored. The delivery records remain.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { expect, test } from 'vitest';

import { createDeliveries } from '../../services/adapters/mongo/deliveries/deliveries.ts';
import { readConfig } from '../../services/adapters/process/config.ts';
import { createStoreMail } from '../../services/adapters/stream/store.ts';
import {
  DISPATCHER_CONSUMER,
  ensureStreams,
  mailStream,
  StreamsConfig,
} from '../../services/adapters/stream/streams.ts';
import { newId } from '../../services/core/ids.ts';
import { DispatcherConfig } from '../../services/dispatcher/config.ts';
import { startDispatcher } from '../../services/dispatcher/dispatcher.ts';
import { log, startPipeline } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

/** For the first partition. */
const digest = () => `00000000${randomBytes(28).toString('hex')}`;

test('mail that was delivered before is settled and not sent again; other mail is delivered', async () => {
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
        event: { ...delivered, payload_bytes: payload.length, payload_in: 'message' },
        storedAt: { partition: 0, sequence: 1 },
        attempt,
        status: 'delivered',
        nextAttemptAt: null,
      },
    ],
    new Date(),
  );

  await using _dispatcher = await startDispatcher(
    readConfig(DispatcherConfig, pipeline.settings),
    log,
  );
  await until(
    'both to be settled',
    async () =>
      (await streams.manager.consumers.info(mailStream(0), DISPATCHER_CONSUMER)).ack_floor
        .stream_seq === 2,
  );
  expect(pipeline.receiver.received('/again').map(({ headers }) => headers['webhook-id'])).toEqual([
    waiting.event_id,
  ]);
});
