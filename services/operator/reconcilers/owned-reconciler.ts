/** The reconciler of a kind whose resources own one record each, of an account or of an address. */
import type { Owned } from '../../core/address/scope.ts';
import type { Environment } from '../../core/resource/environment.ts';
import type { OwnedFacts, OwnedStep } from '../../core/kube/owned-step.ts';
import type { KindName } from '../../core/kube/custom-resource.ts';
import type { Noun } from '../../core/resource/noun.ts';
import type { ManagedBy } from '../../core/resource/managed-by.ts';
import type { Cause } from '../../platform/audit.ts';
import type { OwnedOperations } from '../../platform/owned-operations.ts';
import type { SpecOf } from '../cluster/resource.ts';
import type { SecretKeeper } from '../cluster/secret-keeper.ts';
import {
  type AccountOf,
  type CauseOf,
  type Reconciler,
  runSteps,
  unlessGone,
  type Wanted,
} from './reconciler.ts';

type OwnedNoun = Noun & { Record: { account_id: string; environment?: Environment } };

type OwnedKindName = Exclude<KindName, 'Account'>;

type OwnedKind<K extends OwnedKindName, Of extends Owned, N extends Noun> = {
  findManaged: (owner: ManagedBy) => Promise<N['Record'] | undefined>;
  operations: OwnedOperations<N>;
  /** The account or address that the spec names; undefined while that is missing or not ready. */
  ownerOf: (owner: ManagedBy, spec: SpecOf<K>) => Promise<Of | undefined>;
  /** Whether a record of the same account is of this owner; by default it is. */
  isOf?: (record: N['Record'], of: Of) => boolean;
  /** Reads what the steps depend on, except the account and the record. */
  gather: (
    wanted: Wanted<K>,
    of: Of | undefined,
  ) => Promise<(facts: OwnedFacts<SpecOf<K>, N['Record']>) => OwnedStep<N>>;
  /** Fields of the status in addition to the id. */
  statusOf?: (record: N['Record'], of: Of) => Record<string, unknown>;
  /** The Secret that Inlet writes for the resource. */
  secret?: {
    nameOf: (owner: ManagedBy, spec: SpecOf<K>) => string;
    contentOf: (record: N['Record']) => Record<string, string>;
    rotate: (cause: Cause, id: string, generation: number) => Promise<unknown>;
  };
};

export type OwnedReconcilerDependencies = { secrets: SecretKeeper; causeOf: CauseOf };

/** @param environmentOf `live` for what both environments share */
export const inAccount =
  <Spec extends { accountRef: { name: string } }>(
    accountOf: AccountOf,
    environmentOf: (spec: Spec) => Environment,
  ) =>
  async (owner: ManagedBy, spec: Spec): Promise<Owned | undefined> => {
    const account_id = await accountOf(owner, spec);
    return account_id === undefined ? undefined : { account_id, environment: environmentOf(spec) };
  };

export function createOwnedReconciler<
  K extends OwnedKindName,
  Of extends Owned,
  N extends OwnedNoun,
>(
  {
    findManaged,
    operations,
    ownerOf,
    isOf = () => true,
    gather,
    statusOf,
    secret,
  }: OwnedKind<K, Of, N>,
  { secrets, causeOf }: OwnedReconcilerDependencies,
): Reconciler<K> {
  const causeOfRecord = (owner: ManagedBy, { account_id, environment = 'live' }: N['Record']) =>
    causeOf(owner, { account_id, environment });

  return {
    settle: async function settleOwned(wanted) {
      const { spec, owner, status } = wanted;
      const of = await ownerOf(owner, spec);
      const accountId = of?.account_id;
      const next = await gather(wanted, of);
      const { record, step } = await runSteps<N['Record'], OwnedStep<N>>({
        find: () => findManaged(owner),
        next: (found) => next({ spec, accountId, record: found }),
        act: {
          create: ({ requested }) => {
            if (of === undefined) throw new Error('a record has an owner');
            return operations.create(causeOf(owner, of), { ...requested, managed_by: owner });
          },
          change: ({ change }, found) =>
            operations.change(causeOfRecord(owner, found), found.id, change),
          rotate: async ({ generation }, found) => {
            if (secret === undefined) throw new Error('the kind has no Secret to rotate');
            const name = secret.nameOf(owner, spec);
            // the Secret may be missing, for example after a restore
            await secrets.write(owner, name, secret.contentOf(found));
            await secrets.requireWritable(owner, name);
            await secret.rotate(causeOfRecord(owner, found), found.id, generation);
          },
        },
      });
      // what an earlier resource of this name left may be of another owner: it stays secret
      const isOurs = of && record?.account_id === of.account_id && isOf(record, of);
      const ours = isOurs ? { record, of } : undefined;
      return {
        ...(ours &&
          secret && {
            secret: { name: secret.nameOf(owner, spec), content: secret.contentOf(ours.record) },
          }),
        fields: {
          ...status,
          ...(ours && { id: ours.record.id, ...statusOf?.(ours.record, ours.of) }),
        },
        verdicts: { Ready: step.verdict },
      };
    },

    remove: async function removeOwned(owner) {
      const record = await findManaged(owner);
      if (record)
        await unlessGone(() => operations.remove(causeOfRecord(owner, record), record.id));
    },
  };
}
