/** Receivers with the mode pull: consumers lease their emails, and end the leases. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';

import type { Answer } from '../../support/start-api.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const whole = await useInFile(startInProcess({ RETRY_SCHEDULE: '1s,1h' }));

type Leased = {
  lease_id: string;
  leased_until: string;
  event_id: string;
  retry_count: number;
  payload_bytes: number;
  payload: {
    event_id: string;
    headers: { subject: string };
    metadata: { retry_count: number };
  } | null;
};
type Result = { count: number; lost: string[] };

/** An account of its own with an address that is asked for its emails. */
async function consumer(fields: object = {}) {
  const { id: accountId } = await whole.api.newAccount();
  const { token } = await whole.api.issue({ accountId });
  const ask = (method: string, url: string, body?: object): Promise<Answer> =>
    whole.api.ask(method, url, { token, ...(body && { body }) });
  const created = await ask('POST', '/v1/addresses', {
    webhook_url: null,
    mode: 'pull',
    ...fields,
  });
  expect(created.status).toBe(201);
  const { id, address } = created.body as { id: string; address: string };
  const receivers = `/v1/addresses/${id}/receivers`;
  const callsOf = (receiverId: string) => ({
    next: async (query = 'wait=20'): Promise<Leased[]> => {
      const answer = await ask('GET', `${receivers}/${receiverId}/next?${query}`);
      expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
      return answer.body.data as Leased[];
    },
    end: async (how: string, leased: readonly Leased[], more: object = {}): Promise<Result> => {
      const lease_ids = leased.map(({ lease_id }) => lease_id);
      const answer = await ask('POST', `${receivers}/${receiverId}/${how}`, { lease_ids, ...more });
      expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
      return answer.body as Result;
    },
  });
  return {
    ask,
    id,
    address,
    receivers,
    callsOf,
    ...callsOf(id),
    token,
    delivery: async (eventId: string) =>
      (await ask('GET', `/v1/deliveries/${eventId}`)).body as {
        status: string;
        outcome: string | null;
        attempts: { outcome: string; error: string | null }[];
      },
  };
}

const subjects = (leased: readonly Leased[]) =>
  leased.map(({ payload }) => payload?.headers.subject);

