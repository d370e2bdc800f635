/** What is to be done for an ApiToken resource, one step at a time until nothing is left. The token itself is in its Secret and nowhere else. */
import { notReady, ready, type Verdict } from './condition.ts';
import type { ApiTokenSpec } from './token-spec.ts';
import { type Permission, PERMISSIONS } from '../account/permission.ts';

export type TokenFacts = {
  spec: ApiTokenSpec;
  /** Of the resource. */
  name: string;
  accountId: string | undefined;
  record:
    | { account_id: string; environment: string; name: string; permissions: readonly Permission[] }
    | undefined;
  /** Whether the Secret holds the very token that the record is of. */
  secretHoldsToken: boolean;
};

export type TokenStep =
  | { kind: 'settled'; verdict: Verdict }
  | { kind: 'issue'; accountId: string; name: string; permissions: Permission[] }
  /** Nobody knows the token any more, or the Secret holds another: a new one takes its place. */
  | { kind: 'replace' }
  | { kind: 'change'; name: string; permissions: Permission[] };

export function tokenStep({
  spec,
  name: resourceName,
  accountId,
  record,
  secretHoldsToken,
}: TokenFacts): TokenStep {
  const name = spec.name ?? resourceName;
  const permissions = [...new Set(spec.permissions ?? PERMISSIONS)];
  if (accountId === undefined)
    return {
      kind: 'settled',
      verdict: notReady(
        'AccountNotReady',
        `there is no Account ${spec.accountRef.name} in this namespace that is ready`,
      ),
    };
  if (record === undefined) return { kind: 'issue', accountId, name, permissions };
  if (record.account_id !== accountId || record.environment !== spec.environment) {
    return {
      kind: 'settled',
      verdict: notReady(
        'NotOurs',
        'an earlier resource of this name left a token of another account or environment behind; deleting this one revokes that too',
      ),
    };
  }
  if (!secretHoldsToken) return { kind: 'replace' };
  if (
    record.name !== name ||
    record.permissions.toSorted().join() !== permissions.toSorted().join()
  )
    return { kind: 'change', name, permissions };
  return { kind: 'settled', verdict: ready('Ready', 'the token works') };
}
