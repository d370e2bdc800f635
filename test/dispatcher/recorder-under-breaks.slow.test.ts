/**
 * Outcomes while the connection to MongoDB breaks, at each command of their batch and in each way:
 * every outcome is recorded once (D160).
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import type { MailEvent } from '../../services/core/delivery/mail-event.ts';
import { createAddresses } from '../../services/adapters/mongo/address/addresses.ts';
import { connectMongo, ensureIndexes } from '../../services/adapters/mongo/database/connection.ts';
import { createDeliveries } from '../../services/adapters/mongo/delivery/deliveries.ts';
import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { recountUsage } from '../../services/adapters/mongo/usage/recount.ts';
import { INDEXES } from '../../services/adapters/mongo/stores.ts';
import { createOutcomeRecorder } from '../../services/dispatcher/outcome/outcome-recorder.ts';
import { BREAKS, startBreakingMongo } from '../support/mongo-breaks.ts';
import { changeTo, mailEvent } from '../support/mail-events.ts';
import { newAddress } from '../support/new-address.ts';
import { log } from '../support/pipeline.ts';
import { testMongo } from '../support/servers.ts';
import { counted } from './delivery-records.ts';

/** The recorder waits 150 ms for more outcomes. Its driver then finds the port closed. */
const IDLE_AWAY_MS = 500;
const AWAY_MS = 60;
const IDLE_TRIES = 3;

/** `idle`: all connections end between two batches. */
const WAYS = [...BREAKS, 'idle'] as const;
/** `new`: without records, so the batch begins with a write, and not with a read. */
const BATCHES = ['known', 'new'] as const;
type Walk = { how: (typeof WAYS)[number]; batch: (typeof BATCHES)[number] };

/** Walks over the commands of one batch. Each walk has its own database. */
async function walk({ how, batch }: Walk): Promise<number> {
  await using place = await testMongo();
  await using breaking = await startBreakingMongo(
    place.uri,
    how === 'idle' ? IDLE_AWAY_MS : AWAY_MS,
  );
  await using mongo = await connectMongo(breaking.uri, log);
  await ensureIndexes(mongo.db, [INDEXES.deliveries, INDEXES.usage, INDEXES.events]);
  const address = newAddress('https://receiver.example/');
  await createAddresses(mongo.db, createSecretBox([randomBytes(32)])).insert(address);
  const refusals: string[] = [];
  const record = createOutcomeRecorder(
    createDeliveries(mongo.db),
    () => new Date(),
    { recorded: () => undefined, refused: () => void refusals.push(how) },
    new AbortController().signal,
    log,
  );
  const expected = { received: 0, delivered: 0, failed: 0 };
  const attempts = new Map<string, number>();
  let at = 0;
  const begun = async (): Promise<MailEvent> => {
    const event = mailEvent(address, new Date());
    await record(changeTo('retrying', event));
    attempts.set(event.event_id, 1);
    return event;
  };
  do {
    const [known, busy] = batch === 'known' ? [await begun(), await begun()] : [];
    const fresh = mailEvent(address, new Date());
    const receivers = mongo.db.collection('addresses');
    await receivers.updateOne({}, { $set: { failing_noticed_at: new Date() } });
    breaking.breakAt(how === 'idle' ? undefined : { at, how });
    if (how === 'idle') {
      breaking.endIdle();
      await sleep(AWAY_MS); // the driver notices the end of its connections
    }
    const changes = [
      ...(known ? [changeTo('delivered', known)] : []),
      ...(busy ? [changeTo('failed', busy)] : []),
      { ...changeTo('delivered', fresh), isNew: true },
    ];
    const recorded = await Promise.all(changes.map(record));
    expect({ at, lost: recorded.filter((one) => one === undefined) }).toEqual({ at, lost: [] });
    for (const [i, { mail }] of changes.entries()) {
      attempts.set(mail.event_id, (attempts.get(mail.event_id) ?? 0) + 1);
      expected.received++;
      if (recorded[i]?.kind === 'acknowledge') expected.delivered++;
      else expected.failed++;
    }
    at++;
  } while (how === 'idle' ? at < IDLE_TRIES : breaking.commands() >= at);

  breaking.breakAt(undefined);
  await using direct = await connectMongo(place.uri, log);
  expect(refusals).toEqual([]);
  const records = await direct.db
    .collection<{ _id: string; attempt_count: number; attempts: unknown[] }>('deliveries')
    .find()
    .toArray();
  const kept = records.map((one) => [one._id, one.attempts.length] as const);
  expect(new Map(kept)).toEqual(attempts);
  expect(new Map(records.map((one) => [one._id, one.attempt_count]))).toEqual(attempts);
  expect(await counted({ mongo: direct })).toEqual(expected);
  expect(await Array.fromAsync(recountUsage(direct.db))).toEqual([]);
  const events = direct.db.collection('events').countDocuments({ type: /^webhook/ });
  expect(await events).toBe([...attempts.values()].reduce((sum, one) => sum + one, 0));
  return at;
}
test.for(WAYS.flatMap((how) => BATCHES.map((batch) => ({ how, batch }))))(
  'a batch of $batch emails, broken at each command ($how): every outcome is recorded once',
  { concurrent: true },
  async (of) => {
    // counters, records, receivers, events, commit
    expect(await walk(of)).toBeGreaterThanOrEqual(of.how === 'idle' ? IDLE_TRIES : 6);
  },
);
