/**
 * Rules between resources: which resources to reconcile after a change, and what keeps an Account
 * from being deleted. Facts in, decisions out; operator/leadership.ts gathers the facts and fills
 * the work queue.
 */
import { notReady, type Verdict } from './condition.ts';
import type { KindName } from './custom-resource.ts';

export type ResourceKey = { kind: KindName; namespace: string; name: string };

export type ResourceFacts = ResourceKey & {
  uid: string;
  generation: number | undefined;
  isDeleting: boolean;
  /** Name of the Account that the spec refers to; undefined for an Account. */
  account: string | undefined;
  /** Name of the InboundAddress that the spec of an InboundReceiver refers to. */
  address: string | undefined;
  /** The name in an InboundAddress, `local@domain`; undefined if its spec has neither part. */
  addressWanted: string | undefined;
  /** The id in its status: undefined before Inlet has created the record. */
  id: string | undefined;
  /** Reason of the condition `Ready`. */
  reason: string | undefined;
};

/** `resync`: listed again, changed or not. */
type ChangeKind = 'changed' | 'removed' | 'resync';

export type ResourceChange = {
  how: ChangeKind;
  resource: ResourceFacts;
  before: ResourceFacts | undefined;
};

type Others = Iterable<ResourceFacts>;
type Rule = (change: ResourceChange, others: Others) => ResourceKey[];

/**
 * The resource itself, unless the operator made the change: it writes the status and the finalizer.
 */
const itself: Rule = ({ how, resource, before }) =>
  how === 'resync' ||
  before?.uid !== resource.uid ||
  before.generation !== resource.generation ||
  before.isDeleting !== resource.isDeleting
    ? [resource]
    : [];

/** Resources wait until their Account has a record. */
const dependentsOfNewAccount: Rule = ({ how, resource, before }, others) =>
  resource.kind === 'Account' && how !== 'removed' && before?.id !== resource.id
    ? dependentsOf(resource, others)
    : [];

/** Receivers wait until their InboundAddress has a record, and have none without it. */
const receiversOfAddress: Rule = ({ how, resource, before }, others) =>
  resource.kind === 'InboundAddress' && (how === 'removed' || before?.id !== resource.id)
    ? [...others].filter(
        ({ namespace, address }) => namespace === resource.namespace && address === resource.name,
      )
    : [];

/** A deleted Account or InboundDomain may wait for the removal of this resource. */
const deletionsBlockedByIt: Rule = ({ how, resource }, others) => {
  const account = accountOf(resource);
  if (how !== 'removed' || account === undefined) return [];
  const domains = dependentsOf(account, others).filter(
    ({ kind, isDeleting }) => kind === 'InboundDomain' && isDeleting,
  );
  return [{ kind: 'Account', ...account }, ...domains];
};

/** Retry addresses that were refused because this name was taken. */
const addressesThatWantItsName: Rule = ({ how, resource }, others) =>
  how === 'removed' && resource.addressWanted !== undefined
    ? [...others].filter(
        (other) =>
          isRefused(other, resource.namespace, 'Refused') &&
          other.addressWanted === resource.addressWanted,
      )
    : [];

/** Addresses wait for the verification of their domain. */
const addressesOnChangedDomain: Rule = ({ how, resource }, others) => {
  const account = accountOf(resource);
  return resource.kind === 'InboundDomain' && how !== 'resync' && account !== undefined
    ? dependentsOf(account, others).filter(({ kind }) => kind === 'InboundAddress')
    : [];
};

const RULES: readonly Rule[] = [
  itself,
  dependentsOfNewAccount,
  receiversOfAddress,
  deletionsBlockedByIt,
  addressesThatWantItsName,
  addressesOnChangedDomain,
];

/**
 * The resources to reconcile after this change.
 * @param others every resource in the cache; iterated only when a rule needs it
 */
export const affectedBy = (change: ResourceChange, others: Others): ResourceKey[] =>
  RULES.flatMap((rule) => rule(change, others));

export type SecretChange = {
  how: ChangeKind;
  namespace: string;
  /** Whether the operator knew the Secret before; it created a Secret that it did not know. */
  wasKnown: boolean;
  /** The resource that owns the Secret. */
  owner: { kind: KindName; name: string } | undefined;
};

/**
 * The resources to reconcile after a Secret changed: its owner, and after a removal those that
 * wanted its name.
 */
export function affectedBySecret(
  { how, namespace, wasKnown, owner }: SecretChange,
  others: Others,
): ResourceKey[] {
  const refused =
    how === 'removed' ? [...others].filter((one) => isRefused(one, namespace, 'SecretTaken')) : [];
  return owner && how !== 'resync' && wasKnown ? [...refused, { ...owner, namespace }] : refused;
}

/** The resources whose spec refers to this Account. */
export const dependentsOf = (
  account: { namespace: string; name: string },
  others: Others,
): ResourceFacts[] =>
  [...others].filter(
    (other) => other.namespace === account.namespace && other.account === account.name,
  );

const NAMED_AT_MOST = 5;

/** Why an Account cannot be deleted yet; `undefined` when no resource refers to it. */
export function accountInUse(dependents: readonly ResourceKey[]): Verdict | undefined {
  if (dependents.length === 0) return undefined;
  const named = dependents.slice(0, NAMED_AT_MOST).map(({ kind, name }) => `${kind} ${name}`);
  const more =
    dependents.length > NAMED_AT_MOST ? ` and ${dependents.length - NAMED_AT_MOST} more` : '';
  return notReady(
    'InUse',
    `cannot be deleted while these resources refer to it: ${named.join(', ')}${more}`,
  );
}

const accountOf = ({ namespace, account }: ResourceFacts) =>
  account === undefined ? undefined : { namespace, name: account };

const isRefused = (resource: ResourceFacts, namespace: string, reason: string): boolean =>
  resource.namespace === namespace && resource.reason === reason;
