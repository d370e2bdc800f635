/**
 * Rate limits of tokens (spec 8), never exceeded across API processes, and limits on failed authentication
 * per source.
 */
import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';

import { sourceOf } from '../../../services/api/http/source-address.ts';
import { testMongo } from '../../support/servers.ts';
import { atMost } from '../../support/slowdown.ts';
import { until } from '../../support/until.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const PER_MINUTE = 20;
const PER_HOUR = 50;
/** One process may hold an eighth of the limit in advance while the other refuses a request. */
const RESERVED_MAX = Math.floor(PER_MINUTE / 8);

const { uri } = await useInFile(testMongo());
const env = {
  RATE_LIMIT_PER_MINUTE: String(PER_MINUTE),
  RATE_LIMIT_PER_HOUR: String(PER_HOUR),
  SECRET_KEYS: Buffer.alloc(32, 1).toString('base64'),
};
const api = await useInFile(startTestApi({ env, mongoUri: uri }));
const { mongoUri, natsServer } = api;
const second = await useInFile(startTestApi({ env, mongoUri, natsServer }));
const urls = [api.url, second.url];

const get = (token: string, i = 0, path = '/v1/account') =>
  fetch(`${urls[i % urls.length]}${path}`, { headers: { authorization: `Bearer ${token}` } });
const numberIn = (response: Response, header: string) => Number(response.headers.get(header));

/** Ends the minute of this token, as time does. */
const endMinute = (tokenId: string) =>
  api.mongo.db
    .collection<{ _id: string }>('rate_windows')
    .updateOne({ _id: tokenId }, { $set: { 'minute.ends_at': new Date(Date.now() - 1) } });
const countPassed = (answers: readonly Response[]) =>
  answers.filter(({ status }) => status === 200).length;

describe('spec 8: rate limits of a token', () => {
  test('two API processes never exceed the limit together, in any order of requests', async () => {
    const { token } = await api.issue();
    const answers = await Promise.all(
      Array.from({ length: PER_MINUTE + 15 }, (_, i) => get(token, i)),
    );
    const passed = countPassed(answers);
    expect(passed).toBeLessThanOrEqual(PER_MINUTE);
    expect(passed).toBeGreaterThanOrEqual(PER_MINUTE - RESERVED_MAX);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(answers.length - passed);
  });

  test('requests one after the other use nearly the whole limit, whichever process gets them', async () => {
    const { token } = await api.issue();
    let passed = 0;
    for (let i = 0; i < PER_MINUTE + 10; i++)
      passed += (await get(token, i < PER_MINUTE / 2 ? 0 : 1)).ok ? 1 : 0;
    expect(passed).toBeGreaterThanOrEqual(PER_MINUTE - RESERVED_MAX);
    expect(passed).toBeLessThanOrEqual(PER_MINUTE);
  });

  test('a process returns the requests that it reserved and did not use', async () => {
    const { id, token } = await api.issue();
    for (let i = 0; i < 5; i++) await get(token);
    const used = async () => {
      const windows = await api.mongo.db
        .collection<{ _id: string; minute: { used: number }; hour: { used: number } }>(
          'rate_windows',
          { readConcern: { level: 'local' } }, // they are written without a majority
        )
        .findOne({ _id: id });
      return [windows?.minute.used ?? 0, windows?.hour.used ?? 0];
    };
    expect(Math.min(...(await used()))).toBeGreaterThan(5);
    await until(
      'the blocks are returned',
      async () => (await used()).every((n) => n === 5),
      atMost(9_000),
    );
    expect(numberIn(await get(token, 1), 'x-ratelimit-remaining')).toBe(PER_HOUR - 6);
  });

  test('spec 7: above the limit it is 429 with retry_after, a message that states the wait, and headers', async () => {
    const { token } = await api.issue();
    await Promise.all(Array.from({ length: 2 * PER_MINUTE }, (_, i) => get(token, i)));
    const refused = await get(token);
    const body = (await refused.json()) as { retry_after: number };
    expect([refused.status, body]).toEqual([
      429,
      {
        error: 'rate_limit_exceeded',
        message: `Rate limit exceeded. Wait ${body.retry_after} seconds before the next request`,
        retry_after: expect.any(Number) as number,
      },
    ]);
    expect(body.retry_after).toBeGreaterThan(50);
    expect(body.retry_after).toBeLessThanOrEqual(60);
    expect(refused.headers.get('retry-after')).toBe(String(body.retry_after));
    expect(['limit', 'remaining'].map((name) => numberIn(refused, `x-ratelimit-${name}`))).toEqual([
      PER_MINUTE,
      0,
    ]);
    expect(numberIn(refused, 'x-ratelimit-reset') - Date.now() / 1_000).toBeCloseTo(
      body.retry_after,
      -1,
    );
  });

  test('every response to a valid token has the hourly rate: success, error, refusal, no route', async () => {
    const { token } = await api.issue({ permissions: ['account:read'] });
    const paths = [
      '/v1/account',
      '/v1/account?x=1',
      '/v1/addresses',
      '/v1/account/tokens',
      '/v1/nothing',
      '/v1/deliveries/replay', // 405: POST only
      '/nothing',
    ];
    for (const [i, path] of paths.entries()) {
      const answer = await get(token, 0, path); // the other process would report its own block
      expect([
        path,
        numberIn(answer, 'x-ratelimit-limit'),
        numberIn(answer, 'x-ratelimit-remaining'),
      ]).toEqual([path, PER_HOUR, PER_HOUR - i - 1]);
      expect(
        Math.abs(numberIn(answer, 'x-ratelimit-reset') - Date.now() / 1_000 - 3_600),
      ).toBeLessThan(30);
    }
    expect((await fetch(`${api.url}/v1/account`)).headers.get('x-ratelimit-limit')).toBeNull();
  });

  test('a new minute begins when the old one ends; the hour continues', async () => {
    const { id, token } = await api.issue();
    const counted: number[] = [];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: PER_MINUTE }, () => get(token)));
      counted.push(countPassed(answers));
      await endMinute(id);
      urls.reverse(); // a process refuses from memory for a second
    }
    expect(counted[0]).toBe(PER_MINUTE);
    expect(counted.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(PER_HOUR);
  });

  test('tokens of one account have separate limits', async () => {
    const [one, other] = [await api.issue(), await api.issue()];
    await Promise.all(Array.from({ length: PER_MINUTE + 1 }, () => get(one.token)));
    expect([(await get(one.token)).status, (await get(other.token)).status]).toEqual([429, 200]);
  });

  test('counts expire through their index', async () => {
    const indexes = await api.mongo.db.collection('rate_windows').indexes();
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }),
    );
  });
});

