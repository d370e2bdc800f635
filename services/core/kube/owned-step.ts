/**
 * The next step for a resource that owns one record of an account, from facts that do not depend on its
 * kind: one step out, until it is settled.
 */
import { changedFields, isEmpty } from '../resource/changed-fields.ts';
import type { Noun } from '../resource/noun.ts';
import { notReady, type Verdict } from './condition.ts';

export type OwnedStep<N extends Pick<Noun, 'New' | 'Change'>> =
  | { kind: 'settled'; verdict: Verdict }
  | { kind: 'create'; requested: N['New'] }
  | { kind: 'change'; change: N['Change'] }
  | { kind: 'rotate'; generation: number };

/** What a step depends on. */
export type OwnedFacts<Spec, Record> = {
  spec: Spec;
  /**
   * The account of the Account resource, or of the InboundAddress; undefined while that is missing or
   * not ready.
   */
  accountId: string | undefined;
  /** The record that this resource, or an earlier one of the same name, owns. */
  record: Record | undefined;
};

type OwnedSpec = ({ accountRef: { name: string } } | { addressRef: { name: string } }) & {
  secretGeneration?: number;
};
type OwnedNoun = Pick<Noun, 'New' | 'Change'> & {
  Record: { account_id: string; secret_generation?: number | undefined };
};

type Wishes<N extends OwnedNoun> = {
  /** The fields that no change can make equal, with the values that the spec asks for. */
  fixed: Partial<N['Record']>;
  /** The condition of a record that differs in these. */
  notOurs: string;
  requested: N['New'];
  changeOf: (record: N['Record']) => N['Change'];
  /** When the record is as the spec asks for. */
  verdictOf: (record: N['Record']) => Verdict;
};

export function ownedStep<N extends OwnedNoun>(
  { spec, accountId, record }: OwnedFacts<OwnedSpec, N['Record']>,
  { fixed, notOurs, requested, changeOf, verdictOf }: Wishes<N>,
): OwnedStep<N> {
  if (accountId === undefined) return ownerIsMissing(spec);
  if (record === undefined) return { kind: 'create', requested };
  if (!isEmpty(changedFields(record, { ...fixed, account_id: accountId })))
    return refused('NotOurs', `an earlier resource of this name left ${notOurs}`);
  const change = changeOf(record);
  if (!isEmpty(change)) return { kind: 'change', change };
  const { secretGeneration: generation = 0 } = spec;
  if (generation > (record.secret_generation ?? generation)) return { kind: 'rotate', generation };
  return { kind: 'settled', verdict: verdictOf(record) };
}

/** The spec cannot be fulfilled until somebody changes something. */
export const refused = (reason: string, message: string) => ({
  kind: 'settled' as const,
  verdict: notReady(reason, message),
});

const ownerIsMissing = (spec: OwnedSpec) =>
  'addressRef' in spec
    ? refused('AddressNotReady', `the InboundAddress ${spec.addressRef.name} ${IS_MISSING}`)
    : refused('AccountNotReady', `the Account ${spec.accountRef.name} ${IS_MISSING}`);

const IS_MISSING = 'does not exist in this namespace, or is not ready';
