/** Like unprocessable.test.ts, with emails that are damaged before their first attempt (D162). */
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import { createSecretBox } from '../../../services/adapters/mongo/database/secrets.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import { createReplayStore, openMailStreams } from '../../../services/adapters/stream/replay.ts';
import { DISPATCHER_CONSUMER } from '../../../services/adapters/stream/events/streams.ts';
import type { Address } from '../../../services/core/address/address.ts';
import type { Delivery } from '../../../services/core/delivery/delivery.ts';
import { createReplays } from '../../../services/api/delivery/replays.ts';
import { DispatcherConfig } from '../../../services/dispatcher/process/config.ts';
import { startDispatcher } from '../../../services/dispatcher/dispatcher.ts';
import { log, type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { until } from '../../support/until.ts';

const LARGE = 'x'.repeat(800_000);
const scopeOf = ({ account_id, environment }: Address) => ({
  account_id,
  environment,
  address_ids: null,
});

/** How each email is damaged before its first attempt. */
const FAULTS = {
  '/missing-chunk': async ({ manager }: Streams) => {
    const { state } = await manager.streams.info(BODIES);
    await manager.streams.deleteMessage(BODIES, state.first_seq);
  },
  '/no-key': async (_streams: Streams, pipeline: Pipeline, { id }: Address) => {
    const addresses = pipeline.mongo.db.collection<{ _id: string; sealed_secret: string }>(
      'addresses',
    );
    await addresses.updateOne({ _id: id }, { $set: { sealed_secret: 'unknown.AAAA' } });
  },
};
const BODIES = 'OBJ_BODIES';
type Streams = Awaited<ReturnType<typeof openMailStreams>>;

/** The secret of the address, encrypted again. */
function sealedOf(pipeline: Pipeline, address: Address): string {
  const box = createSecretBox([Buffer.from(pipeline.settings.SECRET_KEYS ?? '', 'base64')]);
  return box.seal(address.webhook_secret, address.id);
}

test('a damaged body and a damaged secret: failed with the reason, erased, replayed when mended', async () => {
  await using pipeline = await startPipeline({ env: { PARTITIONS: '1' }, withDispatcher: false });
  const streams = await openMailStreams(pipeline.nats);
  const addresses = new Map<string, Address>();
  for (const [path, damage] of Object.entries(FAULTS)) {
    const address = await pipeline.address(path);
    addresses.set(path, address);
    const text = path === '/missing-chunk' ? LARGE : 'small';
    await pipeline.mailer.sendMail({ from: 'a@b.example', to: address.address, text });
    await damage(streams, pipeline, address);
  }
  const honest = await pipeline.address('/honest');
  await pipeline.mailer.sendMail({ from: 'a@b.example', to: honest.address, text: 'honest' });

  await using _dispatcher = await startDispatcher(
    readConfig(DispatcherConfig, pipeline.settings),
    log,
  );
  await pipeline.receiver.nth('/honest', 1);
  const deliveries = createDeliveries(pipeline.mongo.db);
  const of = async (path: string): Promise<Delivery | undefined> => {
    const address = addresses.get(path) as Address;
    const { items } = await deliveries.page(scopeOf(address), {}, { limit: 1, offset: 0 });
    return items[0] && deliveries.find(scopeOf(address), items[0].event_id);
  };
  for (const path of addresses.keys())
    await until(`${path} to fail`, async () => (await of(path))?.status === 'failed');
  expect(
    (await of('/missing-chunk'))?.attempts.map(({ outcome, error }) => [outcome, error]),
  ).toEqual([['blocked', expect.stringContaining('the stored content of the email is damaged')]]);
  expect((await of('/no-key'))?.attempts.map(({ outcome, error }) => [outcome, error])).toEqual([
    ['blocked', expect.stringContaining('cannot be decrypted')],
  ]);
  expect(pipeline.receiver.received('/missing-chunk')).toEqual([]);

  // nothing keeps later emails from being purged
  const { ack_floor } = await streams.manager.consumers.info('MAIL-0', DISPATCHER_CONSUMER);
  expect(ack_floor.stream_seq).toBe(3);

  const damaged = (await of('/missing-chunk')) as Delivery;
  const store = createReplayStore(streams, () => undefined);
  const replays = createReplays({ deliveries, store, rate: 100, clock: () => new Date() });
  const noKey = addresses.get('/no-key') as Address;
  await pipeline.mongo.db
    .collection<{ _id: string }>('addresses')
    .updateOne({ _id: noKey.id }, { $set: { sealed_secret: sealedOf(pipeline, noKey) } });
  pipeline.announce(noKey);
  const waiting = (await of('/no-key')) as Delivery;
  await replays.one(scopeOf(noKey), waiting.event_id);
  await pipeline.receiver.nth('/no-key', 1);
  await until(
    'the replay to be recorded',
    async () => (await of('/no-key'))?.status === 'delivered',
  );

  await replays.one(scopeOf(addresses.get('/missing-chunk') as Address), damaged.event_id);
  await until('it to fail again', async () => {
    const { status, attempts } = (await of('/missing-chunk')) as Delivery;
    return status === 'failed' && attempts.length === 2;
  });
  await store.erase(damaged);
  const left = await streams.manager.streams.info(BODIES, { subjects_filter: '$O.BODIES.C.>' });
  expect(left.state.subjects ?? {}).toEqual({});
});
