/** The five address calls (spec 2.1, 3, 4.1; D1, D2, D6 … D8, D11, D29). */
import { describe, expect, test } from 'vitest';

import { createDirectory } from '../../../services/platform/address-directory.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { AddressView } from '../../../services/core/address/address-view.ts';
import { DEFAULT_VIEW } from '../../support/new-address.ts';
import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const HOUR_MS = 3_600_000;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
// far below the thirty seconds after which a memory is asked again anyway
const POLL = { interval: 10, timeout: 10_000 };

const api = await useInFile(startTestApi());

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * HOUR_MS);
const lifeHours = (body: Record<string, unknown>) =>
  (Date.parse(String(body.expires_at)) - Date.parse(String(body.created_at))) / HOUR_MS;

describe('spec 4.1: POST /addresses', () => {
  test('D1: 201 with the full address object of spec 2.1', async () => {
    const { status, body } = await api.ask('POST', '/v1/addresses', {
      body: { webhook_url: HOOK, description: 'orders' },
    });
    expect(status).toBe(201);
    expect(AddressView.strict().parse(body)).toEqual({
      ...DEFAULT_VIEW,
      id: expect.stringMatching(/^addr_/) as string,
      address: expect.stringMatching(/^[0-9a-z]{12,}@in\.example$/) as string,
      webhook_url: HOOK,
      webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string, // D16
      email_count: 0,
      description: 'orders',
      created_at: expect.stringMatching(TIMESTAMP) as string,
      updated_at: body.created_at,
    });
    expect(await api.ask('GET', `/v1/addresses/${String(body.id)}`)).toMatchObject({
      status: 200,
      body,
    });
  });

  test('spec 2.1: each address has its own secret', async () => {
    const [one, two] = [await api.create(), await api.create()];
    expect(one.webhook_secret).not.toBe(two.webhook_secret);
    expect(one.address).not.toBe(two.address);
  });

  test.each([
    ['ttl_hours alone means an expiring address', { ttl_hours: 1 }, 1],
    ['ttl_hours with is_permanent false', { ttl_hours: 8760, is_permanent: false }, 8760],
    ["is_permanent false alone uses the account's default_ttl_hours", { is_permanent: false }, 24],
  ])('D6: %s', async (_, body, hours) => {
    const created = await api.create(body);
    expect(created).toMatchObject({ is_permanent: false, is_enabled: true });
    expect(lifeHours(created)).toBe(hours);
  });

  test('D6: is_permanent true equals the default', async () => {
    expect(await api.create({ is_permanent: true })).toMatchObject({
      is_permanent: true,
      expires_at: null,
    });
  });

  test('D6: the default follows the account setting', async () => {
    const accounts = api.mongo.db.collection<{ _id: string }>('accounts');
    await accounts.updateOne(
      { _id: api.account.id },
      { $set: { 'settings.default_ttl_hours': 5 } },
    );
    expect(lifeHours(await api.create({ is_permanent: false }))).toBe(5);
    await accounts.updateOne(
      { _id: api.account.id },
      { $set: { 'settings.default_ttl_hours': 24 } },
    );
  });

  test('D27: the URL is normalized', async () => {
    expect(await api.create({ webhook_url: 'https://BÜCHER.example/Hook' })).toMatchObject({
      webhook_url: 'https://xn--bcher-kva.example/Hook',
    });
  });
});

