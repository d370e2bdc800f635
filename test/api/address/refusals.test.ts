/**
 * What an address refuses: spam_refuse_above, refuse_infected, allowed_senders, allowed_attachments and
 * max_per_hour. Creation, change, display, and lookup by gateways (spec 2.1, 4.1; D4, D29, D54, D59, D60).
 */
import { describe, expect, test } from 'vitest';

import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

const patch = (id: unknown, body: object) =>
  api.ask('PATCH', `/v1/addresses/${String(id)}`, { body });

describe('refuse_infected', () => {
  test('null, the default, is the setting of the account', async () => {
    const { id, address, refuse_infected } = await api.create();
    expect(refuse_infected).toBeNull();
    expect(await api.byRecipient(address)).not.toHaveProperty('refuse_infected');
    const ofAccount = (value: boolean) =>
      api.ask('PATCH', '/v1/account', { body: { settings: { refuse_infected: value } } });
    expect((await ofAccount(true)).body).toMatchObject({ settings: { refuse_infected: true } });
    expect(await api.byRecipient(address)).toMatchObject({ refuse_infected: 'account' });
    expect(await patch(id, { refuse_infected: false })).toMatchObject({
      status: 200,
      body: { refuse_infected: false },
    });
    expect(await api.byRecipient(address)).not.toHaveProperty('refuse_infected');
    await ofAccount(false);
    await patch(id, { refuse_infected: true });
    expect(await api.byRecipient(address)).toMatchObject({ refuse_infected: 'address' });
    expect((await patch(id, { refuse_infected: null })).body).toMatchObject({
      refuse_infected: null,
    });
    expect(await api.byRecipient(address)).not.toHaveProperty('refuse_infected');
  });

  test('D4: a text is 422', async () => {
    expect(await patch((await api.create()).id, { refuse_infected: 'yes' })).toMatchObject({
      status: 422,
      body: { details: { field: 'refuse_infected', code: 'invalid_type' } },
    });
  });
});

describe('spam_refuse_above', () => {
  test('is null by default, which means never', async () => {
    const { id, address, spam_refuse_above } = await api.create();
    expect(spam_refuse_above).toBeNull();
    expect((await api.ask('GET', `/v1/addresses/${id}`)).body).toMatchObject({
      spam_refuse_above: null,
    });
    expect(await api.byRecipient(address)).not.toHaveProperty('spam_refuse_above');
  });

  test.each([0, 7.5, 10])('may be %d', async (limit) => {
    const { id, address } = await api.create({ spam_refuse_above: limit });
    expect((await api.ask('GET', `/v1/addresses/${id}`)).body).toMatchObject({
      spam_refuse_above: limit,
    });
    expect(await api.byRecipient(address)).toMatchObject({ spam_refuse_above: limit });
  });

  test('can be changed, and removed with null', async () => {
    const { id, address } = await api.create();
    expect(await patch(id, { spam_refuse_above: 8 })).toMatchObject({
      status: 200,
      body: { spam_refuse_above: 8 },
    });
    expect(await api.byRecipient(address)).toMatchObject({ spam_refuse_above: 8 });
    expect(await patch(id, { description: 'another' })).toMatchObject({
      status: 200,
      body: { spam_refuse_above: 8 },
    });
    expect(await patch(id, { spam_refuse_above: null })).toMatchObject({
      status: 200,
      body: { spam_refuse_above: null },
    });
    expect(await api.byRecipient(address)).not.toHaveProperty('spam_refuse_above');
  });

  test('D29: a change without effect keeps updated_at, even if the address predates this setting', async () => {
    const long = new Date('2026-01-01T00:00:00Z');
    const { id } = await api.store({ created_at: long, updated_at: long, spam_refuse_above: 5 });
    expect((await patch(id, { spam_refuse_above: 5 })).body).toMatchObject({
      updated_at: '2026-01-01T00:00:00Z',
    });
    const { id: old } = await api.store({ created_at: long, updated_at: long });
    expect((await patch(old, { spam_refuse_above: null })).body).toMatchObject({
      spam_refuse_above: null,
      updated_at: '2026-01-01T00:00:00Z',
    });
  });

  test.each([
    ['7', 'invalid_type'],
    [-0.1, 'too_small'],
    [10.1, 'too_big'],
    [true, 'invalid_type'],
  ])('D4: %j is 422', async (value, code) => {
    const refusal = {
      status: 422,
      body: { error: 'validation_failed', details: { field: 'spam_refuse_above', code } },
    };
    expect(
      await api.ask('POST', '/v1/addresses', {
        body: { webhook_url: HOOK, spam_refuse_above: value },
      }),
    ).toMatchObject(refusal);
    expect(await patch((await api.create()).id, { spam_refuse_above: value })).toMatchObject(
      refusal,
    );
  });
});

