/** The search of deliveries: what it finds, in which order, and what it reads for that. */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';

import { createDeliveries } from '../../../../services/adapters/mongo/delivery/deliveries.ts';
import {
  DELIVERIES,
  type DeliveryDocument,
  deliveryIndexes,
} from '../../../../services/adapters/mongo/documents/delivery-documents.ts';
import {
  createDeliverySearch,
  termCriterion,
} from '../../../../services/adapters/mongo/delivery/search.ts';
import {
  type DeliveryStatus,
  pendingDelivery,
} from '../../../../services/core/delivery/delivery.ts';
import { searchKeys } from '../../../../services/core/delivery/search-terms.ts';
import type {
  DeliveryFilter,
  ReplayFilter,
} from '../../../../services/core/delivery/delivery-view.ts';
import {
  type DeliverySearch,
  searchedTerms,
} from '../../../../services/core/delivery/search-terms.ts';
import type { MailEvent } from '../../../../services/core/delivery/mail-event.ts';
import { newId } from '../../../../services/core/id/ids.ts';
import { changeTo, mailEvent } from '../../../support/mail-events.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';
import { wholeAccount } from '../../../../services/core/address/scope.ts';

const NOW = new Date('2026-03-20T12:00:00Z');
const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);
const newScope = () => ({
  account_id: newId('acc', NOW, randomBytes(10)),
  environment: 'live' as const,
});
type Scope = ReturnType<typeof newScope>;

const mongo = await useInFile(startTestDatabase([deliveryIndexes]));
const deliveries = createDeliveries(mongo.db);

async function recorded(
  scope: Scope,
  fields: Partial<MailEvent>,
  { status = 'delivered', at = NOW }: { status?: DeliveryStatus; at?: Date } = {},
): Promise<string> {
  const event = { ...mailEvent({ ...scope, id: 'addr_1' }, at), ...fields };
  await createDeliveries(mongo.db).record([changeTo(status, event)], NOW);
  return event.event_id;
}

const found = async (
  scope: Scope,
  search: DeliverySearch,
  filter: DeliveryFilter = {},
  page = { limit: 50, offset: 0 },
) => {
  const result = await deliveries.search(
    wholeAccount(scope),
    filter,
    searchedTerms(search) ?? [],
    page,
  );
  return { ids: result?.items.map(({ event_id }) => event_id), total: result?.total };
};

/** What a bulk replay reads, page by page. */
const walked = async (
  scope: Scope,
  search: DeliverySearch,
  filter: Partial<ReplayFilter>,
  size = 2,
) => {
  const ids: string[] = [];
  for (let after: string | undefined; ; after = ids.at(-1)) {
    const terms = searchedTerms(search);
    const part = await deliveries.oldest(
      wholeAccount(scope),
      { status: 'failed', ...filter, terms },
      after,
      size,
    );
    ids.push(...(part ?? []).map(({ event_id }) => event_id));
    if (part?.length !== size) return ids;
  }
};

/** Written directly, which is faster. Oldest first. */
async function seed(scope: Scope, subjects: readonly string[]): Promise<void> {
  const documents = subjects.map((subject, n) => {
    const event = { ...mailEvent({ ...scope, id: 'addr_1' }, daysAgo(10)), subject };
    event.received_at_ms += n * 20_000;
    event.event_id = newId('evt', new Date(event.received_at_ms), randomBytes(10));
    const { event_id: _id, ...delivery } = pendingDelivery(event, { partition: 0, sequence: n });
    const search = searchKeys(delivery, delivery.received_at);
    return { _id, ...delivery, search, status: 'failed' as const };
  });
  await mongo.db.collection<DeliveryDocument>(DELIVERIES).insertMany(documents);
}

/** The queries of the deliveries that MongoDB ran meanwhile. */
async function profiled(work: () => Promise<void>) {
  const { db } = mongo;
  await db.command({ profile: 2 });
  try {
    await work();
  } finally {
    await db.command({ profile: 0 });
  }
  const profile = db.collection('system.profile');
  const commands = await profile.find({ ns: /deliveries$/ }).toArray();
  await profile.drop();
  return commands;
}