describe('spec 4.1: GET /addresses', () => {
  test('spec 2.1: list items have seven fields, and no secret', async () => {
    await api.create();
    const { status, body } = await api.ask('GET', '/v1/addresses?limit=1');
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['data', 'pagination']);
    const [item] = body.data as object[];
    expect(Object.keys(item ?? {}).toSorted()).toEqual([
      'address',
      'created_at',
      'email_count',
      'id',
      'is_enabled',
      'is_permanent',
      'webhook_url',
    ]);
    expect(JSON.stringify(body)).not.toContain('whsec_');
  });

  test('filters match the shown values, expired addresses included (D7)', async () => {
    const { id: accountId } = await api.newAccount();
    const { token } = await api.issue({ accountId });
    const expired = { is_permanent: false, expires_at: hoursFromNow(-1) };
    await api.store({ account_id: accountId });
    await api.store({ account_id: accountId, is_enabled: false });
    await api.store({ account_id: accountId, is_permanent: false, expires_at: hoursFromNow(1) });
    await api.store({ account_id: accountId, ...expired });
    await api.store({ account_id: accountId, ...expired, is_enabled: false });
    await api.store({ account_id: accountId, deleted_at: new Date() });
    const shown = async (query: string) => {
      const { body } = await api.ask('GET', `/v1/addresses${query}`, { token });
      const items = body.data as { is_enabled: boolean; is_permanent: boolean }[];
      expect((body.pagination as { total: number }).total).toBe(items.length);
      return items
        .map(
          ({ is_enabled, is_permanent }) =>
            `${is_enabled ? 'on' : 'off'} ${is_permanent ? 'permanent' : 'expiring'}`,
        )
        .toSorted();
    };
    expect(await shown('')).toEqual([
      'off expiring',
      'off expiring',
      'off permanent',
      'on expiring',
      'on permanent',
    ]);
    expect(await shown('?is_enabled=true')).toEqual(['on expiring', 'on permanent']);
    expect(await shown('?is_enabled=false')).toEqual([
      'off expiring',
      'off expiring',
      'off permanent',
    ]);
    expect(await shown('?is_permanent=true')).toEqual(['off permanent', 'on permanent']);
    expect(await shown('?is_permanent=false')).toEqual([
      'off expiring',
      'off expiring',
      'on expiring',
    ]);
    expect(await shown('?is_permanent=false&is_enabled=true')).toEqual(['on expiring']);
  });
});

/** The ids of a page, and the total. */
async function listed(query: string, token: string) {
  const { status, body } = await api.ask('GET', `/v1/addresses${query}`, { token });
  expect(status).toBe(200);
  const { total } = body.pagination as { total: number };
  return [(body.data as { id: string }[]).map(({ id }) => id), total];
}

describe('GET /addresses: our own filters', () => {
  test('is_failing finds addresses that are marked, newest first', async () => {
    const { id: account_id } = await api.newAccount();
    const { token } = await api.issue({ accountId: account_id });
    const failing = { failing_since: new Date(), failing_noticed_at: new Date() };
    const fine = await api.store({ account_id, failing_since: new Date() });
    const first = await api.store({ account_id, ...failing });
    const second = await api.store({ account_id, ...failing, is_enabled: false });
    await api.store({ account_id, ...failing, deleted_at: new Date() });
    await api.store({ ...failing });
    const newest = [first, second]
      .toSorted((one, other) => other.created_at.getTime() - one.created_at.getTime())
      .map(({ id }) => id);
    expect((await listed('?is_failing=true', token))[0]).toHaveLength(2);
    expect((await listed('?is_failing=true', token))[0]).toEqual(expect.arrayContaining(newest));
    expect(await listed('?is_failing=true&limit=1&offset=1', token)).toEqual([
      [expect.any(String)],
      2,
    ]);
    expect(await listed('?is_failing=true&is_enabled=true', token)).toEqual([[first.id], 1]);
    expect(await listed('?is_failing=false', token)).toEqual([[fine.id], 1]);
  });

  test('has_failed finds addresses from their first failed attempt', async () => {
    const { id: account_id } = await api.newAccount();
    const { token } = await api.issue({ accountId: account_id });
    const failed = await api.store({ account_id, failing_since: new Date() });
    const fine = await api.store({ account_id });
    await api.store({ failing_since: new Date() });
    expect(await listed('?has_failed=true', token)).toEqual([[failed.id], 1]);
    expect(await listed('?has_failed=true&is_failing=true', token)).toEqual([[], 0]);
    expect(await listed('?has_failed=false', token)).toEqual([[fine.id], 1]);
  });

  test('P.2: address finds the one address of the caller that has this name', async () => {
    const { id: account_id } = await api.newAccount();
    const { token } = await api.issue({ accountId: account_id });
    const [mine, other] = [await api.store({ account_id }), await api.store()];
    await api.store({ account_id });
    const named = (address: string) => listed(`?address=${encodeURIComponent(address)}`, token);
    expect(await named(mine.address)).toEqual([[mine.id], 1]);
    expect(await named(mine.address.toUpperCase())).toEqual([[mine.id], 1]);
    expect(await named(other.address)).toEqual([[], 0]);
    expect(await named('nobody@example.com')).toEqual([[], 0]);
  });

  test('ids finds those of the caller among up to 100 ids', async () => {
    const { id: account_id } = await api.newAccount();
    const { token } = await api.issue({ accountId: account_id });
    const one = await api.store({ account_id });
    const two = await api.store({ account_id, is_enabled: false });
    const { id: foreign } = await api.create();
    const ids = `${one.id},${foreign},addr_none,${two.id}`;
    const [found, total] = await listed(`?ids=${ids}`, token);
    expect([(found as string[]).toSorted(), total]).toEqual([[one.id, two.id].toSorted(), 2]);
    expect((await listed(`?ids=${ids}&limit=1&offset=1`, token))[0]).toHaveLength(1);
    expect(await listed(`?ids=${ids}&is_enabled=false`, token)).toEqual([[two.id], 1]);
    for (const invalid of ['', ',', 'a,', Array.from({ length: 101 }, () => 'a').join(',')])
      expect((await api.ask('GET', `/v1/addresses?ids=${invalid}`, { token })).status).toBe(422);
  });
});

