/**
 * What the stores write to MongoDB is what core/delivery/transition.ts says, over random sequences of
 * events.
 */
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import {
  DELIVERIES,
  type DeliveryDocument,
  deliveryOf,
} from '../../../../services/adapters/mongo/documents/delivery-documents.ts';
import { INDEXES } from '../../../../services/adapters/mongo/stores.ts';
import {
  USAGE_DAILY,
  type UsageDocument,
} from '../../../../services/adapters/mongo/usage/counters.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';
import type {
  DeliveryEvent,
  DeliveryRecord,
} from '../../../../services/core/delivery/delivery-event.ts';
import { type Tally } from '../../../../services/core/delivery/delivery.ts';
import type { MailEvent } from '../../../../services/core/delivery/mail-event.ts';
import {
  isOverdue,
  LOST_AFTER_MS,
  sleeps,
} from '../../../../services/core/delivery/overdue-delivery.ts';
import { transition } from '../../../../services/core/delivery/transition.ts';
import { addTally, NO_MAIL } from '../../../../services/core/usage/usage.ts';
import { eventOf, type Happening, happenings } from '../../../support/delivery-events.ts';
import { mailEvent } from '../../../support/mail-events.ts';
import { newAddress } from '../../../support/new-address.ts';
import { fc, seed } from '../../../support/random.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const SEQUENCES = Number(process.env.LIFE_SEQUENCES ?? 400);
const TOGETHER = 200;
const LIMIT_MS = 60_000 + SEQUENCES * 200;

const mongo = await useInFile(
  startTestDatabase([INDEXES.deliveries, INDEXES.emailMarks, INDEXES.usage]),
);
const deliveries = createDeliveries(mongo.db);

type Life = {
  mail: MailEvent;
  happenings: Happening[];
  before: DeliveryRecord | undefined;
  /** Of two events ago. */
  older: DeliveryRecord | undefined;
  tally: Tally;
};
type Next = { life: Life; event: DeliveryEvent; at: Date };

/** Makes these changes by the stores: as batches where the stores take batches. */
async function write(nexts: readonly Next[], now: Date): Promise<void> {
  for (const [, batch] of Map.groupBy(nexts, ({ at }) => at.getTime())) {
    const events = batch.flatMap(({ life, event }) =>
      'mail' in event ? [{ ...event, isNew: life.before === undefined }] : [],
    );
    if (events.length > 0) await deliveries.record(events, batch[0]!.at);
  }
  const replays = nexts.flatMap(({ life, event }) =>
    event.kind === 'replayed' ? [{ event_id: life.mail.event_id, dueAt: event.dueAt }] : [],
  );
  const by = { token_id: 'tok_1' };
  await deliveries.markReplayed(replays, now, by);
  await deliveries.makeManyDue(
    nexts.flatMap(({ life, event }) =>
      event.kind === 'retry_asked'
        ? [{ event_id: life.mail.event_id, revision: event.revision!, dueAt: event.dueAt }]
        : [],
    ),
    now,
    by,
  );
  await Promise.all(
    nexts.map(async ({ life: { mail, before }, event }) => {
      const scope = wholeAccount(mail);
      if (event.kind === 'canceled') await deliveries.cancel(scope, mail.event_id, by, now);
      if (event.kind === 'drop_asked') await deliveries.dropHeld(scope, [mail.event_id], now, by);
      if (event.kind === 'erased') await deliveries.markErased(scope, mail.event_id, now);
      if (event.kind === 'closed') await deliveries.endAll(mail.account_id, event.isErased, now);
      if (event.kind === 'found_overdue' && before && isOverdue(before, now, LOST_AFTER_MS)) {
        const { revision: _, ...rest } = before;
        const read = { ...rest, ...(event.revision > 0 && { revision: event.revision }) };
        if (event.where === 'stored' && before.requeued_at === undefined)
          await deliveries.markRequeued(read, now);
        else await deliveries.endOverdue(read, now);
      }
    }),
  );
}