describe('what is found', () => {
  test('newest first over several days, whatever the status, in pages', async () => {
    const scope = newScope();
    const ids = [];
    for (const [n, status] of (['delivered', 'failed', 'retrying', 'pending'] as const).entries())
      ids.push(
        await recorded(scope, { subject: `Invoice ${n}` }, { status, at: daysAgo(9 - 3 * n) }),
      );
    await recorded(scope, { subject: 'Something else' });
    const newestFirst = ids.toReversed();
    expect(await found(scope, { subject: 'invoice' })).toEqual({ ids: newestFirst, total: 4 });
    expect(await found(scope, { subject: 'invoice' }, {}, { limit: 2, offset: 1 })).toEqual({
      ids: newestFirst.slice(1, 3),
      total: 4,
    });
    expect(await found(scope, { subject: 'invoice' }, {}, { limit: 2, offset: 9 })).toEqual({
      ids: [],
      total: 4,
    });
  });

  test('an email must match everything: terms, status, address and dates', async () => {
    const scope = newScope();
    const verdict = { spf: 'fail', dkim: 'pass', dmarc: 'pass', spam: 'spam' } as const;
    const failed = await recorded(
      scope,
      { subject: 'Invoice of March', verdict, recipients: ['orders@in.example'] },
      { status: 'failed', at: daysAgo(3) },
    );
    const other = await recorded(scope, { subject: 'Invoice of May', address_id: 'addr_2' });
    const invoice = { subject: 'invoice' };
    const cases: [DeliverySearch, DeliveryFilter, string[]][] = [
      [invoice, {}, [other, failed]],
      [invoice, { status: 'failed' }, [failed]],
      [invoice, { status: 'retrying' }, []],
      [invoice, { receiver_ids: ['addr_2'] }, [other]],
      [invoice, { receiver_ids: ['addr_2'], status: 'failed' }, []],
      [invoice, { start: daysAgo(2) }, [other]],
      [invoice, { end: daysAgo(2) }, [failed]],
      [invoice, { start: daysAgo(3), end: daysAgo(2.9) }, [failed]],
      [invoice, { start: daysAgo(2.9), end: daysAgo(2) }, []],
      [{ subject: 'march invoice' }, {}, [failed]],
      [{ subject: 'march may' }, {}, []],
      [{ sender: 'ann', verdict: ['spam', 'spf=fail'] }, {}, [failed]],
      [{ recipient: 'orders', subject: 'invoice' }, { status: 'failed' }, [failed]],
      [{ subject: '!' }, {}, []],
    ];
    for (const [search, filter, ids] of cases)
      expect([search, filter, await found(scope, search, filter)]).toEqual([
        search,
        filter,
        { ids, total: ids.length },
      ]);
  });

  test('D5, D11: nothing of another account or environment', async () => {
    const scope = newScope();
    await recorded(newScope(), { subject: 'invoice' });
    await recorded(scope, { subject: 'invoice', environment: 'test' });
    expect(await found(scope, { subject: 'invoice' })).toEqual({ ids: [], total: 0 });
  });

  test('a record of an earlier release, without terms, is not found and does no harm', async () => {
    const scope = newScope();
    const old = await recorded(scope, { subject: 'invoice' }, { status: 'failed' });
    await mongo.db
      .collection<DeliveryDocument>(DELIVERIES)
      .updateOne({ _id: old }, { $unset: { search: '' } });
    expect(await found(scope, { subject: 'invoice' }, { status: 'failed' })).toEqual({
      ids: [],
      total: 0,
    });
  });
});

