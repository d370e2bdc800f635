/** Tokens and accounts in MongoDB (spec 2.6, 2.7, 5.1). */
import { expect, test } from 'vitest';

import {
  accountIndexes,
  createAccounts,
} from '../../../../services/adapters/mongo/account/accounts.ts';
import { createTokens } from '../../../../services/adapters/mongo/token/tokens.ts';
import { tokenIndexes } from '../../../../services/adapters/mongo/documents/token-documents.ts';
import {
  DELIVERY_PARTS,
  type Permission,
  PERMISSIONS,
  type StoredPermissions,
} from '../../../../services/core/token/permission.ts';
import type { ManagedBy } from '../../../../services/core/resource/managed-by.ts';
import { startTestDatabase } from '../../../support/test-database.ts';
import { useInFile } from '../../../support/use-in-file.ts';

const mongo = await useInFile(startTestDatabase([accountIndexes, tokenIndexes]));

test('spec 2.6: a new account has the default settings', async () => {
  const accounts = createAccounts(mongo.db);
  const account = await accounts.create({ email: 'owner@example.com', name: 'Owner' });
  expect(account).toMatchObject({
    id: expect.stringMatching(/^acc_/) as string,
    email: 'owner@example.com',
    company: '',
    plan: 'free',
    settings: { timezone: 'UTC', webhook_retry_attempts: 6, default_ttl_hours: 24 },
  });
  expect(await accounts.find(account.id)).toEqual(account);
  expect(await accounts.find('acc_none')).toBeUndefined();
});

test('spec 5.1.2: what is stored does not contain the token', async () => {
  const { token, prefix, id } = await createTokens(mongo.db).issue({
    accountId: 'acc_1',
    name: 'ci',
    environment: 'live',
  });
  const stored = JSON.stringify(
    await mongo.db.collection<{ _id: string }>('tokens').findOne({ _id: id }),
  );
  expect(stored).toContain(prefix);
  expect(stored).not.toContain(token);
  expect(stored).not.toContain(token.slice(prefix.length));
});

test('spec 5.1.4, D10: a token has all permissions by default, else exactly the given ones', async () => {
  const tokens = createTokens(mongo.db);
  const all = await tokens.issue({ accountId: 'acc_1', name: 'all', environment: 'test' });
  expect((await tokens.authenticate(all.token))?.identity).toEqual({
    id: all.id,
    account_id: 'acc_1',
    environment: 'test',
    permissions: [...PERMISSIONS],
    limit: null,
  });
  const one = await tokens.issue({
    accountId: 'acc_1',
    name: 'one',
    environment: 'live',
    permissions: ['usage:read'],
  });
  expect((await tokens.authenticate(one.token))?.identity.permissions).toEqual(['usage:read']);
});

test('spec 5.1.7: an unknown, shortened or changed token has no identity', async () => {
  const tokens = createTokens(mongo.db);
  const { token } = await tokens.issue({ accountId: 'acc_1', name: 'x', environment: 'live' });
  const other = token.endsWith('A') ? 'B' : 'A';
  for (const text of [
    token.slice(0, -1),
    `${token.slice(0, -1)}${other}`,
    token.toUpperCase(),
    token.replace('live', 'test'),
    '',
    'svc_live_',
  ]) {
    expect([text, await tokens.authenticate(text)]).toEqual([text, undefined]);
  }
});

test('spec 5.1.6: a revoked token stops working immediately, and only its own account can revoke it', async () => {
  const owner = { account_id: 'acc_1' };
  const tokens = createTokens(mongo.db);
  const { id, token } = await tokens.issue({ accountId: 'acc_1', name: 'x', environment: 'live' });
  expect(await tokens.remove({ account_id: 'acc_2' }, id)).toBeUndefined();
  expect(await tokens.authenticate(token)).toBeDefined();
  expect(await tokens.remove(owner, id)).toMatchObject({ id, name: 'x' });
  expect(await tokens.authenticate(token)).toBeUndefined();
  expect(await tokens.remove(owner, id)).toBeUndefined();
});

test('D10: a token of a release without secrets:read keeps what it could do until it is changed', async () => {
  const tokens = createTokens(mongo.db);
  const documents = mongo.db.collection<{ _id: string }>('tokens');
  const older = async (permissions: Permission[], managed_by?: ManagedBy) => {
    const issued = await tokens.issue({
      accountId: 'acc_old',
      name: 'older',
      environment: 'live',
      permissions,
      ...(managed_by && { managed_by }),
    });
    await documents.updateOne({ _id: issued.id }, { $unset: { reads_secrets: '' } });
    return issued;
  };
  const owner = { kind: 'ApiToken', namespace: 'a', name: 'b', uid: 'c' };
  const [reader, other] = [await older(['addresses:read'], owner), await older(['usage:read'])];
  const mayOf = async (token: string) => (await tokens.authenticate(token))?.identity.permissions;
  expect([await mayOf(reader.token), await mayOf(other.token)]).toEqual([
    ['addresses:read', 'secrets:read'],
    ['usage:read'],
  ]);
  // as its resource asks for it, so that the operator does not change it
  expect((await tokens.findManaged(owner))?.permissions).toEqual(['addresses:read']);
  await tokens.update({
    id: reader.id,
    name: 'newer',
    permissions: ['addresses:read'],
    limit: null,
    expires_at: null,
  });
  expect(await mayOf(reader.token)).toEqual(['addresses:read']);
});

test('D10: earlier releases can read the permissions of a new token', async () => {
  const { id } = await createTokens(mongo.db).issue({
    accountId: 'acc_1',
    name: 'all',
    environment: 'live',
  });
  const stored = await mongo.db.collection<{ _id: string }>('tokens').findOne({ _id: id });
  expect(stored).toMatchObject({
    permissions: PERMISSIONS.filter(
      (one) => ![...DELIVERY_PARTS, 'secrets:read', 'mail:submit'].includes(one),
    ),
    reads_secrets: true,
    submits_mail: true,
    delivery_permissions: DELIVERY_PARTS,
  });
});

test.each(['unlimited', 'limited'])(
  'D359: parts of deliveries:write, of a token that is %s',
  async (which) => {
    const limit = which === 'limited' ? { address_ids: ['addr_1'] } : null;
    const tokens = createTokens(mongo.db);
    const keptOf = async (permissions: Permission[]) => {
      const { token, id } = await tokens.issue({
        accountId: 'acc_parts',
        name: 'x',
        environment: 'live',
        permissions,
        limit,
      });
      const stored = await mongo.db
        .collection<StoredPermissions & { _id: string }>('tokens')
        .findOne({ _id: id });
      const known = stored?.limited_permissions ?? stored?.permissions;
      return [(await tokens.authenticate(token))?.identity.permissions, known];
    };
    const [consume, decide, erase] = DELIVERY_PARTS;
    expect(await keptOf(['deliveries:read', consume])).toEqual([
      ['deliveries:read', consume],
      ['deliveries:read'],
    ]);
    for (const whole of [['deliveries:write'], [erase, decide, consume]] as Permission[][]) {
      const [held = [], stored] = await keptOf(whole);
      expect(held.toSorted()).toEqual([...DELIVERY_PARTS, 'deliveries:write'].toSorted());
      expect(stored).toEqual(['deliveries:write']);
    }
  },
);