const talliesOf = ({ received, delivered, failed, held = 0, dropped = 0 }: Tally): Tally => ({
  received,
  delivered,
  failed,
  held,
  dropped,
});

const shown = (record: DeliveryRecord | undefined) =>
  record && JSON.parse(JSON.stringify({ ...record, updated_at: null }));

test(
  `${SEQUENCES} sequences of events: MongoDB has the records and counters of core, seed ${seed}`,
  async () => {
    const unexplained: unknown[] = [];
    for (let made = 0; made < SEQUENCES; made += TOGETHER) {
      const count = Math.min(TOGETHER, SEQUENCES - made);
      const started = new Date();
      const lives = fc
        .sample(fc.tuple(happenings(7), fc.boolean()), { seed: seed + made, numRuns: count })
        .map(([sequence, isRuled]): Life => {
          const address = newAddress('https://receiver.example/');
          const mail = mailEvent({ ...address, account_id: `acc_${made}_${address.id}` }, started);
          const ruling = { action: 'hold', reason: 'rule', rules: [], facts: [] } as const;
          return {
            mail: { ...mail, ...(isRuled && { ruling: { ...ruling, rules: [], facts: [] } }) },
            happenings: sequence,
            before: undefined,
            older: undefined,
            tally: NO_MAIL,
          };
        });
      for (let step = 0; step < 8; step++) {
        const now = new Date();
        const nexts = lives.flatMap((life): Next[] => {
          const one = life.happenings[step];
          if (one === undefined || one.kind === 'released') return []; // marks.test.ts
          const at = new Date(now.getTime() - one.ago);
          const read = one.isStale ? (life.older ?? life.before) : life.before;
          const time = 'stored delayed attempted kept held dropped unsent given_up'.includes(
            one.kind,
          )
            ? at
            : now;
          const event = eventOf(one, life.mail, read, time);
          if (event.kind === 'erased' && event.ends === 'waiting') event.ends = 'nothing';
          return [{ life, event, at: time }];
        });
        await write(nexts, now);
        const found = await mongo.db
          .collection<DeliveryDocument>(DELIVERIES)
          .find(
            { _id: { $in: lives.map(({ mail }) => mail.event_id) } },
            { projection: { search: 0 } },
          )
          .toArray();
        const written = new Map(found.map((one) => [one._id, deliveryOf(one)]));
        for (const { life, event, at } of nexts) {
          const { record, effects } = transition(life.before, event, at);
          for (const effect of effects)
            if (effect.kind === 'count') life.tally = addTally(life.tally, effect.tally);
          const is = written.get(life.mail.event_id);
          const expected = shown(record);
          const actual = shown(is);
          const fields = Object.keys({ ...expected, ...actual }).filter(
            (name) => !isDeepStrictEqual(expected?.[name], actual?.[name]),
          );
          if (fields.length > 0) {
            const { before } = life;
            const isSame = !before || sleeps(before, now) === sleeps(before, new Date());
            if (isSame) unexplained.push({ event, before, is: actual, expected });
            life.happenings = []; // MongoDB was asked later, and counted otherwise
          }
          life.older = life.before;
          life.before = record && is && { ...record, updated_at: is.updated_at };
        }
      }
      const usage = await mongo.db
        .collection<UsageDocument>(USAGE_DAILY)
        .find({ account_id: { $in: lives.map(({ mail }) => mail.account_id) } })
        .toArray();
      const counted = new Map(usage.map((one) => [one.account_id, one]));
      for (const { mail, tally, before, happenings: left } of lives) {
        if (left.length === 0 || before === undefined) continue;
        expect(addTally(NO_MAIL, talliesOf(counted.get(mail.account_id)!))).toEqual(tally);
      }
    }
    expect(unexplained).toEqual([]);
  },
  LIMIT_MS,
);
