/**
 * Cached tokens: requests cost no query, and a revoked token or a suspended account is refused in
 * every process within a second (spec 5.1.6).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { createCredentialRevision } from '../../../services/adapters/mongo/token/credential-revision.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { createTokens } from '../../../services/adapters/mongo/token/tokens.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { createCredentialCache } from '../../../services/platform/account/credential-cache.ts';
import { frozen } from '../../support/frozen.ts';
import { startTestNats, testMongo } from '../../support/servers.ts';
import { until } from '../../support/until.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const { uri } = await useInFile(testMongo());
const env = {
  RATE_LIMIT_PER_HOUR: '100000',
  RATE_LIMIT_PER_MINUTE: '100000',
  SECRET_KEYS: Buffer.alloc(32, 1).toString('base64'),
};
const api = await useInFile(startTestApi({ env, mongoUri: uri }));
const { mongoUri, natsServer } = api;
const second = await useInFile(startTestApi({ env, mongoUri, natsServer }));
const urls = [api.url, second.url];

const statuses = async (token: string): Promise<number[]> => {
  const headers = { authorization: `Bearer ${token}` };
  return Promise.all(
    urls.map(async (url) => (await fetch(`${url}/v1/account`, { headers })).status),
  );
};
/** Uses the token at both processes for a while, so that both trust their caches. */
async function cacheIn(token: string): Promise<void> {
  for (let i = 0; i < 4; i++) {
    if ((await statuses(token)).some((status) => status !== 200)) throw new Error('not valid');
    await sleep(150);
  }
}
async function statusesAfterASecond(token: string): Promise<number[]> {
  await sleep(1_000);
  return statuses(token);
}

describe('a revoked token is refused everywhere within a second', () => {
  test('DELETE at one process', async () => {
    const { id, token } = await api.issue();
    await cacheIn(token);
    expect((await api.ask('DELETE', `/v1/account/tokens/${id}`)).status).toBe(200);
    await until('NATS has announced it', async () =>
      (await statuses(token)).every((status) => status === 401),
    );
  });

  test('a change directly in MongoDB, as the admin command and the operator make it', async () => {
    const { id, token } = await api.issue();
    await cacheIn(token);
    await createTokens(api.mongo.db).remove({ account_id: api.account.id }, id);
    expect(await statusesAfterASecond(token)).toEqual([401, 401]);
  });

  test('the token of a Kubernetes resource: a new text replaces the old one', async () => {
    const { id, token } = await api.issue();
    await cacheIn(token);
    const replaced = await createTokens(api.mongo.db).replace(id, 'live');
    expect(await statuses(replaced)).toEqual([200, 200]);
    expect(await statusesAfterASecond(token)).toEqual([401, 401]);
  });

  test('permissions change', async () => {
    const { id, token } = await api.issue();
    await cacheIn(token);
    await createTokens(api.mongo.db).update({
      id,
      name: 'less',
      permissions: ['usage:read'],
      limit: null,
      expires_at: null,
    });
    expect(await statusesAfterASecond(token)).toEqual([403, 403]);
  });

  test('a suspended account, and its end', async () => {
    const account = await api.newAccount();
    const { token } = await api.issue({ accountId: account.id });
    await cacheIn(token);
    const accounts = createAccounts(api.mongo.db);
    await accounts.suspend(account.id, new Date());
    expect(await statusesAfterASecond(token)).toEqual([403, 403]);
    await accounts.resume(account.id);
    expect(await statusesAfterASecond(token)).toEqual([200, 200]);
  });

  test('while NATS is stopped', async () => {
    const { id, token } = await api.issue();
    await cacheIn(token);
    using _ = await frozen(api.natsServer.pid());
    expect(await statuses(token)).toEqual([200, 200]);
    expect((await api.ask('DELETE', `/v1/account/tokens/${id}`)).status).toBe(200);
    expect((await statuses(token))[0]).toBe(401); // the process that revoked it
    expect(await statusesAfterASecond(token)).toEqual([401, 401]);
  });
});

describe('the cost of a credential', () => {
  test('a token in use is read once, and again after a change', async () => {
    await using server = await startTestNats();
    await using nats = await connectNats({ url: server.url, name: 'test' }, createLog('silent'));
    const revision = createCredentialRevision(api.mongo.db);
    using cache = createCredentialCache<object>(nats, revision, createLog('silent'));
    let reads = 0;
    const value = {};
    const use = () =>
      cache.get('key', async () => {
        reads++;
        return value;
      });
    expect(await use()).toBe(value);
    await sleep(300);
    await use(); // the first check of the revision is done
    reads = 0;
    for (let i = 0; i < 15; i++) {
      expect(await use()).toBe(value);
      await sleep(100);
    }
    expect(reads).toBeLessThanOrEqual(1);
    await revision.increment();
    await sleep(900);
    reads = 0;
    await use();
    expect(reads).toBe(1);
    expect([cache.lastKnown('key'), cache.lastKnown('another')]).toEqual([value, undefined]);
  });

  test('nothing is trusted while MongoDB cannot be checked', async () => {
    await using server = await startTestNats();
    await using nats = await connectNats({ url: server.url, name: 'test' }, createLog('silent'));
    let isAway = false;
    const read = async () => {
      if (isAway) throw new Error('away');
      return 1;
    };
    using cache = createCredentialCache<object>(nats, { read }, createLog('silent'));
    let reads = 0;
    const use = () =>
      cache.get('key', async () => {
        reads++;
        return {};
      });
    await use();
    await sleep(100);
    await use();
    await sleep(100);
    isAway = true;
    await sleep(1_000);
    reads = 0;
    await use();
    await use();
    expect(reads).toBe(2);
  });
});