describe('55.3: a consumer', () => {
  test('leases an email, acknowledges it, and does not get it again', async () => {
    const { address, next, end, delivery, ask, receivers, id } = await consumer();
    const waiting = next('wait=30'); // asks before there is one
    await whole.send(address, 'one');
    const leased = await waiting;
    expect(subjects(leased)).toEqual(['one']);
    const [first] = leased as [Leased];
    expect(first).toMatchObject({
      retry_count: 0,
      payload: { event_id: first.event_id, metadata: { retry_count: 0 } },
    });
    expect(await next('wait=0')).toEqual([]);
    expect(await delivery(first.event_id)).toMatchObject({ status: 'pending', attempts: [] });
    expect(await end('ack', leased)).toEqual({ count: 1, lost: [] });
    expect(await end('ack', leased)).toEqual({ count: 1, lost: [] }); // its answer got lost
    expect(await delivery(first.event_id)).toMatchObject({
      status: 'delivered',
      outcome: 'accepted',
      attempts: [{ outcome: 'accepted' }],
    });
    expect(await next('wait=0')).toEqual([]);
    const shown = (await ask('GET', `${receivers}/${id}`)).body;
    expect(shown).toMatchObject({ mode: 'pull', url: null, last_pulled_at: expect.any(String) });
  });

  test('returns an email, which comes again as the schedule says, and rejects it for good', async () => {
    const { address, next, end, delivery } = await consumer();
    await whole.send(address, 'returned');
    const first = await next();
    expect(await end('nack', first, { reason: 'closed' })).toEqual({ count: 1, lost: [] });
    expect(await end('ack', first)).toEqual({ count: 0, lost: [first[0]?.lease_id] });
    const again = await next();
    expect(again).toMatchObject([
      { event_id: first[0]?.event_id, retry_count: 1, payload: { metadata: { retry_count: 1 } } },
    ]);
    await end('nack', again, { is_final: true });
    const eventId = first[0]!.event_id;
    expect(await delivery(eventId)).toMatchObject({
      status: 'failed',
      outcome: 'refused',
      attempts: [
        { outcome: 'busy', error: 'the consumer returned it: closed' },
        { outcome: 'refused', error: 'the consumer rejected it' },
      ],
    });
    expect(await next('wait=0')).toEqual([]);
  });

  test('that dies loses its lease: the email comes again; one that renews keeps it', async () => {
    const { address, next, end, delivery } = await consumer();
    await whole.send(address, 'leased');
    const first = await next('wait=20&lease=5');
    await sleep(3_000);
    expect(await end('renew', first, { lease: 5 })).toEqual({ count: 1, lost: [] });
    await sleep(3_000);
    expect(await next('wait=0')).toEqual([]);
    const again = await next('wait=20'); // the renewed lease ends, which is no attempt
    expect(again).toMatchObject([{ event_id: first[0]?.event_id, retry_count: 0 }]);
    expect(await end('renew', first)).toMatchObject({ count: 0 });
    expect(await end('ack', again)).toEqual({ count: 1, lost: [] });
    expect((await delivery(first[0]!.event_id)).attempts).toMatchObject([{ outcome: 'accepted' }]);
  });

  test('shares the emails with others: nobody gets the lease of another', async () => {
    const { address, next, end } = await consumer();
    for (let n = 0; n < 10; n++) await whole.send(address, `shared ${n}`);
    const got: Leased[] = [];
    await until('all to be leased', async () => {
      const together = await Promise.all([1, 2, 3, 4].map(() => next('wait=1&max=3')));
      got.push(...together.flat());
      return got.length >= 10;
    });
    expect(new Set(got.map(({ event_id }) => event_id)).size).toBe(10);
    expect(got).toHaveLength(10);
    expect(await end('ack', got)).toEqual({ count: 10, lost: [] });
  });

  test('of a further receiver gets what its filter lets pass', async () => {
    const { ask, address, receivers, callsOf } = await consumer();
    const answer = await ask('POST', receivers, { mode: 'pull', when: 'subject == "yes"' });
    expect(answer).toMatchObject({ status: 201, body: { mode: 'pull', url: null } });
    const further = callsOf(String(answer.body.id));
    await whole.send(address, 'no');
    await whole.send(address, 'yes');
    const leased = await further.next();
    expect(subjects(leased)).toEqual(['yes']);
    expect(await further.end('ack', leased)).toMatchObject({ count: 1 });
  });

  test('gets a payload above 4 MiB by a call of its own, and one from the bucket in the answer', async () => {
    const { ask, address, next, end } = await consumer();
    for (const [subject, size] of [
      ['large', 1],
      ['too large', 4],
    ] as const)
      await whole.pipeline.mailer.sendMail({
        from: 'a@b.example',
        to: address,
        subject,
        attachments: [{ filename: 'a.bin', content: Buffer.alloc(size * 1024 * 1024, 7) }],
      });
    const got: Leased[] = [];
    await until('both to come', async () => {
      got.push(...(await next('wait=2')));
      return got.length === 2;
    });
    const large = got.find(({ payload }) => payload !== null);
    const other = got.find(({ payload }) => payload === null);
    expect(large?.payload?.headers.subject).toBe('large');
    expect(other?.payload_bytes).toBeGreaterThan(5_000_000);
    const fetched = await ask('GET', `/v1/deliveries/${other?.event_id}/payload`);
    expect(fetched.body).toMatchObject({ headers: { subject: 'too large' } });
    expect(await end('ack', got)).toMatchObject({ count: 2 });
  });
});

type StoredOffer = { _id: string; offer?: { until?: Date; lease?: object } };
const records = () => whole.pipeline.mongo.db.collection<StoredOffer>('deliveries');

const byEventId = (event_id: string | undefined) => [{ lease_id: event_id } as Leased];

test('an email that waits for a consumer is acknowledged by its event_id', async () => {
  const { ask, address, next, end, delivery } = await consumer();
  await whole.send(address, 'by hand');
  await whole.send(address, 'by its id');
  const leased = await next('wait=20&max=1');
  const { body } = await until('both', async () => {
    const found = await ask('GET', '/v1/deliveries?status=pending');
    const waiting = await records().countDocuments({ 'offer.until': { $exists: true } });
    return waiting >= 2 && (found.body.data as unknown[]).length === 2 ? found : undefined;
  });
  const ids = (body.data as { event_id: string }[]).map(({ event_id }) => event_id);
  const [other] = ids.filter((eventId) => eventId !== leased[0]?.event_id);
  expect(await end('ack', byEventId(leased[0]?.event_id))).toMatchObject({ count: 0 }); // it is leased
  expect(await end('ack', byEventId(other))).toEqual({ count: 1, lost: [] });
  expect(await delivery(other!)).toMatchObject({ status: 'delivered', outcome: 'accepted' });
});

