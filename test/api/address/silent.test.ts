/** Issue 55.2: the absence of an expected email is noticed, through the API, a gateway and a dispatcher. */
import { expect, test } from 'vitest';

import { createSilentAddresses } from '../../../services/adapters/mongo/address/silent-addresses.ts';
import { createSilenceRound } from '../../../services/api/jobs/silence-sweep.ts';
import { log } from '../../support/pipeline.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess());

type Stored = {
  _id: string;
  silent_at?: Date | null;
  silent_since?: Date | null;
  expect_since?: Date;
};
const stored = () => whole.api.mongo.db.collection<Stored>('addresses');
const state = (id: string) => stored().findOne({ _id: id });
const shown = async (id: string) => (await whole.api.ask('GET', `/v1/addresses/${id}`)).body;
const change = async (id: string, body: object) => {
  const answer = await whole.api.ask('PATCH', `/v1/addresses/${id}`, { body });
  expect(answer.status).toBe(200);
  return answer.body;
};
const events = (id: string) =>
  whole.api.mongo.db
    .collection<{ address_id: string; type: string; data: object }>('events')
    .find({ address_id: id, type: { $in: ['address.silent', 'address.resumed'] } })
    .sort({ type: -1 }) // the ids follow the times of rounds, which are made up
    .toArray();

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const EXPECT = { every: '1h', when: 'subject.contains("backup")', grace: '0m' };

/** An API process: its rounds before now, in minutes, then one now. */
async function roundsOf(minutesBefore: readonly number[], isReceiving = () => true) {
  const counts: number[] = [];
  const metrics = { silentAddresses: { set: (value: number) => counts.push(value) } };
  const silent = createSilentAddresses(whole.api.mongo.db);
  const round = createSilenceRound({ silent, isReceiving, metrics: metrics as never }, log);
  const now = Date.now();
  for (const minutes of [...minutesBefore, 0]) await round(new Date(now - minutes * MINUTE_MS));
  return counts.at(-1);
}
const STEADY = [12, 8, 4];

/** As if it had expected the email long ago. */
const overdue = (id: string) =>
  stored().updateOne({ _id: id }, { $set: { silent_at: new Date(Date.now() - DAY_MS) } });

async function anAddress(path: string, expected: object = EXPECT) {
  const { id, address } = await whole.address(path);
  expect(await change(id, { expect: expected })).toMatchObject({
    expect: expected,
    silent_since: null,
  });
  return { id, address };
}

test('silence is noticed once, and ends with the expected email, not with another one', async () => {
  const { id, address } = await anAddress('/backup');
  await overdue(id);
  expect(await roundsOf(STEADY)).toBe(1);
  await roundsOf(STEADY);
  expect(await shown(id)).toMatchObject({ silent_since: expect.stringMatching(/Z$/) as string });
  expect(await events(id)).toMatchObject([{ type: 'address.silent', data: EXPECT }]);

  await whole.send(address, 'something else');
  await until('the other email', async () => (await shown(id)).email_count === 1);
  expect(await roundsOf(STEADY)).toBe(1);
  await whole.send(address, 'backup of today');
  await until('the end of the silence', async () => {
    await roundsOf(STEADY);
    return (await shown(id)).silent_since === null;
  });
  expect(await events(id)).toMatchObject([
    { type: 'address.silent' },
    { type: 'address.resumed', data: { reason: 'received' } },
  ]);
  const { silent_at } = (await state(id)) ?? {};
  expect(silent_at?.getTime()).toBeGreaterThan(Date.now() + 59 * MINUTE_MS);
});

test.each([
  ['the first round of a process', []],
  ['rounds that began less than ten minutes ago', [8, 4]],
  ['a pause of more than five minutes, as in an outage', [20, 16, 8, 4]],
])('nothing is noticed by %s', async (_, minutesBefore) => {
  const { id } = await anAddress('/outage');
  await overdue(id);
  await roundsOf(minutesBefore);
  expect(await shown(id)).toMatchObject({ silent_since: null });
  await stored().updateOne({ _id: id }, { $set: { silent_at: null } });
});

test('nothing is noticed without NATS, nor right after it', async () => {
  const { id } = await anAddress('/nats');
  await overdue(id);
  let rounds = 0;
  await roundsOf(STEADY, () => false);
  await roundsOf(STEADY, () => ++rounds !== 2);
  expect(await shown(id)).toMatchObject({ silent_since: null });
  await stored().updateOne({ _id: id }, { $set: { silent_at: null } });
});

test('addresses that refuse email are not silent', async () => {
  const disabled = await anAddress('/disabled');
  await change(disabled.id, { is_enabled: false });
  const expired = await anAddress('/expired');
  const deleted = await anAddress('/deleted');
  expect(await state(disabled.id)).toMatchObject({ silent_at: null });
  await Promise.all([disabled, expired, deleted].map(({ id }) => overdue(id)));
  await stored().updateOne({ _id: expired.id }, { $set: { expires_at: new Date(Date.now() - 1) } });
  await whole.api.ask('DELETE', `/v1/addresses/${deleted.id}`);
  expect(await roundsOf(STEADY)).toBe(0);
  await change(disabled.id, { is_enabled: true });
  const { silent_at } = (await state(disabled.id)) ?? {};
  expect(silent_at?.getTime()).toBeGreaterThan(Date.now() + 59 * MINUTE_MS);
});

test('an address of a suspended account begins to wait anew', async () => {
  const { id } = await anAddress('/suspended');
  const accounts = whole.api.mongo.db.collection<{ _id: string }>('accounts');
  const account = { _id: whole.api.account.id };
  await overdue(id);
  await accounts.updateOne(account, { $set: { suspended_at: new Date() } });
  await roundsOf(STEADY);
  await accounts.updateOne(account, { $unset: { suspended_at: '' } });
  expect(await roundsOf(STEADY)).toBe(0);
  expect(await events(id)).toEqual([]);
});

test('another expectation, or none, ends the silence; email of the former one does not count', async () => {
  const { id } = await anAddress('/changed');
  await overdue(id);
  await roundsOf(STEADY);
  expect(await change(id, { expect: EXPECT })).toHaveProperty('silent_since', expect.anything());
  expect(await change(id, { expect: { ...EXPECT, every: '2h' } })).toMatchObject({
    silent_since: null,
  });
  expect(await events(id)).toMatchObject([
    { type: 'address.silent' },
    { type: 'address.resumed', data: { reason: 'changed' } },
  ]);
  expect(await change(id, { expect: null })).toMatchObject({ expect: null, silent_since: null });
  expect(await state(id)).toMatchObject({ silent_at: null });
});

test.each([
  ['an interval of nothing', { every: '0m' }, 'expect.every'],
  ['a broken expression', { every: '1h', when: 'subject ==' }, 'expect.when'],
  ['an unknown field', { every: '1h', cron: '* * * * *' }, 'expect'],
])('%s is refused', async (_, body, field) => {
  const { id } = await whole.address('/wrong');
  const answer = await whole.api.ask('PATCH', `/v1/addresses/${id}`, { body: { expect: body } });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain(field);
});
