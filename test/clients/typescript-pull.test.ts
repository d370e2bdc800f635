/** 55.3: pullEmails of @inlet-email/client without a server. */
import { expect, test } from 'vitest';

import { createInlet, RejectEmail } from '../../services/clients/typescript/src/inlet.ts';

const email = (n: number, payload: object | null = { headers: { subject: `s${n}` } }) => ({
  lease_id: `evt_${n}.l`,
  event_id: `evt_${n}`,
  retry_count: 0,
  payload,
});

type Said = { path: string; body: unknown };

/** A client whose next calls get these batches in turn, and then nothing. */
function clientOf(batches: (object[] | number)[]) {
  const said: Said[] = [];
  const inlet = createInlet({
    apiUrl: 'https://api.example/v1',
    token: 'svc_test_x',
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const path = pathname.slice(pathname.lastIndexOf('/') + 1);
      if (request.method === 'POST') said.push({ path, body: await request.json() });
      if (path === 'payload') return Response.json({ headers: { subject: 'large' } });
      if (path !== 'next') return Response.json({ count: 1, lost: [] });
      const next = batches.shift() ?? [];
      return typeof next === 'number'
        ? Response.json({ error: 'unavailable', message: 'x' }, { status: next })
        : Response.json({ data: next });
    },
  });
  return { inlet, said };
}

test('55.3: what was handled is acknowledged, what threw is returned, what was rejected has failed', async () => {
  const { inlet, said } = clientOf([503, [email(1), email(2), email(3), email(4, null)]]);
  const stop = new AbortController();
  const seen: unknown[] = [];
  const errors: unknown[] = [];
  await inlet.pullEmails({
    address: { id: 'addr_1' },
    handle: ({ event_id, payload }) => {
      seen.push(payload.headers.subject);
      if (seen.length === 4) stop.abort();
      if (event_id === 'evt_2') throw new Error('not now');
      if (event_id === 'evt_3') throw new RejectEmail('never');
    },
    onError: (error) => errors.push(error),
    signal: stop.signal,
  });
  expect(seen).toEqual(['s1', 's2', 's3', 'large']);
  expect(errors.map((error) => (error as Error).message)).toEqual(['x', 'not now', 'never']);
  const acknowledged = said
    .filter(({ path }) => path === 'ack')
    .flatMap(({ body }) => (body as { lease_ids: string[] }).lease_ids);
  expect(acknowledged).toEqual(['evt_1.l', 'evt_4.l']);
  expect(said.filter(({ path }) => path === 'nack').map(({ body }) => body)).toEqual([
    { lease_ids: ['evt_2.l'], reason: 'not now', is_final: false },
    { lease_ids: ['evt_3.l'], reason: 'never', is_final: true },
  ]);
});

test('55.3: leases are renewed while an email is handled', async () => {
  const { inlet, said } = clientOf([[email(1)]]);
  const stop = new AbortController();
  await inlet.pullEmails({
    address: 'addr_1',
    receiver: 'rcv_1',
    leaseSeconds: 0.3,
    concurrency: 1,
    handle: async () => {
      await expect.poll(() => said.length).toBeGreaterThan(1);
      stop.abort();
    },
    signal: stop.signal,
  });
  expect(said[0]).toEqual({ path: 'renew', body: { lease_ids: ['evt_1.l'], lease: 0.3 } });
  expect(said.at(-1)).toEqual({ path: 'ack', body: { lease_ids: ['evt_1.l'] } });
});

test('55.3: a call that is refused for good ends the loop', async () => {
  const { inlet } = clientOf([403]);
  await expect(
    inlet.pullEmails({ address: 'addr_1', handle: () => undefined }),
  ).rejects.toMatchObject({ status: 403 });
});