const seen = (remoteAddress: string, forwarded?: string, hops = 10) =>
  sourceOf(
    {
      socket: { remoteAddress },
      headers: { ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
    } as unknown as IncomingMessage,
    { networks: ['10.0.0.0/8', 'fd00::/8'], hops },
  );

describe('sources that guess', () => {
  test('a source with too many failures gets 429, but a token that was valid there still works', async () => {
    await using strict = await startTestApi({ constants: { authFailuresPerMinute: 5 } });
    expect((await strict.ask('GET', '/v1/account')).status).toBe(200);
    const { token: late } = await strict.issue();
    const guesses = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        strict.ask('GET', '/v1/account', {
          token: i % 2 ? null : `svc_live_${String(i).repeat(43)}`,
        }),
      ),
    );
    expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    for (const token of [null, 'svc_live_no', late]) {
      expect(await strict.ask('GET', '/v1/account', { token })).toMatchObject({
        status: 429,
        body: { error: 'rate_limit_exceeded', retry_after: expect.any(Number) as number },
      });
    }
    expect((await strict.ask('GET', '/v1/account')).status).toBe(200);
    expect((await strict.ask('GET', '/healthz', { token: null })).status).toBe(200);
  });

  test('with a number of proxies, a client whose own address is trusted cannot invent a source', () => {
    const forged = '198.51.100.1, 10.1.2.3';
    expect(seen('10.0.0.5', forged)).toBe('198.51.100.1');
    expect(seen('10.0.0.5', forged, 1)).toBe('10.1.2.3');
    expect(seen('10.0.0.5', `${forged}, 10.0.0.4`, 2)).toBe('10.1.2.3');
    expect(seen('203.0.113.7', forged, 1)).toBe('203.0.113.7');
  });

  test.each([
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'], // the header of an untrusted client is ignored
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '192.0.2.1, 198.51.100.1', '198.51.100.1'], // the first is the client's own claim
    ['::ffff:10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['::ffff:203.0.113.7', undefined, '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
    ['fd00::1', '2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ])('%s with X-Forwarded-For %j is %s', (address, forwarded, source) => {
    expect(seen(address, forwarded)).toBe(source);
  });
});
