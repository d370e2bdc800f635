/**
 * The next step for an ApiToken resource, until it is settled. Only its Secret holds the token
 * itself.
 */
import { isEqual } from '../changed-fields.ts';
import { notReady, ready, type Verdict } from './condition.ts';
import type { ApiTokenSpec } from './spec/token-spec.ts';
import { limitOf, type TokenLimit } from '../account/token-limit.ts';
import { type Permission, PERMISSIONS } from '../account/permission.ts';

export type TokenFacts = {
  spec: ApiTokenSpec;
  /** Name of the resource. */
  name: string;
  accountId: string | undefined;
  record:
    | {
        account_id: string;
        environment: string;
        name: string;
        permissions: readonly Permission[];
        limit: TokenLimit | null;
        expires_at: Date | null;
      }
    | undefined;
  /** Whether the Secret holds the token of this record. */
  secretHoldsToken: boolean;
};

type Wanted = {
  name: string;
  permissions: Permission[];
  limit: TokenLimit | null;
  expires_at: Date | null;
};

export type TokenStep =
  | { kind: 'settled'; verdict: Verdict }
  | ({ kind: 'issue'; accountId: string } & Wanted)
  /** The token is lost, or the Secret holds another: a new token replaces it. */
  | { kind: 'replace' }
  | ({ kind: 'change' } & Wanted);

export function tokenStep({
  spec,
  name: resourceName,
  accountId,
  record,
  secretHoldsToken,
}: TokenFacts): TokenStep {
  const name = spec.name ?? resourceName;
  const permissions = [...new Set(spec.permissions ?? PERMISSIONS)];
  const limit = limitOf({ address_ids: spec.addressIds, labels: spec.labels });
  const expires_at = spec.expiresAt === undefined ? null : new Date(spec.expiresAt);
  if (accountId === undefined)
    return {
      kind: 'settled',
      verdict: notReady(
        'AccountNotReady',
        `the Account ${spec.accountRef.name} does not exist in this namespace, or is not ready`,
      ),
    };
  if (record === undefined)
    return { kind: 'issue', accountId, name, permissions, limit, expires_at };
  if (record.account_id !== accountId || record.environment !== spec.environment) {
    return {
      kind: 'settled',
      verdict: notReady(
        'NotOurs',
        'an earlier resource of this name left a token of another account or environment ' +
          'behind; deleting this resource revokes that token',
      ),
    };
  }
  if (!secretHoldsToken) return { kind: 'replace' };
  if (
    record.name !== name ||
    record.permissions.toSorted().join() !== permissions.toSorted().join() ||
    !isEqual(record.limit, limit) ||
    record.expires_at?.getTime() !== expires_at?.getTime()
  )
    return { kind: 'change', name, permissions, limit, expires_at };
  return { kind: 'settled', verdict: ready('Ready', 'the token is valid') };
}
