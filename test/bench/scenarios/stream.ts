/**
 * The cost of open streams (GET /v1/stream): memory and CPU of the API, and accepted emails per
 * second with and without watchers, alternating in the same run.
 */
import { randomBytes } from 'node:crypto';
import { type ClientRequest, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createTokens } from '../../../services/adapters/mongo/token/tokens.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { readState } from '../../../services/standalone/state/state.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import { usageOf } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const WATCHERS = 500;
/** Of these, those of the account that receives the emails. */
const ON_BUSY_ACCOUNT = 50;
const OTHER_ACCOUNTS = 45;
const OPENED_AT_ONCE = 25;
const CONNECTIONS = 20;
const WARM_UP_MAILS = 500;
const IDLE_SECONDS = 20;
const SETTLE_MS = 3_000;

export const stream: Scenario = {
  name: 'stream',
  purpose: 'memory and CPU of open streams, and what they cost the mail path',
  run: async (bed, { mails, seconds, repeat }, report) => {
    const [system] = bed.systems.filter(({ name }) => name === 'inlet');
    if (system === undefined) throw new Error('the scenario stream needs the system inlet');
    const { api_url, token, mongodb_uri, pids } = await readState(join(bed.dataDir, 'inlet'));
    const tokens = [token, ...(await otherTokens(mongodb_uri))];
    const api = pids.api ?? 0;
    const workload: Workload = { kind: '2k', connections: CONNECTIONS, mails, seconds };
    await warmUp(bed, system, { ...workload, mails: 0, seconds: 0 }, WARM_UP_MAILS);

    const without: Run[] = [];
    const beside: Run[] = [];
    const cpu = { idle: NaN, unwatched: [] as number[], watched: [] as number[] };
    let bytes = NaN;
    let events = 0;
    const cpuShare = async (work: () => Promise<unknown>): Promise<number> => {
      const [before, startedAt] = [usageOf(api)?.cpuSeconds ?? NaN, performance.now()];
      await work();
      const busy = (usageOf(api)?.cpuSeconds ?? NaN) - before;
      return (100 * busy) / ((performance.now() - startedAt) / 1_000);
    };
    for (let round = 0; round < repeat; round++) {
      report(`stream: round ${round + 1}, without watchers`);
      cpu.unwatched.push(
        await cpuShare(async () => without.push(await measure(bed, system, workload))),
      );
      const before = usageOf(api)?.residentBytes ?? NaN;
      report(`stream: ${WATCHERS} watchers`);
      await using _ = await openStreams(api_url, tokens, () => events++);
      await sleep(SETTLE_MS);
      if (round === 0) {
        bytes = (usageOf(api)?.residentBytes ?? NaN) - before;
        cpu.idle = await cpuShare(() => sleep(IDLE_SECONDS * 1_000));
      }
      cpu.watched.push(
        await cpuShare(async () => beside.push(await measure(bed, system, workload))),
      );
    }
    const text =
      table(
        ['streams', 'accepted/s', 'to 250 p99 ms', 'CPU s for 1,000', 'API, % of one core'],
        [row('0', without, cpu.unwatched), row(String(WATCHERS), beside, cpu.watched)],
      ) +
      `\n${WATCHERS} streams of ${tokens.length} accounts: ${figure(bytes / 2 ** 20)} MiB in the API, ` +
      `${figure(cpu.idle)} % of one core while nothing happens; ${events} chunks received`;
    return { text, figures: { bytes, cpu, without, beside, events } };
  },
};

const row = (name: string, runs: readonly Run[], shares: readonly number[]) => [
  name,
  figure(median(runs.map((run) => run.acceptedPerSecond))),
  figure(median(runs.map((run) => run.acceptMs.p99))),
  figure(median(runs.map((run) => run.systemCpuPerThousand))),
  figure(median(shares)),
];

/** A token for each of the accounts that receive nothing. */
async function otherTokens(mongodbUri: string): Promise<string[]> {
  await using mongo = await connectMongo(mongodbUri, createLog('silent'));
  const tokens: string[] = [];
  for (let i = 0; i < OTHER_ACCOUNTS; i++) {
    const email = `${randomBytes(4).toString('hex')}@example.com`;
    const { id: accountId } = await createAccounts(mongo.db).create({ email, name: 'Watcher' });
    const name = 'watcher';
    tokens.push(
      (await createTokens(mongo.db).issue({ accountId, name, environment: 'live' })).token,
    );
  }
  return tokens;
}

/** The first token is that of the busy account. */
async function openStreams(
  apiUrl: string,
  [busy = '', ...others]: readonly string[],
  received: () => void,
): Promise<AsyncDisposable> {
  const requests: ClientRequest[] = [];
  const open = (token: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      const request = get(`${apiUrl}/stream`, { headers, agent: false }, (response) => {
        response.on('data', received);
        response.on('error', () => undefined); // closed at the end
        if (response.statusCode === 200) resolve();
        else reject(new Error(`a stream was refused with ${response.statusCode}`));
      });
      request.on('error', reject);
      requests.push(request);
    });
  for (let opened = 0; opened < WATCHERS; opened += OPENED_AT_ONCE)
    await Promise.all(
      Array.from({ length: OPENED_AT_ONCE }, (_, i) =>
        open(opened + i < ON_BUSY_ACCOUNT ? busy : (others[(opened + i) % others.length] ?? busy)),
      ),
    );
  return {
    [Symbol.asyncDispose]: async () => {
      for (const request of requests) request.destroy();
      await sleep(SETTLE_MS);
    },
  };
}