describe('spec 4.1: GET /addresses/{address_id}', () => {
  test('includes webhook_secret', async () => {
    const created = await api.create();
    expect((await api.ask('GET', `/v1/addresses/${created.id}`)).body).toEqual(created);
  });

  test('D10: webhook_secret is null without secrets:read, unless the request made it', async () => {
    const { token } = await api.issue({ permissions: ['addresses:read', 'addresses:write'] });
    const body = { webhook_url: HOOK };
    const { body: created } = await api.ask('POST', '/v1/addresses', { token, body });
    const one = `/v1/addresses/${String(created.id)}`;
    const shown = { ...created, webhook_secret: null };
    expect((await api.ask('GET', one, { token })).body).toEqual(shown);
    expect((await api.ask('PATCH', one, { token, body })).body).toEqual(shown);
    expect((await api.ask('GET', one)).body).toEqual(created);
    const { body: rotated } = await api.ask('POST', `${one}/rotate-secret`, { token });
    for (const { webhook_secret } of [created, rotated])
      expect(webhook_secret).toEqual(expect.stringMatching(/^whsec_/));
  });

  test.each([
    ['before', 1, true],
    ['after', -1, false],
  ])('D7: is_enabled of an address one hour %s its expiry', async (_, hours, isEnabled) => {
    const { id } = await api.store({ is_permanent: false, expires_at: hoursFromNow(hours) });
    expect((await api.ask('GET', `/v1/addresses/${id}`)).body).toMatchObject({
      is_enabled: isEnabled,
      is_permanent: false,
    });
  });

  test('D7: thirty days after its expiry, every call returns 404', async () => {
    const { id } = await api.store({ is_permanent: false, expires_at: hoursFromNow(-30 * 24 - 1) });
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await api.ask(method, `/v1/addresses/${id}`)).status).toBe(404);
  });
});

describe('spec 3, 4.1: PATCH /addresses/{address_id}', () => {
  test('D2: returns 200 with the full address object', async () => {
    const created = await api.create();
    const change = {
      webhook_url: 'https://hooks.example.com/other',
      is_enabled: false,
      description: 'paused',
    };
    const { status, body } = await api.ask('PATCH', `/v1/addresses/${created.id}`, {
      body: change,
    });
    expect(status).toBe(200);
    expect(AddressView.strict().parse(body)).toEqual({
      ...created,
      ...change,
      updated_at: body.updated_at,
    });
    expect((await api.ask('GET', `/v1/addresses/${created.id}`)).body).toEqual(body);
    expect(await api.target(created.id)).toMatchObject({
      webhook_url: change.webhook_url,
      webhook_secret: created.webhook_secret,
    }); // D8
  });

  test('spec 3: is_enabled false disables, true enables again', async () => {
    const { id, address } = await api.create();
    for (const is_enabled of [false, true]) {
      expect(
        (await api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled } })).body,
      ).toMatchObject({ is_enabled });
      expect(await api.byRecipient(address)).toMatchObject({ is_enabled });
    }
  });

  test('D29: updated_at changes only with another field', async () => {
    const long = new Date('2026-01-01T00:00:00Z');
    const { id } = await api.store({ created_at: long, updated_at: long, description: 'same' });
    const same = { webhook_url: HOOK, is_enabled: true, description: 'same' };
    for (const body of [{}, same, { description: 'same' }]) {
      expect(await api.ask('PATCH', `/v1/addresses/${id}`, { body })).toMatchObject({
        status: 200,
        body: { updated_at: '2026-01-01T00:00:00Z' },
      });
    }
    const { body } = await api.ask('PATCH', `/v1/addresses/${id}`, {
      body: { ...same, description: 'other' },
    });
    expect(Date.parse(String(body.updated_at))).toBeGreaterThan(Date.now() - 10_000);
    expect(body.created_at).toBe('2026-01-01T00:00:00Z');
  });

  test('D29: a missing body changes nothing either', async () => {
    const created = await api.create();
    expect(await api.ask('PATCH', `/v1/addresses/${created.id}`)).toMatchObject({
      status: 200,
      body: created,
    });
  });

  test('a description is removed with null', async () => {
    const { id } = await api.create({ description: 'some' });
    const cleared = await api.ask('PATCH', `/v1/addresses/${id}`, { body: { description: null } });
    expect([cleared.status, cleared.body.description]).toEqual([200, null]);
  });

  test('D29: an empty description is a value', async () => {
    const { id } = await api.create({ description: 'x' });
    expect(
      (await api.ask('PATCH', `/v1/addresses/${id}`, { body: { description: '' } })).body,
    ).toMatchObject({ description: '' });
  });
});

