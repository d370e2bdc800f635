/** Tokens, people and accounts as MongoDB has them: other releases read the same bytes. */
import { Binary } from 'mongodb';
import { expect, test } from 'vitest';

import { token } from '../support/manifests.ts';
import { startTestApi } from '../support/start-api.ts';
import { createNamespace } from './namespace.ts';
import { useOperator } from './operator-bed.ts';

const shared = useOperator();

test('what the operator stores', async () => {
  const space = createNamespace(shared.bed, shared.operator);
  await space.withAccount({
    settings: { timezone: 'Asia/Tokyo', redact: ['subject'] },
    members: [
      { subject: 'ann@example.com', role: 'owner' },
      { group: 'ops', role: 'admin' },
    ],
  });
  const seen: string[] = [];
  const all = async (name: string) =>
    (await space.records(name))
      .map(storedText)
      .join('\n')
      .replaceAll(/"(namespace|email|email_key|uid)":"[^"]*"/g, '"$1":"…"');

  await space.settle(token('ci', { permissions: ['usage:read', 'mail:submit'], name: 'CI' }));
  await space.settle(
    token('limited', { labels: { team: 'shop' }, expiresAt: '2099-01-31T00:00:00Z' }),
  );
  seen.push(await all('tokens'));
  await space.settle(token('ci', { labels: { team: 'shop' }, name: 'CI' }));
  await space.settle(
    token('limited', { labels: null, expiresAt: null, permissions: ['usage:read'] }),
  );
  seen.push(await all('tokens'));

  seen.push(await all('accounts'));
  seen.push(await all('members'));
  await space.withAccount({
    company: 'Shop Ltd',
    plan: 'pro',
    suspended: true,
    settings: { defaultTtlHours: 7 },
    members: [{ subject: 'ann@example.com', role: 'admin' }],
  });
  seen.push(await all('accounts'));
  seen.push(await all('members'));
  await expect(`${seen.join('\n\n')}\n`).toMatchFileSnapshot('stored-by-operator.golden.txt');
});

test('what the API stores', async () => {
  await using api = await startTestApi();
  const { db } = api.mongo;
  const seen: string[] = [];
  const all = async (name: string) => {
    const found = await db
      .collection(name)
      .find({ name: { $ne: 'test' } })
      .sort({ _id: 1 })
      .toArray();
    return found.map(storedText).join('\n');
  };
  const ask = async (method: string, path: string, body: object) => {
    const answer = await api.ask(method, path, { body });
    expect([answer.status, answer.body]).toEqual([expect.toSatisfy(isSuccess), answer.body]);
    return answer.body as { id: string; member?: { id: string } };
  };

  await ask('POST', '/v1/account/tokens', { name: 'all' });
  await ask('POST', '/v1/account/tokens', {
    name: 'some',
    permissions: ['usage:read', 'secrets:read', 'usage:read'],
    environment: 'test',
    expires_at: '2099-01-31T00:00:00Z',
  });
  const { id } = await api.create();
  await ask('POST', '/v1/account/tokens', { name: 'ids', address_ids: [id, id] });
  await ask('POST', '/v1/account/tokens', { name: 'labels', labels: { team: 'shop', a: 'b' } });
  seen.push(await all('tokens'));

  const member = await ask('POST', '/v1/account/members', { name: 'Ann', role: 'viewer' });
  seen.push(await all('members'));
  await ask('PATCH', `/v1/account/members/${member.id}`, { name: 'Bea', role: 'admin' });
  seen.push(await all('members'));

  seen.push(await all('accounts'));
  await ask('PATCH', '/v1/account', {
    name: 'Shop',
    company: null,
    settings: { timezone: 'Europe/Berlin', redact: ['subject'], hook: null, retention_hours: 3 },
  });
  seen.push(await all('accounts'));
  await expect(`${seen.join('\n\n')}\n`).toMatchFileSnapshot('stored-by-api.golden.txt');
});

const isSuccess = (status: number) => status >= 200 && status < 300;

const RANDOM = /(?<=\b(acc|token|member|addr|svc)_)[A-Za-z0-9_-]{6,}/g;

/** A document in the order of its bytes, without what differs from run to run. */
const storedText = (document: unknown): string => JSON.stringify(masked(document));

function masked(value: unknown): unknown {
  if (value instanceof Date) return 'a time';
  if (value instanceof Binary) return 'bytes';
  if (typeof value === 'string') return value.replaceAll(RANDOM, '…');
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, masked(one)]));
}
