/**
 * The next step for an ApiToken resource, until it is settled. Only its Secret holds the token
 * itself.
 */
import { changedFields } from '../resource/changed-fields.ts';
import { ready } from './condition.ts';
import { type OwnedFacts, ownedStep, type OwnedStep } from './owned-step.ts';
import type { ApiTokenSpec } from './spec/token-spec.ts';
import { PERMISSIONS, withDeliveryParts } from '../token/permission.ts';
import { limitOf } from '../token/token-limit.ts';
import { TOKEN, type TokenNoun, type TokenRecord } from '../token/token-record.ts';
import { fromSpec } from '../resource/spec.ts';

export type TokenFacts = OwnedFacts<ApiTokenSpec, Compared> & {
  /** Name of the resource. */
  name: string;
  /** Whether the Secret holds the token of this record. */
  secretHoldsToken: boolean;
};
type Compared = Pick<TokenRecord, 'account_id' | 'environment' | keyof TokenNoun['Change']>;

export type TokenStep =
  | Exclude<OwnedStep<TokenNoun>, { kind: 'rotate' }>
  /** The token is lost, or the Secret holds another: a new token replaces it. */
  | { kind: 'replace' };

export function tokenStep({ name, secretHoldsToken, ...facts }: TokenFacts): TokenStep {
  const { spec } = facts;
  const wanted = {
    ...fromSpec(TOKEN.fields, spec),
    name: spec.name ?? name,
    permissions: withDeliveryParts(spec.permissions ?? PERMISSIONS),
    limit: limitOf({ address_ids: spec.addressIds, labels: spec.labels }),
    expires_at: spec.expiresAt === undefined ? null : new Date(spec.expiresAt),
  };
  const { permissions, ...others } = wanted;
  const step = ownedStep<Omit<TokenNoun, 'Record'> & { Record: Compared }>(facts, {
    fixed: { environment: spec.environment },
    notOurs:
      'a token of another account or environment behind; deleting this resource revokes that token',
    requested: wanted,
    changeOf: (record) =>
      secretHoldsToken
        ? changedFields(record, haveEqual(record.permissions, permissions) ? others : wanted)
        : {},
    verdictOf: () => VALID,
  });
  const isLost = step.kind === 'settled' && step.verdict === VALID && !secretHoldsToken;
  return step.kind === 'rotate' || isLost ? { kind: 'replace' } : step;
}

const VALID = ready('Ready', 'the token is valid');

/** In any order. */
const haveEqual = (one: readonly string[], other: readonly string[]) =>
  one.toSorted().join() === other.toSorted().join();