describe('a bulk replay with a search', () => {
  test('walks over all that match, oldest first, over several days, page by page', async () => {
    const scope = newScope();
    const ids = [];
    for (const days of [9, 6, 6, 3, 0])
      ids.push(
        await recorded(
          scope,
          { subject: `Invoice ${days}` },
          { status: 'failed', at: daysAgo(days) },
        ),
      );
    ids.sort(); // two are of the same time
    await recorded(scope, { subject: 'Invoice' }); // delivered
    await recorded(scope, { subject: 'Offer' }, { status: 'failed', at: daysAgo(6) });
    const invoice = { subject: 'invoice' };
    expect(await walked(scope, invoice, {})).toEqual(ids);
    expect(await walked(scope, invoice, {}, 50)).toEqual(ids);
    expect(await walked(scope, invoice, { start: daysAgo(6), end: NOW })).toEqual(ids.slice(1, 4));
    expect(await walked(scope, invoice, { receiver_ids: ['addr_other'] })).toEqual([]);
    expect(await walked(scope, { subject: 'invoice offer' }, {})).toEqual([]);
    expect(await walked(newScope(), invoice, {})).toEqual([]);
  });
});

describe('what is read', () => {
  const scope = newScope();
  beforeAll(() =>
    seed(
      scope,
      Array.from({ length: 10_000 }, (_, n) => `frequent ${n % 2 === 0 ? 'even' : 'odd'} w${n}`),
    ),
  );

  test('many matches: the total is at least what was counted, and grows with the pages', async () => {
    expect((await found(scope, { subject: 'frequent' })).total).toBe(2_000);
    const last = await found(scope, { subject: 'frequent' }, {}, { limit: 50, offset: 5_000 });
    expect([last.ids?.length, last.total]).toEqual([50, 5_051]);
    const end = await found(scope, { subject: 'frequent' }, {}, { limit: 50, offset: 9_980 });
    expect([end.ids?.length, end.total]).toEqual([20, 10_000]);
  });

  test('the rarest word is read: with it, frequent words cost one document', async () => {
    const commands = await profiled(async () => {
      expect((await found(scope, { subject: 'frequent odd w4243' })).total).toBe(1);
    });
    expect(commands.length).toBe(4); // one for each word, and the page
    expect(commands.filter(({ docsExamined }) => docsExamined > 1)).toEqual([]);
    expect(commands.filter(({ keysExamined }) => keysExamined > 2_050)).toEqual([]);
    expect(commands.filter(({ hasSortStage }) => hasSortStage === true)).toEqual([]);
  });

  test('the beginning of a word reads the entries that have it, and no others', async () => {
    const commands = await profiled(async () => {
      expect((await found(scope, { subject: 'w424*' })).total).toBeGreaterThan(5);
    });
    expect(commands.filter(({ keysExamined }) => keysExamined > 150)).toEqual([]);
  });

  test('a page of a bulk replay continues in the index, without a sort', async () => {
    const terms = searchedTerms({ subject: 'frequent' });
    const filter = { status: 'failed', terms } as const;
    const first = await deliveries.oldest(wholeAccount(scope), filter, undefined, 7_000);
    const after = first?.at(-1)?.event_id;
    const commands = await profiled(async () => {
      expect(await deliveries.oldest(wholeAccount(scope), filter, after, 100)).toHaveLength(100);
    });
    const page = commands.filter(({ docsExamined }) => docsExamined > 0);
    expect(page).toMatchObject([{ nreturned: 100, docsExamined: 100 }]);
    expect(page.filter(({ keysExamined }) => keysExamined > 150)).toEqual([]);
    expect(commands.filter(({ hasSortStage }) => hasSortStage === true)).toEqual([]);
  });

  test('two frequent words that no email has together: the search ends at its time limit', async () => {
    const search = createDeliverySearch(mongo.db, 1);
    const terms = ['subject:even', 'subject:odd'].map((term) => termCriterion(term, {}));
    expect(await search.page(scope, terms, { limit: 50, offset: 0 }, {})).toBeUndefined();
    expect(await search.oldest(scope, terms, {}, 50, {})).toBeUndefined();
  });
});
