/** NATS loses its data, or a request ends half-way: every record ends (D167). */
import { jetstreamManager } from '@nats-io/jetstream';
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../services/adapters/mongo/delivery/deliveries.ts';
import type { StartSweep } from '../../../services/adapters/process/sweeps.ts';
import {
  createReplayStore,
  createWaitsInLane,
  openMailStreams,
} from '../../../services/adapters/stream/replay.ts';
import type { Address } from '../../../services/core/address/address.ts';
import { wholeAccount } from '../../../services/core/address/scope.ts';
import type { DeliveryDocument } from '../../../services/adapters/mongo/documents/delivery-documents.ts';
import { startLostDeliveries } from '../../../services/dispatcher/upkeep/lost-deliveries.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const pipeline = await useInFile(startPipeline({ env: { RETRY_SCHEDULE: '1h,1h' } }));

const records = () => pipeline.mongo.db.collection<DeliveryDocument>('deliveries');
const recordOf = async ({ id }: Address) => (await records().findOne({ address_id: id }))!;

/** An email to a receiver that answers 503, which sleeps then. */
async function asleep(path: string): Promise<Address> {
  pipeline.receiver.answer(path, (count) => (count === 1 ? 503 : 200));
  const address = await pipeline.address(path);
  await pipeline.mailer.sendMail({ from: 'ann@sender.example', to: address.address, text: 'hi' });
  await until('its sleep', async () => (await recordOf(address))?.status === 'retrying');
  await until('its message in the RETRY lane', async () => (await retryMessage(address)) !== null);
  return address;
}

const streams = async () => openMailStreams(pipeline.nats);

async function retryMessage(address: Address) {
  const { stored_at, _id } = await recordOf(address);
  const manager = await jetstreamManager(pipeline.nats.connection);
  const subject = `retry.${stored_at.partition}.${address.account_id}.${address.id}.${_id}`;
  return manager.streams
    .getMessage(`RETRY-${stored_at.partition}`, { last_by_subj: subject })
    .catch(() => null);
}

/** As after an outage of an hour. */
const moveBack = ({ id }: Address) => {
  const at = new Date(Date.now() - 3_600_000);
  return records().updateOne({ address_id: id }, { $set: { next_attempt_at: at, updated_at: at } });
};

const counted = { lost: 0, requeued: 0, unread: 0 };
/** Receivers whose emails soon fail as unread. */
let unreadReceivers = 0;

async function oneRound(): Promise<void> {
  let round: Promise<unknown> = Promise.resolve();
  const startSweep: StartSweep = (_name, _everyMs, run) => {
    round = run(new Date(), () => new Date());
    return { [Symbol.asyncDispose]: () => Promise.resolve() };
  };
  const opened = await streams();
  startLostDeliveries(
    {
      deliveries: createDeliveries(pipeline.mongo.db),
      store: createReplayStore(opened, () => undefined),
      beginLook: () => createWaitsInLane(opened),
      region: undefined,
      startSweep,
      keptMs: 30 * 86_400_000,
      metrics: {
        gaveUp: (as) => counted[as]++,
        requeued: () => counted.requeued++,
        unread: (receivers) => (unreadReceivers = receivers),
      },
    },
    log,
  );
  await round;
}

test('a message that sleeps is left alone, however late its record says it is', async () => {
  const address = await asleep('/asleep');
  await moveBack(address);
  await oneRound();
  expect(await recordOf(address)).toMatchObject({ status: 'retrying' });
  expect(counted).toEqual({ lost: 0, requeued: 0, unread: 0 });
});

test('a request that ended before its message was stored: the email is queued again, and delivered', async () => {
  const address = await asleep('/half-way');
  const { _id } = await recordOf(address);
  const deliveries = createDeliveries(pipeline.mongo.db);
  const manager = await jetstreamManager(pipeline.nats.connection);
  const scope = wholeAccount({ account_id: address.account_id, environment: 'live' });
  const canceled = await deliveries.cancel(scope, _id, {}, new Date());
  const message = (await retryMessage(address))!;
  await manager.streams.deleteMessage(`RETRY-${canceled!.stored_at.partition}`, message.seq);
  await deliveries.markReplayed([{ event_id: _id, dueAt: new Date() }], new Date()); // and no more
  await moveBack(address);
  await oneRound();
  await until('its delivery', async () => (await recordOf(address)).status === 'delivered');
  expect(counted).toEqual({ lost: 0, requeued: 1, unread: 0 });
});

test('after NATS lost its data, the record ends as failed with the outcome lost', async () => {
  const address = await asleep('/gone');
  const manager = await jetstreamManager(pipeline.nats.connection);
  for (const stream of ['MAIL-0', 'MAIL-1', 'RETRY-0', 'RETRY-1', 'FAILED'])
    await manager.streams.purge(stream);
  await moveBack(address);
  await oneRound();
  expect(await recordOf(address)).toMatchObject({
    status: 'failed',
    ended_as: 'lost',
    next_attempt_at: null,
  });
  expect(counted.lost).toBeGreaterThan(0);
  const events = pipeline.mongo.db.collection('events');
  const { _id } = await recordOf(address);
  const types = await events
    .find({ 'data.event_id': _id })
    .map(({ type }) => type as string)
    .toArray();
  expect(types).toEqual(expect.arrayContaining(['webhook.failed', 'email.lost']));
  await oneRound();
  expect(await events.countDocuments({ 'data.event_id': _id, type: 'email.lost' })).toBe(1);
});

/** An email that waits for a consumer. */
async function forConsumer(path: string): Promise<Address> {
  const address = await pipeline.address(path, { mode: 'pull' });
  await pipeline.mailer.sendMail({ from: 'ann@sender.example', to: address.address, text: 'hi' });
  await until(
    'its record',
    async () => (await records().findOne({ address_id: address.id }))?.offer,
  );
  return address;
}

test('an email that no consumer acknowledges is announced, and ends as failed with the outcome unread', async () => {
  const address = await forConsumer('/unread');
  await oneRound();
  expect([(await recordOf(address)).status, unreadReceivers]).toEqual(['pending', 0]);
  const setUntil = (ms: number) => {
    const at = new Date(Date.now() + ms);
    const times = { 'offer.until': at, next_attempt_at: at, updated_at: new Date(0) };
    return records().updateOne({ address_id: address.id }, { $set: times });
  };
  await setUntil(86_400_000);
  await oneRound();
  expect([(await recordOf(address)).status, unreadReceivers]).toEqual(['pending', 1]);
  await setUntil(-3_600_000);
  await oneRound();
  const record = await recordOf(address);
  expect(record).toMatchObject({ status: 'failed', ended_as: 'unread', next_attempt_at: null });
  expect([record.offer, unreadReceivers, counted.unread]).toEqual([undefined, 0, 1]);
});

test('a receiver pushes again: what waited for its consumer is posted', async () => {
  const address = await forConsumer('/pushes-again');
  const db = pipeline.mongo.db;
  await db
    .collection('addresses')
    .updateOne({ address: address.address }, { $set: { mode: 'push' } });
  pipeline.announce(address);
  await createDeliveries(db).stopLeasing(address, address.id, new Date());
  await oneRound();
  await until('its delivery', async () => (await recordOf(address)).status === 'delivered');
  expect(await recordOf(address)).toMatchObject({ attempt_count: 1 });
});
