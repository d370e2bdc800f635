/** GET /stream and GET /deliveries/wait over the whole system. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers as newHeaders } from '@nats-io/transport-node';
import { describe, expect, test } from 'vitest';

import { atMost } from '../../support/slowdown.ts';
import { timestamp } from '../../../services/core/time/timestamp.ts';
import { until } from '../../support/until.ts';
import { openDashboard, SAME_ORIGIN } from '../session/dashboard.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { openStream } from './event-source.ts';

const HEARTBEAT_MS = 300;
const system = await useInFile(startInProcess({}, { api: { heartbeatMs: HEARTBEAT_MS } }));

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function publishRaw(subject: string, event: object): Promise<void> {
  const headers = newHeaders();
  headers.set('Inlet-Event', JSON.stringify(event));
  await jetstream(system.pipeline.nats.connection).publish(subject, 'body', { headers });
}

describe('the stream', () => {
  test('reports an accepted email within a second of its 250, then its attempt', async () => {
    const { id, address } = await system.address('/live');
    await using stream = await openStream(system.api);
    expect([stream.status, stream.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await stream.nth('stream.ready');
    await system.send(address, 'live one');
    const acceptedAt = Date.now();
    const received = await stream.nth('email.received');
    expect(received.at - acceptedAt).toBeLessThan(atMost(1_000));
    expect(received.data).toMatchObject({
      type: 'email.received',
      address_id: id,
      delivery: { status: 'pending', subject: 'live one', attempt_count: 0 },
    });
    const delivered = await stream.nth('webhook.delivered');
    expect(delivered.data).toMatchObject({
      event_id: received.data.event_id,
      address_id: id,
      attempt: { number: 1, status_code: 200, outcome: 'accepted' },
      delivery: { status: 'delivered', attempt_count: 1 },
    });
  });

  test('survives messages that cannot be read', async () => {
    const { address, account_id } = await system.address('/readable');
    await using stream = await openStream(system.api);
    await stream.nth('stream.ready');
    const known = { event_id: 'evt_1', account_id, address_id: 'addr_1', environment: 'live' };
    for (const event of [{}, { ...known, received_at_ms: 'x' }, { ...known, received_at_ms: 9e15 }])
      await publishRaw(`mail.0.${system.api.account.id}.addr_1`, event);
    await system.send(address, 'readable');
    expect(await stream.nth('email.received')).toMatchObject({
      data: { delivery: { subject: 'readable' } },
    });
    await using later = await openStream(system.api, { query: '?since=2020-01-01T00:00:00Z' });
    expect(await later.nth('email.received')).toMatchObject({ data: { type: 'email.received' } });
  });

  test('D167: reports emails again after NATS has lost its data, and says that some are missing', async () => {
    const { address } = await system.address('/lost-streams');
    for (const subject of ['before 1', 'before 2', 'before 3', 'before 4'])
      await system.send(address, subject);
    await using stream = await openStream(system.api);
    const { id: cursor } = await stream.nth('stream.ready');
    const manager = await jetstreamManager(system.pipeline.nats.connection);
    for (const name of ['MAIL-0', 'MAIL-1']) {
      const { config } = await manager.streams.info(name);
      await manager.streams.delete(name);
      await manager.streams.add(config);
    }
    await stream.nth('stream.gap');
    await system.send(address, 'after');
    expect(await stream.nth('email.received')).toMatchObject({
      data: { delivery: { subject: 'after' } },
    });
    await using resumed = await openStream(system.api, {
      headers: { ...bearer(system.api.token), 'last-event-id': String(cursor) },
    });
    expect(await resumed.nth('email.received')).toMatchObject({
      data: { delivery: { subject: 'after' } },
    });
  });

  test('reports an email whose receiver hangs before its attempt ends', async () => {
    system.pipeline.receiver.answer('/hangs', () => () => undefined);
    const { address } = await system.address('/hangs');
    await using stream = await openStream(system.api);
    await stream.nth('stream.ready');
    await system.send(address, 'hangs');
    const acceptedAt = Date.now();
    expect((await stream.nth('email.received')).at - acceptedAt).toBeLessThan(atMost(1_000));
  });

  test('reports each attempt with its number', async () => {
    system.pipeline.receiver.answer('/late', (count) => (count === 1 ? 503 : 200));
    const { id, address } = await system.address('/late');
    await using stream = await openStream(system.api, { query: `?address_id=${id}` });
    await stream.nth('stream.ready');
    await system.send(address, 'late');
    const attempts = [await stream.nth('webhook.retrying'), await stream.nth('webhook.delivered')];
    expect(attempts.map(({ data }) => data.attempt)).toMatchObject([
      { number: 1, status_code: 503, outcome: 'busy' },
      { number: 2, status_code: 200, outcome: 'accepted' },
    ]);
  });

  test('reports changes of addresses and tokens', async () => {
    await using stream = await openStream(system.api);
    await stream.nth('stream.ready');
    const { id } = await system.api.create();
    await system.api.ask('PATCH', `/v1/addresses/${id}`, { body: { description: 'new' } });
    await system.api.ask('DELETE', `/v1/addresses/${id}`);
    const { body } = await system.api.ask('POST', '/v1/account/tokens', { body: { name: 'new' } });
    await system.api.ask('DELETE', `/v1/account/tokens/${String(body.id)}`);
    for (const change of ['created', 'updated', 'deleted'])
      expect((await stream.nth(`address.${change}`)).data.address_id).toBe(id);
    for (const change of ['created', 'deleted'])
      expect((await stream.nth(`token.${change}`)).data.token_id).toBe(body.id);
  });

  test('of an address that does not exist, or of another account, is 404', async () => {
    const { id: account_id } = await system.api.newAccount();
    const { id } = await system.api.store({ account_id });
    for (const unknown of ['addr_x', id])
      expect(await system.api.ask('GET', `/v1/stream?address_id=${unknown}`)).toMatchObject({
        status: 404,
        body: { error: 'not_found' },
      });
    const noId = await system.api.ask('GET', '/v1/stream?address_id=ann@example.com');
    expect(noId).toMatchObject({ status: 422, body: { details: { field: 'address_id' } } });
  });

  test('sends a heartbeat', async () => {
    await using stream = await openStream(system.api);
    await until('three heartbeats', async () => stream.heartbeats() >= 3);
    expect(stream.isOver()).toBe(false);
  });

  test('resumes after Last-Event-ID: no email is lost, and none is repeated', async () => {
    const { address } = await system.address('/resumes');
    const subjects: unknown[] = [];
    let lastId: string | undefined;
    for (let round = 0; round < 3; round++) {
      const headers = {
        ...bearer(system.api.token),
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      };
      await using stream = await openStream(system.api, {
        headers,
        query: '?types=email.received',
      });
      await stream.nth('stream.ready');
      await system.send(address, `round ${round}`);
      await stream.nth('email.received', round === 0 ? 1 : 2);
      expect(stream.events.map(({ type }) => type)).not.toContain('stream.gap');
      const mails = stream.events.filter(({ type }) => type === 'email.received');
      subjects.push(
        ...mails.map(({ data }) => (data.delivery as { subject: string } | undefined)?.subject),
      );
      lastId = mails.at(-1)?.id;
      await stream[Symbol.asyncDispose]();
      await system.send(address, `between ${round}`);
    }
    expect(subjects).toEqual(['round 0', 'between 0', 'round 1', 'between 1', 'round 2']);
  });

  test('keeps in its ids only the partitions that exist', async () => {
    const { address } = await system.address('/partitions');
    await system.send(address, 'partitions');
    const m = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [n, 0]));
    const invented = Buffer.from(JSON.stringify({ t: Date.now() - 60_000, m })).toString(
      'base64url',
    );
    const headers = { ...bearer(system.api.token), 'last-event-id': invented };
    await using stream = await openStream(system.api, { headers });
    const { id = '' } = await stream.nth('email.received');
    const place = JSON.parse(Buffer.from(id, 'base64url').toString()) as { m: object };
    expect(Object.keys(place.m)).toEqual(['0', '1']);
  });

  test('reports a gap for an id that it cannot read', async () => {
    const headers = { ...bearer(system.api.token), 'last-event-id': 'nonsense' };
    await using stream = await openStream(system.api, { headers });
    await stream.nth('stream.ready');
    expect((await stream.nth('stream.gap')).data.since).toEqual(expect.any(String));
  });

  test('reports the events before the last hour as a gap, then sends the others', async () => {
    const { id, address } = await system.address('/older');
    await system.send(address, 'of this hour');
    const since = timestamp(new Date(Date.now() - 2 * 3_600_000));
    const query = `?since=${since}&address_id=${id}&types=email.received`;
    await using stream = await openStream(system.api, { query });
    await stream.nth('stream.ready');
    expect(stream.events.map(({ type }) => type)).toEqual([
      'stream.gap',
      'email.received',
      'stream.ready',
    ]);
    expect(stream.events[0]).toMatchObject({ id: undefined, data: { since } });
  });

  test('sends what happened since a time first', async () => {
    const { id, address } = await system.address('/since');
    const since = new Date().toISOString();
    await system.send(address, 'earlier');
    await using stream = await openStream(system.api, {
      query: `?since=${since}&address_id=${id}&types=email.received`,
    });
    const { data } = await stream.nth('email.received');
    expect(data.delivery).toMatchObject({ subject: 'earlier' });
  });

  test('sends only what its filters ask for', async () => {
    const [one, other] = [await system.address('/one'), await system.address('/other')];
    await using stream = await openStream(system.api, {
      query: `?address_id=${one.id}&types=email.received`,
    });
    await stream.nth('stream.ready');
    await system.send(other.address, 'other');
    await system.send(one.address, 'one');
    await stream.nth('email.received');
    await sleep(1_500);
    const seen = stream.events.map(({ type, data }) => [type, data.address_id]);
    expect(seen).toEqual([
      ['stream.ready', undefined],
      ['email.received', one.id],
    ]);
  });

  test('sends each event only with its permission, and none without any', async () => {
    const { token } = await system.api.issue({ permissions: ['addresses:read'] });
    await using stream = await openStream(system.api, { headers: bearer(token) });
    await stream.nth('stream.ready');
    const { address } = await system.address('/private');
    await system.send(address, 'private');
    await stream.nth('address.created');
    await sleep(1_500);
    expect(new Set(stream.events.map(({ type }) => type))).toEqual(
      new Set(['stream.ready', 'address.created']),
    );
    const none = await system.api.issue({ permissions: ['usage:read'] });
    await using refused = await openStream(system.api, { headers: bearer(none.token) });
    expect(refused.status).toBe(403);
  });

  test('sends nothing of another account or environment', async () => {
    const { id: accountId } = await system.api.newAccount();
    const foreign = await system.api.issue({ accountId });
    const testing = await system.api.issue({ environment: 'test' });
    await using other = await openStream(system.api, { headers: bearer(foreign.token) });
    await using inTest = await openStream(system.api, { headers: bearer(testing.token) });
    await other.nth('stream.ready');
    await inTest.nth('stream.ready');
    const { address } = await system.address('/mine');
    await using own = await openStream(system.api);
    await own.nth('stream.ready');
    await system.send(address, 'mine');
    await own.nth('webhook.delivered');
    await sleep(1_200);
    expect([other.events.length, inTest.events.length]).toEqual([1, 1]);
  });

  test('works with a session of the same origin only', async () => {
    const { cookie } = await openDashboard(system.api);
    await using own = await openStream(system.api, { headers: { cookie, ...SAME_ORIGIN } });
    expect(own.status).toBe(200);
    const foreign = { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    await using refused = await openStream(system.api, { headers: foreign });
    expect(refused.status).toBe(403);
  });
});

const wait = (id: string, more = '') =>
  system.api.ask('GET', `/v1/deliveries/wait?address_id=${id}${more}`);

describe('waiting for an email', () => {
  test('returns it within 200 ms of its 250', async () => {
    const { id, address } = await system.address('/awaited');
    await wait(id, '&timeout=1'); // the first wait of an account opens its feed
    const waiting = wait(id, '&timeout=20').then((answer) => ({ ...answer, at: Date.now() }));
    await sleep(300);
    await system.send(address, 'awaited');
    const acceptedAt = Date.now();
    const { status, body, at } = await waiting;
    expect([status, body.subject, body.address_id]).toEqual([200, 'awaited', id]);
    expect(at - acceptedAt).toBeLessThan(atMost(200));
  });

  test('is 204 when none arrives in time', async () => {
    const { id } = await system.address('/silent');
    const startedAt = Date.now();
    const { status, body } = await wait(id, '&timeout=1');
    expect([status, body]).toEqual([204, {}]);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(990);
  });

  test('ends without the email when its token is revoked meanwhile', async () => {
    const { id, address } = await system.address('/revoked');
    const { token, id: tokenId } = await system.api.issue({ permissions: ['deliveries:read'] });
    await wait(id, '&timeout=1'); // the first wait of an account opens its feed
    const path = `/v1/deliveries/wait?address_id=${id}&timeout=20`;
    const waiting = system.api.ask('GET', path, { token });
    await sleep(300);
    await system.api.ask('DELETE', `/v1/account/tokens/${tokenId}`);
    await system.send(address, 'too late');
    expect(await waiting).toMatchObject({ status: 401, body: { error: 'unauthorized' } });
  });

  test('with since returns the oldest email received after it, attempted or not', async () => {
    const { id, address } = await system.address('/earlier');
    const since = new Date().toISOString();
    await system.send(address, 'first');
    await system.send(address, 'second');
    const { status, body } = await wait(id, `&since=${since}&timeout=5`);
    expect([status, body.subject]).toEqual([200, 'first']);
  });

  test('for a code or a link, emails without one are passed over', async () => {
    const { id, address } = await system.address('/codes', {
      payload: { attachments: 'inline', raw: false, extract: ['codes', 'links'] },
    });
    const since = new Date().toISOString();
    await system.send(address, 'neither');
    const waiting = wait(id, `&since=${since}&timeout=20&code=true`);
    await sleep(300);
    await system.send(address, 'a link: https://shop.example/in');
    await system.send(address, 'Your code is 482913');
    const { status, body } = await waiting;
    expect([status, body.subject, body.code]).toEqual([200, 'Your code is 482913', '482913']);
    expect(body).not.toHaveProperty('link');
    const linked = await wait(id, `&since=${since}&link=true`);
    expect(linked.body).toMatchObject({ link: 'https://shop.example/in' });
    expect((await wait(id, `&since=${since}&link=true&code=true&timeout=1`)).status).toBe(204);
    const record = await system.api.ask('GET', `/v1/deliveries/${String(body.event_id)}`);
    expect(record.body).not.toHaveProperty('code');
  });

  test('for a code, the address must extract codes', async () => {
    const { id } = await system.address('/no-codes');
    const { status, body } = await wait(id, '&code=true');
    expect([status, body.details]).toEqual([422, { field: 'code', code: 'conflict' }]);
  });

  test('needs an address of the caller, and deliveries:read', async () => {
    expect((await wait('addr_none')).status).toBe(404);
    const { id } = await system.address('/permitted');
    const { token } = await system.api.issue({ permissions: ['addresses:read'] });
    const path = `/v1/deliveries/wait?address_id=${id}`;
    expect((await system.api.ask('GET', path, { token })).status).toBe(403);
    expect((await wait(id, '&timeout=61')).status).toBe(422);
  });
});
