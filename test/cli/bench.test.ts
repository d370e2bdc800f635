/** `inlet admin bench` against all of Inlet as `npm start` runs it: a bounded run, and one that is stopped. */
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { connectMongo } from '../../services/adapters/mongo/database/connection.ts';
import { createStores } from '../../services/adapters/mongo/stores.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import type { BenchResult } from '../../services/cli/bench/bench-report.ts';
import { runCommand } from '../support/inlet-command.ts';
import { startWholeSystem } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const system = await useInFile(startWholeSystem());
const mongo = await useInFile(
  connectMongo(system.standalone.state().mongodb_uri, createLog('silent')),
);
const env = { INLET_DIR: join(system.standalone.dataDir) };

const bench = (args: string[], stopped = new AbortController().signal) =>
  runCommand(['admin', 'bench', ...args], { env, stopped });

const benchAccounts = async () =>
  (await createStores(mongo.db).accounts.list()).filter(
    ({ email }) => email === 'bench@inlet.invalid',
  );
const count = (collection: string, query: object) =>
  mongo.db.collection(collection).countDocuments(query);

/** Nothing but closed accounts and addresses that refuse mail. */
async function expectNothingLeft(): Promise<void> {
  const accounts = await benchAccounts();
  expect(accounts.filter(({ closed_at }) => closed_at === null)).toEqual([]);
  const account_id = { $in: accounts.map(({ id }) => id) };
  expect(await count('addresses', { account_id, deleted_at: null })).toBe(0);
  expect(await count('deliveries', { account_id })).toBe(0);
  expect(await count('events', { account_id, type: /^webhook/ })).toBe(0);
}

test('steps of known length: rates, percentiles and CPU, and nothing is left of it', async () => {
  const args = ['--rates', '20,40', '--seconds', '3', '--connections', '4', '--size', '2k'];
  const { code, out, err } = await bench([...args, '--emails', '150', '--json']);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/removed the account, its addresses and their records\n$/) as string,
  });
  const { steps, ...rest } = JSON.parse(out) as BenchResult;
  expect(rest).toEqual({ size: '2k', connections: 4 });
  expect(steps.map(({ accepted, missing, refusals }) => ({ accepted, missing, refusals }))).toEqual(
    [
      { accepted: 60, missing: 0, refusals: {} },
      { accepted: 90, missing: 0, refusals: {} }, // the rest of --emails
    ],
  );
  for (const step of steps) {
    expect(step.replyMs.p50).toBeGreaterThan(0);
    expect(step.replyMs.p99).toBeGreaterThanOrEqual(step.replyMs.p50);
    expect(step.webhookMs.p50).toBeGreaterThan(0);
    expect(step.gateway).toMatchObject({ pods: 1, limitCores: null });
    expect(step.gateway?.cpuPerThousand).toBeGreaterThan(0);
    expect(step.gateway?.meanMs.accept).toBeGreaterThan(step.gateway?.meanMs.store ?? Infinity);
    expect(step.dispatcher?.cpuPerThousand).toBeGreaterThan(0);
    expect(step.dispatcher?.meanMs.attempt).toBeGreaterThan(0);
    expect(step.limit.because).not.toBe('');
  }
  await expectNothingLeft();
});

test('a table for people, and the limit', async () => {
  const { code, out } = await bench(['--rates', '20', '--seconds', '2']);
  expect(code).toBe(0);
  expect(out).toMatch(/^asked\/s +accepted\/s .*gateway CPU s +dispatcher CPU s .*\n +20 +\d/);
  expect(out).toMatch(/\nlimit: \w+: .+\n +.+\n$/);
});

test('a run that is stopped removes its account', async () => {
  const stop = new AbortController();
  const running = bench(['--rates', '20', '--seconds', '60'], stop.signal);
  await until('the account', async () =>
    (await benchAccounts()).some(({ closed_at }) => closed_at === null),
  );
  stop.abort();
  const { code, err } = await running;
  expect(code).toBe(1);
  expect(err).toMatch(/removed the account, .*\ninlet: stopped before the end\n$/);
  await expectNothingLeft();
});

/** As a run that was killed leaves it. */
async function leaveAccount(begunMsAgo: number): Promise<string> {
  const { accounts } = createStores(mongo.db);
  const { id } = await accounts.create({ email: 'bench@inlet.invalid', name: 'inlet admin bench' });
  const created_at = new Date(Date.now() - begunMsAgo);
  await mongo.db
    .collection<{ _id: string }>('accounts')
    .updateOne({ _id: id }, { $set: { created_at } });
  return id;
}

test('the account of a killed run, whose addresses have expired, is removed by the next one', async () => {
  const id = await leaveAccount(120_000);
  const { code, err } = await bench(['--rates', '20', '--seconds', '1']);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(id) as string });
  await expectNothingLeft();
});

test('a run waits for another one', async () => {
  const id = await leaveAccount(0);
  const stop = new AbortController();
  let said = '';
  const waiting = runCommand(['admin', 'bench'], {
    env,
    stopped: stop.signal,
    complain: (text) => void (said += text),
  });
  await until('the wait', () => Promise.resolve(said.includes('waiting for its end')));
  stop.abort();
  expect((await waiting).code).toBe(1);
  expect(said).not.toContain('removed');
  await createStores(mongo.db).accounts.close(id, new Date());
});

test('no mail server there: why, and no account is left', async () => {
  const { code, err } = await bench([
    '--gateway',
    '127.0.0.1:1',
    '--rates',
    '20',
    '--seconds',
    '2',
  ]);
  expect(code).toBe(1);
  expect(err).toContain('connect to 127.0.0.1:1');
  await expectNothingLeft();
});

test('options that make no sense', async () => {
  for (const args of [
    ['--rates', '0'],
    ['--rates', '10001'],
    ['--seconds', '601'],
    ['--gateway', 'inlet-gateway'],
    ['--metrics', 'api=http://inlet-api:9090/metrics'],
    ['--cores', 'gateway=none'],
  ])
    expect((await bench(args)).code).toBe(2);
});
