/** What admission asks of MongoDB, and in which order. */
import type { ParameterizedContext } from 'koa';
import { expect, test } from 'vitest';

import type { Authenticate } from '../../../services/api/http/authentication.ts';
import { createAuthorize } from '../../../services/api/http/authorize.ts';
import type { ReachOf } from '../../../services/api/http/reach.ts';
import type { ApiState } from '../../../services/api/http/state/state.ts';
import type { TokenIdentity } from '../../../services/core/token/token.ts';

const CALLER: TokenIdentity = {
  id: 'tok_1',
  account_id: 'acc_1',
  environment: 'live',
  permissions: [],
  limit: null,
};
const reachOf: ReachOf = async (identity) => ({ ...identity, address_ids: null });
const PLENTY = { isExceeded: false, limit: 100, remaining: 99, resetAt: new Date(0) };

const context = () =>
  ({ req: {}, state: {}, set: () => undefined }) as unknown as ParameterizedContext<ApiState>;

/** Remembers the ids that it counted. */
function limits() {
  const first = Promise.withResolvers<string>();
  const ids: string[] = [];
  return {
    ids,
    first: first.promise,
    count: async (id: string) => {
      ids.push(id);
      first.resolve(id);
      return { burst: PLENTY, rate: PLENTY };
    },
  };
}

const accept: Authenticate = async () => ({ identity: CALLER, accountIsSuspended: false });
/** A token that was valid when it was last seen. */
const refuse: Authenticate = async (_, expected) => {
  expected?.(CALLER);
  throw new Error('unauthorized');
};
const refuseUnknown: Authenticate = async () => {
  throw new Error('unauthorized');
};

test('a known token is read and counted at the same time, in one round trip', async () => {
  const [ofTokens, ofSessions] = [limits(), limits()];
  const acceptKnown: Authenticate = async (_, expected) => {
    expected?.(CALLER);
    expect(await ofTokens.first).toBe(CALLER.id); // the token is still being read
    return { identity: CALLER, accountIsSuspended: false };
  };
  const authorize = createAuthorize(acceptKnown, reachOf, ofTokens, ofSessions);
  expect(await authorize(context(), null, 'account')).toMatchObject(CALLER);
  expect([ofTokens.ids, ofSessions.ids]).toEqual([[CALLER.id], []]);
});

test('a guess writes nothing: an unknown token is counted once it was found valid', async () => {
  const ofTokens = limits();
  const refused = createAuthorize(
    refuseUnknown,
    reachOf,
    ofTokens,
    limits(),
  )(context(), null, 'account');
  await expect(refused).rejects.toThrow('unauthorized');
  expect(ofTokens.ids).toEqual([]);
  await createAuthorize(accept, reachOf, ofTokens, limits())(context(), null, 'account');
  expect(ofTokens.ids).toEqual([CALLER.id]);
});

test('a token that was revoked meanwhile is refused for that, whatever became of the count', async () => {
  const away = {
    count: async () => {
      throw new Error('MongoDB is away');
    },
  };
  const refused = createAuthorize(refuse, reachOf, away, away)(context(), null, 'account');
  await expect(refused).rejects.toThrow('unauthorized');
});
