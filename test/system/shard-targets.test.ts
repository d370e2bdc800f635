/**
 * M.3: what an email asks of a sharded MongoDB (docs/scaling.md). Gateway and dispatcher run alone
 * while the profiler records: each query of a sharded collection names its shard.
 */
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Pipeline, startPipeline } from '../support/pipeline.ts';
import { lineOf, type QueryPlan, startQueryProfile } from '../support/query-profile.ts';
import { namesShard, SHARD_KEYS } from '../support/shard-keys.ts';
import { until } from '../support/until.ts';

/** Queries that are not of an email, with the reason. By collection and the start of the query. */
const NOT_OF_AN_EMAIL: Record<string, string> = {
  'deliveries find { content_until': 'a sweep of the dispatchers, by its own small index',
  'deliveries find { search.text_until': 'a sweep of the dispatchers, by its own small index',
  'deliveries find { file_deletion.at': 'a sweep of the dispatchers, by its own small index',
  'deliveries find { payload_in': 'a sweep of the dispatchers, by its own small index',
  'notification_deliveries find { $and ({ status':
    'the sweep for lost emails, by the index of attempts',
  'deliveries find { address_id, account_id, environment, status $in, _id $gte }':
    'whether a failing address has recovered, once for each failing address',
};

const isListed = ({ collection, query }: QueryPlan) =>
  Object.keys(NOT_OF_AN_EMAIL).some((begin) => `${collection} ${query}`.startsWith(begin));

let pipeline: Pipeline;
let plans: QueryPlan[];
beforeAll(async () => {
  pipeline = await startPipeline();
  const profile = await startQueryProfile(pipeline.mongo.db);
  await receive(pipeline);
  plans = await profile.plans();
  if (process.env.TEST_LOG)
    process.stdout.write(`\n${plans.map((plan) => `${lineOf(plan)}\n`).join('')}`);
});
afterAll(() => pipeline[Symbol.asyncDispose]());

test('M.3: no query of an email asks all shards', () => {
  const asking = plans.filter(({ collection, pinned }) => !namesShard(collection, pinned));
  expect(asking.filter((plan) => !isListed(plan)).map(lineOf)).toEqual([]);
});

test('M.3: the emails asked for recipients, records, counters and receivers', () => {
  const requested = new Set(plans.map(({ collection }) => collection));
  for (const collection of ['addresses', 'accounts', 'deliveries', 'usage_daily'])
    expect(requested).toContain(collection);
});

test('M.3: every record has its shard key', async () => {
  for (const [collection, { field }] of Object.entries(SHARD_KEYS))
    expect(
      await pipeline.mongo.db
        .collection(collection)
        .countDocuments({ [field]: { $not: { $type: 'string' } } }),
    ).toBe(0);
});

/** One email each that is delivered, retried and given up, held, repeated, and refused. */
async function receive(of: Pipeline): Promise<void> {
  const { receiver, mailer, settings } = of;
  // the profile leaves out what other programs ask
  await using client = new MongoClient(settings.MONGODB_URI ?? '');
  const hold = [{ name: 'all', when: 'true', action: 'hold' as const }];
  const targets = [
    await of.address('/fine'),
    await of.address('/busy'),
    await of.address('/held', { rules: hold }),
  ];
  receiver.answer('/busy', () => 503);
  const send = (to: string, messageId: string) =>
    mailer.sendMail({ from: 'ann@sender.example', to, subject: 'x', text: 'y', messageId });
  for (const [i, { address: to }] of targets.entries())
    for (let repeat = 0; repeat < 2; repeat++) await send(to, `<${i}@sender.example>`);
  await expect(send('nobody@in.example', '<none@sender.example>')).rejects.toThrow(/550/);
  const statuses = ['delivered', 'failed', 'held'];
  await until('the records', async () => {
    const found = await client.db().collection('deliveries').distinct('status');
    return statuses.every((status) => found.includes(status));
  });
}