describe('55.3: requests', () => {
  test('cancel a lease, and replay the email: it can be leased again', async () => {
    const { ask, address, next, end } = await consumer();
    await whole.send(address, 'canceled');
    const leased = await next();
    const id = leased[0]!.event_id;
    expect((await ask('POST', `/v1/deliveries/${id}/cancel`)).status).toBe(200);
    expect(await end('ack', leased)).toMatchObject({ count: 0, lost: [leased[0]!.lease_id] });
    expect(await next('wait=0')).toEqual([]);
    expect((await ask('POST', `/v1/deliveries/${id}/replay`)).status).toBe(200);
    const again = await next();
    expect(again.map(({ event_id }) => event_id)).toEqual([id]);
    expect(await end('ack', again)).toMatchObject({ count: 1 });
  });

  test('erase an email: nobody can lease it any more', async () => {
    const { ask, address, next } = await consumer();
    await whole.send(address, 'erased');
    const leased = await next('wait=20&lease=5');
    const id = leased[0]!.event_id;
    expect((await ask('DELETE', `/v1/deliveries/${id}/content`)).status).toBe(200);
    await sleep(6_000);
    expect(await next('wait=0')).toEqual([]);
  });

  test('make what a consumer returned or leased come at once', async () => {
    const { ask, address, next, end } = await consumer();
    await whole.send(address, 'now');
    await end('nack', await next(), { retry_after: 3_600 });
    expect(await next('wait=0')).toEqual([]);
    const { body } = await ask('GET', '/v1/deliveries?status=retrying');
    const [{ event_id } = { event_id: '' }] = body.data as { event_id: string }[];
    expect((await ask('POST', `/v1/deliveries/${event_id}/retry`)).status).toBe(200);
    const [again] = await next('wait=0');
    expect(again).toMatchObject({ event_id, retry_count: 1 });
    expect(await ask('POST', '/v1/deliveries/replay', { status: 'retrying' })).toMatchObject({
      body: { queued: 1 },
    });
    const third = await until('it to be leasable', async () => {
      const leased = await next('wait=0');
      return leased.length > 0 ? leased : undefined;
    });
    expect(await end('ack', [again!])).toMatchObject({ count: 0 });
    expect(await end('ack', third)).toMatchObject({ count: 1 });
  });

  test('are refused for a format that only a POST has, and for a push receiver without a URL', async () => {
    const { ask, id, receivers } = await consumer();
    expect(await ask('PATCH', `/v1/addresses/${id}`, { format: 'raw' })).toMatchObject({
      status: 422,
      body: { error: 'validation_failed', details: { field: 'format' } },
    });
    expect(await ask('POST', receivers, { description: 'nowhere' })).toMatchObject({
      status: 422,
      body: { error: 'validation_failed', details: { field: 'url' } },
    });
    const further = (await ask('POST', receivers, { mode: 'pull' })).body.id as string;
    expect(await ask('PATCH', `${receivers}/${further}`, { mode: 'push' })).toMatchObject({
      status: 422,
    });
    expect((await ask('POST', `${receivers}/${further}/test`)).status).toBe(409);
  });

  test('of a token without both permissions, or limited to another address, are refused', async () => {
    const { ask, id, receivers } = await consumer();
    const path = `${receivers}/${id}/next`;
    for (const permissions of [['deliveries:read'], ['deliveries:write']]) {
      const made = await ask('POST', '/v1/account/tokens', { name: 'few', permissions });
      const token = made.body.token as string;
      expect((await whole.api.ask('GET', path, { token })).status).toBe(403);
    }
    const other = await ask('POST', '/v1/addresses', { webhook_url: null }); // its mode is push
    const otherId = String(other.body.id);
    const pulled = await ask('GET', `/v1/addresses/${otherId}/receivers/${otherId}/next`);
    expect(pulled.status).toBe(409);
    const limited = await ask('POST', '/v1/account/tokens', {
      name: 'limited',
      permissions: ['deliveries:read', 'deliveries:write'],
      address_ids: [other.body.id],
    });
    const token = limited.body.token as string;
    expect((await whole.api.ask('GET', path, { token })).status).toBe(404);
  });
});