describe('allowed_senders', () => {
  const all = {
    senders: ['partner.example'],
    require_authenticated: true,
    accept_forwarded: false,
  };

  test('is null by default; it is shown normalized, with the defaults, and removed with null', async () => {
    const made = await api.create();
    expect(made.allowed_senders).toBeNull();
    const { id, address } = await api.create({ allowed_senders: { senders: ['Partner.Example'] } });
    expect((await api.ask('GET', `/v1/addresses/${id}`)).body.allowed_senders).toEqual(all);
    expect(await api.byRecipient(address)).toMatchObject({ allowed_senders: all });
    const requested = { ...all, senders: ['ann@a.example'], require_authenticated: false };
    expect((await patch(id, { allowed_senders: requested })).body.allowed_senders).toEqual(
      requested,
    );
    expect(await api.byRecipient(address)).toMatchObject({ allowed_senders: requested });
    expect((await patch(id, { allowed_senders: null })).body.allowed_senders).toBeNull();
    expect(await api.byRecipient(address)).not.toHaveProperty('allowed_senders');
  });

  test('D29: a change without effect keeps updated_at', async () => {
    const long = new Date('2026-01-01T00:00:00Z');
    const { id } = await api.store({ created_at: long, updated_at: long, allowed_senders: all });
    const same = await patch(id, { allowed_senders: { senders: ['partner.example'] } });
    expect(same.body.updated_at).toBe('2026-01-01T00:00:00Z');
  });

  test.each([
    [{ senders: [] }, 'allowed_senders.senders', 'too_small'],
    [{ senders: ['nobody'] }, 'allowed_senders.senders.0', 'invalid_value'],
    [{ senders: Array(101).fill('a.example') }, 'allowed_senders.senders', 'too_big'],
    [{}, 'allowed_senders.senders', 'required'],
    [{ ...all, more: 1 }, 'allowed_senders.more', 'unknown_field'],
  ])('D4: %j is 422', async (allowed_senders, field, code) => {
    const { id } = await api.create();
    expect(await patch(id, { allowed_senders })).toMatchObject({
      status: 422,
      body: { details: { field, code } },
    });
  });
});

describe('limits of an address', () => {
  const none = { allowed_attachments: null, max_per_hour: null };

  test('are absent by default, and can be set, changed and removed', async () => {
    const { id, address, ...shown } = await api.create();
    expect(shown).toMatchObject(none);
    const allowed_attachments = { types: ['Application/PDF', 'image/*', 'image/*'] };
    const stored = { types: ['application/pdf', 'image/*'], max_bytes: null };
    expect(await patch(id, { allowed_attachments, max_per_hour: 5 })).toMatchObject({
      status: 200,
      body: { allowed_attachments: stored, max_per_hour: 5 },
    });
    expect(await api.byRecipient(address)).toMatchObject({
      allowed_attachments: stored,
      max_per_hour: 5,
    });
    expect((await patch(id, none)).body).toMatchObject(none);
    const recipient = await api.byRecipient(address);
    expect(recipient).not.toHaveProperty('allowed_attachments');
    expect(recipient).not.toHaveProperty('max_per_hour');
  });

  test('can be set at the creation', async () => {
    const limits = { allowed_attachments: { types: [], max_bytes: 1 }, max_per_hour: 1_000_000 };
    expect(await api.create(limits)).toMatchObject(limits);
  });

  test('D29: a change without effect keeps updated_at', async () => {
    const long = new Date('2026-01-01T00:00:00Z');
    const { id } = await api.store({ created_at: long, updated_at: long });
    expect((await patch(id, none)).body).toMatchObject({ updated_at: '2026-01-01T00:00:00Z' });
    const limits = { allowed_attachments: { max_bytes: 5 }, max_per_hour: 5 };
    const changed = await patch(id, limits);
    expect((await patch(id, limits)).body.updated_at).toBe(changed.body.updated_at);
  });

  test.each([
    [{ max_per_hour: 0 }, 'max_per_hour'],
    [{ max_per_hour: 1_000_001 }, 'max_per_hour'],
    [{ allowed_attachments: { types: ['pdf'] } }, 'allowed_attachments.types.0'],
    [{ allowed_attachments: { types: ['*/*'] } }, 'allowed_attachments.types.0'],
    [{ allowed_attachments: { max_bytes: 0 } }, 'allowed_attachments.max_bytes'],
    [{ allowed_attachments: { kinds: [] } }, 'allowed_attachments.kinds'],
  ])('%j is refused', async (body, field) => {
    const { id } = await api.create();
    expect(await patch(id, body)).toMatchObject({ status: 422, body: { details: { field } } });
  });
});
