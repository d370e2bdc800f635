/** How many searches an account can have in progress in a process, also after their clients left. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';

import { createLog } from '../../../../services/adapters/process/log.ts';
import { usageEndpoints } from '../../../../services/api/billing/usage-endpoints.ts';
import { deliveryEndpoints } from '../../../../services/api/delivery/delivery-endpoints.ts';
import { replayEndpoints } from '../../../../services/api/delivery/replay-endpoints.ts';
import type { AddressCaller } from '../../../../services/core/token/token.ts';
import { defineEndpoint } from '../../../../services/api/http/endpoint.ts';
import { respondToErrors } from '../../../../services/api/http/errors.ts';
import { createSlots, SEARCHES } from '../../../../services/api/http/limits/slots.ts';
import { createRouter, type RequestGuards } from '../../../../services/api/http/router.ts';
import { until } from '../../../support/until.ts';

const PER_ACCOUNT = 16;
let [begun, finish] = [0, () => {}];
let ended: Promise<void>;
beforeEach(() => {
  ({ promise: ended, resolve: finish } = Promise.withResolvers<void>());
});

const search = defineEndpoint({
  call: 'GET /searches',
  operationId: 'search',
  summary: 'Search',
  permission: 'any',
  isSearch: true,
  response: z.object({}),
  handle: async () => {
    begun++;
    await ended;
    return {};
  },
});
const guards = {
  authorize: (ctx) => Promise.resolve({ account_id: ctx.get('authorization') } as AddressCaller),
  trustedProxies: [],
  searches: createSlots(SEARCHES),
  clock: () => new Date(),
} as Partial<RequestGuards> as RequestGuards;
const app = new Koa();
app.use(respondToErrors(createLog('silent')));
app.use(createRouter([search], guards).routes());
const answer = app.callback();
const server = createServer((request, response) => void answer(request, response));
let url: string;
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/searches`;
});
afterAll(() => void server.close());

const ask = (account: string, signal?: AbortSignal) =>
  fetch(url, { headers: { authorization: account }, ...(signal && { signal }) });

test('an account has at most 16 searches in progress, whether their clients stay or leave', async () => {
  const leaving = new AbortController();
  const searches = Array.from({ length: PER_ACCOUNT }, (_, i) =>
    ask('a', i % 2 === 0 ? leaving.signal : undefined),
  );
  await until('the searches to begin', () => begun === PER_ACCOUNT);
  leaving.abort();
  await Promise.allSettled(searches.filter((_, i) => i % 2 === 0));
  const refusal = await ask('a');
  expect(refusal.status).toBe(429);
  expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refusal.json()).toMatchObject({ error: 'rate_limit_exceeded' });
  const other = ask('b');
  await until('the search of another account', () => begun === PER_ACCOUNT + 1);
  finish();
  expect((await other).status).toBe(200);
  expect((await ask('a')).status).toBe(200);
});

test('lists and sums of deliveries and events count as searches', () => {
  const none = {} as never;
  const endpoints = [
    ...deliveryEndpoints(none),
    ...replayEndpoints(none, none),
    ...usageEndpoints(none),
  ];
  const searches = endpoints.filter(({ isSearch }) => isSearch);
  expect(searches.map(({ operationId }) => operationId)).toEqual([
    'listDeliveries',
    'listNewestDeliveries',
    'listDueDeliveries',
    'replayDeliveries',
    'getUsageSeries',
    'listUsageEvents',
  ]);
});
