/** J1: /v1/lists. test/system/rules.test.ts uses them in rules. */
import { describe, expect, test } from 'vitest';

import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi());

const ask = async (method: string, path: string, body?: object, token?: string) =>
  api.ask(method, `/v1/lists${path}`, {
    ...(body && { body }),
    ...(token !== undefined && { token }),
  });
const created = async (body: object) => (await ask('POST', '', body)).body as { id: string };
const exported = async (id: string) =>
  (
    await fetch(`${api.url}/v1/lists/${id}/entries`, {
      headers: { authorization: `Bearer ${api.token}` },
    })
  ).text();

describe('J1: a list', () => {
  test('is created, changed, exported and deleted; its entries are normalized', async () => {
    const { id } = await created({
      name: 'partners',
      description: 'Who may order',
      entries: ['Partner.Example', 'ann@Supplier.example', 'partner.example'],
    });
    expect((await ask('GET', `/${id}`)).body).toMatchObject({
      id,
      name: 'partners',
      description: 'Who may order',
      entry_count: 2,
    });
    expect(await exported(id)).toBe('ann@supplier.example\npartner.example\n');
    await ask('PATCH', `/${id}`, { add: ['*.x.example'], remove: ['partner.example'] });
    expect(await exported(id)).toBe('*.x.example\nann@supplier.example\n');
    expect((await ask('PATCH', `/${id}`, { entries: [], description: null })).body).toMatchObject({
      entry_count: 0,
      description: null,
    });
    expect((await ask('DELETE', `/${id}`)).body).toEqual({ id, deleted: true });
    expect((await ask('GET', `/${id}`)).status).toBe(404);
    const { body } = await api.ask('GET', '/v1/usage/events?limit=3');
    expect((body.data as { type: string }[]).map(({ type }) => type)).toContain('list.deleted');
  });

  test('changes at the same time are all applied', async () => {
    const { id } = await created({ name: 'busy' });
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => ask('PATCH', `/${id}`, { add: [`${name}.example`] })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await exported(id)).toBe('a.example\nb.example\nc.example\nd.example\n');
  });

  test.each([
    [{ name: 'Bad-Name' }, 422, 'name'],
    [{ name: 'ok', entries: ['no sender'] }, 422, 'entries.0'],
    [{ name: 'ok', entries: ['a.example', 'localhost'] }, 422, 'entries.1'],
    [{ entries: [] }, 422, 'name'],
  ])('%j is refused', async (body, status, field) => {
    const answer = await ask('POST', '', body);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ details: { field } });
  });

  test('a name is used once; test tokens and other accounts change nothing', async () => {
    const { id } = await created({ name: 'once' });
    expect((await ask('POST', '', { name: 'once' })).status).toBe(409);
    const { token: ofTest } = await api.issue({ environment: 'test' });
    expect((await ask('PATCH', `/${id}`, { add: ['a.example'] }, ofTest)).status).toBe(403);
    expect((await ask('GET', `/${id}`, undefined, ofTest)).status).toBe(200);
    const other = await api.newAccount();
    const { token: stranger } = await api.issue({ accountId: other.id });
    expect((await ask('GET', `/${id}`, undefined, stranger)).status).toBe(404);
    expect((await ask('DELETE', `/${id}`, undefined, stranger)).status).toBe(404);
  });

  test('one that a Kubernetes resource owns is changed only there', async () => {
    const { id } = await created({ name: 'managed', entries: ['a.example'] });
    const managed_by = { kind: 'SenderList', namespace: 'shop', name: 'managed', uid: 'u' };
    await api.mongo.db
      .collection<{ _id: string }>('sender_lists')
      .updateOne({ _id: id }, { $set: { managed_by } });
    const { uid: _, ...shown } = managed_by;
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ managed_by: shown });
    const { body } = await ask('GET', '');
    expect(body.data).toContainEqual(expect.objectContaining({ id, managed_by: shown }));
    for (const answer of [
      await ask('PATCH', `/${id}`, { add: ['b.example'] }),
      await ask('DELETE', `/${id}`),
    ])
      expect(answer).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('SenderList shop/managed') as string },
      });
    expect(await exported(id)).toBe('a.example\n');
  });

  test('an account has at most twenty, and a list 10,000 entries', async () => {
    const entries = Array.from({ length: 10_000 }, (_, n) => `a${n}@example.com`);
    const { id } = await created({ name: 'large', entries });
    const more = await ask('PATCH', `/${id}`, { add: ['b@example.com'] });
    expect(more.status).toBe(422);
    expect(more.body).toMatchObject({ details: { field: 'add', code: 'too_long' } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => ask('POST', '', { name: `n${n}` })),
    );
    expect(answers.some(({ status }) => status === 409)).toBe(true);
    const { body } = await ask('GET', '');
    expect((body as { data: object[] }).data).toHaveLength(20);
  });
});