describe('spec 3, 4.1: DELETE /addresses/{address_id}', () => {
  test('returns 200 with id and deleted', async () => {
    const { id } = await api.create();
    expect(await api.ask('DELETE', `/v1/addresses/${id}`)).toMatchObject({
      status: 200,
      body: { id, deleted: true },
    });
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await api.ask(method, `/v1/addresses/${id}`)).status).toBe(404);
  });

  test('D8: RCPT refuses mail immediately, but deliveries keep the URL and secret', async () => {
    const { id, address, webhook_secret } = await api.create();
    await api.ask('DELETE', `/v1/addresses/${id}`);
    expect((await api.byRecipient(address))?.deleted_at).toBeInstanceOf(Date);
    expect(await api.target(id)).toMatchObject({ webhook_url: HOOK, webhook_secret });
  });

  test('lists no longer include it', async () => {
    const { id: accountId } = await api.newAccount();
    const { token } = await api.issue({ accountId });
    const { id } = await api.store({ account_id: accountId });
    await api.ask('DELETE', `/v1/addresses/${id}`, { token });
    expect((await api.ask('GET', '/v1/addresses', { token })).body).toMatchObject({
      data: [],
      pagination: { total: 0 },
    });
  });
});

describe('isolation of accounts and environments', () => {
  test('D11: live and test tokens see separate addresses of one account', async () => {
    const { token } = await api.issue({ environment: 'test' });
    const live = await api.create();
    const { status, body } = await api.ask('POST', '/v1/addresses', {
      token,
      body: { webhook_url: HOOK },
    });
    expect(status).toBe(201);
    expect((await api.ask('GET', `/v1/addresses/${live.id}`, { token })).status).toBe(404);
    expect((await api.ask('GET', `/v1/addresses/${String(body.id)}`)).status).toBe(404);
    expect((await api.ask('GET', '/v1/addresses', { token })).body).toMatchObject({
      data: [{ id: body.id }],
      pagination: { total: 1 },
    });
    expect(await api.byRecipient(String(body.address))).toMatchObject({ environment: 'test' });
  });
});

test('D8: every change is announced to the processes that cache the address', async () => {
  await using nats = await connectNats(
    { url: api.natsServer.url, name: 'test' },
    createLog('silent'),
  );
  const directory = createDirectory(
    nats,
    ({ address }) => address,
    (address) => api.byRecipient(address),
    createLog('silent'),
  );
  await nats.connection.flush();
  const { id, address } = await api.create();
  expect(await directory.get(address)).toMatchObject({ is_enabled: true });
  await api.ask('PATCH', `/v1/addresses/${id}`, { body: { is_enabled: false } });
  await expect.poll(() => directory.get(address), POLL).toMatchObject({ is_enabled: false });
  await api.ask('DELETE', `/v1/addresses/${id}`);
  await expect
    .poll(() => directory.get(address), POLL)
    .toMatchObject({ deleted_at: expect.any(Date) as Date });
});

const patch = (id: string, body: object) => api.ask('PATCH', `/v1/addresses/${id}`, { body });
const hoursLeft = (expiresAt: unknown) => (Date.parse(String(expiresAt)) - Date.now()) / HOUR_MS;
const storeExpired = () =>
  api.store({ is_permanent: false, expires_at: hoursFromNow(-0.1), is_enabled: true });

