/**
 * What an address refuses: spam_refuse_above, refuse_infected, allowed_senders, allowed_attachments and
 * max_per_hour. Creation, change, display, and lookup by gateways (spec 2.1, 4.1; D4, D29, D54, D59, D60).
 */
import { expect, test } from 'vitest';

import { HOOK, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

const patch = (id: unknown, body: object) =>
  api.ask('PATCH', `/v1/addresses/${String(id)}`, { body });

test('refuse_infected: null, the default, is the setting of the account', async () => {
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

const senders = {
  senders: ['partner.example'],
  require_authenticated: true,
  accept_forwarded: false,
};
const LONG_AGO = '2026-01-01T00:00:00Z';
const long = new Date(LONG_AGO);

test.each<[string, unknown, unknown?]>([
  ['spam_refuse_above', 0],
  ['spam_refuse_above', 7.5],
  ['spam_refuse_above', 10],
  ['allowed_senders', { senders: ['Partner.Example'] }, senders],
  ['allowed_senders', { ...senders, senders: ['ann@a.example'], require_authenticated: false }],
  [
    'allowed_attachments',
    { types: ['Application/PDF', 'image/*', 'image/*'] },
    { types: ['application/pdf', 'image/*'], max_bytes: null },
  ],
  ['allowed_attachments', { types: [], max_bytes: 1 }],
  ['max_per_hour', 1_000_000],
])(
  '%s: null by default; %j is set, shown and removed',
  async (field, requested, shown = requested) => {
    const isShown = { [field]: shown };
    expect(await api.create({ [field]: requested })).toMatchObject(isShown);
    const { id, address, ...made } = await api.create();
    expect(made[field]).toBeNull();
    expect(await api.byRecipient(address)).not.toHaveProperty(field);
    for (const body of [{ [field]: requested }, { description: 'another' }])
      expect(await patch(id, body)).toMatchObject({ status: 200, body: isShown });
    expect((await api.ask('GET', `/v1/addresses/${id}`)).body).toMatchObject(isShown);
    expect(await api.byRecipient(address)).toMatchObject(isShown);
    expect((await patch(id, { [field]: null })).body[field]).toBeNull();
    expect(await api.byRecipient(address)).not.toHaveProperty(field);

    // D29: a change without effect keeps updated_at, even if the address predates this setting
    for (const [stored, value] of [
      [isShown, requested],
      [{}, null],
    ] as const) {
      const old = await api.store({ created_at: long, updated_at: long, ...stored });
      expect((await patch(old.id, { [field]: value })).body).toMatchObject({
        updated_at: LONG_AGO,
      });
    }
  },
);

test.each([
  [{ refuse_infected: 'yes' }, 'refuse_infected', 'invalid_type'],
  [{ spam_refuse_above: '7' }, 'spam_refuse_above', 'invalid_type'],
  [{ spam_refuse_above: -0.1 }, 'spam_refuse_above', 'too_small'],
  [{ spam_refuse_above: 10.1 }, 'spam_refuse_above', 'too_big'],
  [{ spam_refuse_above: true }, 'spam_refuse_above', 'invalid_type'],
  [{ allowed_senders: { senders: [] } }, 'allowed_senders.senders', 'too_small'],
  [{ allowed_senders: { senders: ['nobody'] } }, 'allowed_senders.senders.0', 'invalid_value'],
  [
    { allowed_senders: { senders: Array(101).fill('a.example') } },
    'allowed_senders.senders',
    'too_big',
  ],
  [{ allowed_senders: {} }, 'allowed_senders.senders', 'required'],
  [{ allowed_senders: { ...senders, more: 1 } }, 'allowed_senders.more', 'unknown_field'],
  [{ max_per_hour: 0 }, 'max_per_hour', 'too_small'],
  [{ max_per_hour: 1_000_001 }, 'max_per_hour', 'too_big'],
  [{ allowed_attachments: { types: ['pdf'] } }, 'allowed_attachments.types.0', undefined],
  [{ allowed_attachments: { types: ['*/*'] } }, 'allowed_attachments.types.0', undefined],
  [{ allowed_attachments: { max_bytes: 0 } }, 'allowed_attachments.max_bytes', 'too_small'],
  [{ allowed_attachments: { kinds: [] } }, 'allowed_attachments.kinds', 'unknown_field'],
])('D4: %j is 422', async (body, field, code) => {
  const details = { field, ...(code && { code }) };
  const refusal = { status: 422, body: { error: 'validation_failed', details } };
  expect(await patch((await api.create()).id, body)).toMatchObject(refusal);
  const created = await api.ask('POST', '/v1/addresses', { body: { webhook_url: HOOK, ...body } });
  expect(created).toMatchObject(refusal);
});