describe('L.1: labels', () => {
  test('are shown, replaced, removed, and filter the list', async () => {
    const { id } = await api.create({ labels: { team: 'shop', 'example.org/stage': 'Beta-1' } });
    const other = await api.create({ labels: { team: 'shop' } });
    const labelledAs = async (labels: string) => {
      const { body } = await api.ask('GET', `/v1/addresses?labels=${encodeURIComponent(labels)}`);
      return (body.data as { id: string }[]).map((one) => one.id);
    };
    expect(await labelledAs('team=shop')).toEqual([other.id, id]);
    expect(await labelledAs('team=shop,example.org/stage=Beta-1')).toEqual([id]);
    const changed = await patch(id, { labels: { team: 'desk' } });
    expect(changed.body.labels).toEqual({ team: 'desk' });
    expect((await patch(id, { description: 'x' })).body.labels).toEqual({ team: 'desk' });
    expect([await labelledAs('team=shop'), await labelledAs('team=desk')]).toEqual([
      [other.id],
      [id],
    ]);
    expect((await patch(id, { labels: {} })).body.labels).toEqual({});
    expect(await labelledAs('team=desk')).toEqual([]);
  });

  test.each([
    ['an upper-case key', { Team: 'shop' }],
    ['an empty value', { team: '' }],
    ['a long key', { ['k'.repeat(64)]: 'shop' }],
    ['a long value', { team: 'v'.repeat(64) }],
    ['a comma', { team: 'a,b' }],
    ['eleven', Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 'v']))],
  ])('labels: %s is 422', async (_, labels) => {
    const { status, body } = await api.ask('POST', '/v1/addresses', {
      body: { webhook_url: HOOK, labels },
    });
    expect([status, body.details]).toMatchObject([
      422,
      { field: expect.stringMatching(/^labels/) as string },
    ]);
  });
});

describe('D33: the lifetime of an address', () => {
  test('ttl_hours counts from now, for an expiring and for a permanent address', async () => {
    const expiring = await api.create({ ttl_hours: 1 });
    const permanent = await api.create();
    for (const { id, address } of [expiring, permanent]) {
      const { status, body } = await patch(id, { ttl_hours: 48 });
      expect([status, body]).toMatchObject([200, { is_permanent: false, is_enabled: true }]);
      expect(hoursLeft(body.expires_at)).toBeCloseTo(48, 1);
      expect((await api.ask('GET', `/v1/addresses/${id}`)).body).toEqual(body);
      expect(hoursLeft((await api.byRecipient(address))?.expires_at?.toISOString())).toBeCloseTo(
        48,
        1,
      );
    }
  });

  test('is_permanent true keeps an expiring address; for a permanent one it changes nothing', async () => {
    const { id } = await api.create({ ttl_hours: 1 });
    const { body } = await patch(id, { is_permanent: true });
    expect(body).toMatchObject({ is_permanent: true, expires_at: null });
    expect((await patch(id, { is_permanent: true })).body).toEqual(body);
  });

  test.each([
    [
      { is_permanent: true, ttl_hours: 5 },
      { field: 'ttl_hours', code: 'conflict' },
    ],
    [{ is_permanent: false }, { field: 'is_permanent', code: 'invalid_value' }],
    [{ ttl_hours: 0 }, { field: 'ttl_hours', code: 'too_small' }],
    [{ ttl_hours: 8761 }, { field: 'ttl_hours', code: 'too_big' }],
    [{ expires_at: null }, { field: 'expires_at', code: 'unknown_field' }],
  ])('%j is 422', async (body, details) => {
    const { id } = await api.create();
    expect(await patch(id, body)).toMatchObject({ status: 422, body: { details } });
  });

  test.each([{ is_enabled: true }, { ttl_hours: 5 }, { is_permanent: true }])(
    'an expired address: %j is 409, and changes nothing',
    async (body) => {
      const { id } = await storeExpired();
      const before = (await api.ask('GET', `/v1/addresses/${id}`)).body;
      expect(await patch(id, { ...body, description: 'new' })).toMatchObject({
        status: 409,
        body: { error: 'conflict' },
      });
      expect((await api.ask('GET', `/v1/addresses/${id}`)).body).toEqual(before);
    },
  );

  test('other fields of an expired address can change', async () => {
    const { id } = await storeExpired();
    expect(await patch(id, { description: 'was for one order', is_enabled: false })).toMatchObject({
      status: 200,
      body: { description: 'was for one order', is_enabled: false },
    });
  });

  test('a new lifetime is an event with what changed', async () => {
    const { id } = await api.create();
    await patch(id, { ttl_hours: 2 });
    const { body } = await api.ask('GET', '/v1/usage/events?event_type=address.updated&limit=1');
    expect(body.data).toMatchObject([
      {
        address_id: id,
        data: { changed: { is_permanent: false, expires_at: expect.any(String) as string } },
      },
    ]);
  });
});
