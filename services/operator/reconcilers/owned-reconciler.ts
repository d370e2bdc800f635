/** The reconciler of a kind whose resources own one record of an account each. */
import type { Environment } from '../../core/environment.ts';
import type { OwnedFacts, OwnedStep } from '../../core/kube/owned-step.ts';
import type { KindName } from '../../core/kube/custom-resource.ts';
import type { ManagedBy } from '../../core/managed-by.ts';
import type { Cause } from '../../platform/audit.ts';
import type { OwnedOperations } from '../../platform/resource/owned-operations.ts';
import type { SpecOf } from '../resource.ts';
import type { SecretKeeper } from '../secret-keeper.ts';
import {
  type AccountOf,
  type CauseOf,
  type Reconciler,
  runSteps,
  unlessGone,
} from './reconciler.ts';

type OwnedRecord = { id: string; account_id: string; environment?: Environment };

/** Those with an `accountRef`. */
type KindOfAccount = Exclude<KindName, 'Account' | 'InboundReceiver'>;

type OwnedKind<K extends KindOfAccount, R, New, Change> = {
  findManaged: (owner: ManagedBy) => Promise<R | undefined>;
  operations: OwnedOperations<R, New, Change>;
  /** `live` for what both environments share. */
  environmentOf: (spec: SpecOf<K>) => Environment;
  /** Reads what the steps depend on besides the account and the record. */
  gather: (
    owner: ManagedBy,
    spec: SpecOf<K>,
  ) => Promise<(facts: OwnedFacts<SpecOf<K>, R>) => OwnedStep<New, Change>>;
  /** Fields of the status in addition to the id. */
  statusOf?: (record: R) => Record<string, unknown>;
  /** The Secret that Inlet writes for the resource. */
  secret?: {
    nameOf: (owner: ManagedBy, spec: SpecOf<K>) => string;
    contentOf: (record: R) => Record<string, string>;
    rotate: (cause: Cause, id: string, generation: number) => Promise<R>;
  };
};

export type OwnedParts = { secrets: SecretKeeper; accountOf: AccountOf; causeOf: CauseOf };

export function createOwnedReconciler<
  K extends KindOfAccount,
  R extends OwnedRecord,
  New extends object,
  Change,
>(
  {
    findManaged,
    operations,
    environmentOf,
    gather,
    statusOf,
    secret,
  }: OwnedKind<K, R, New, Change>,
  { secrets, accountOf, causeOf }: OwnedParts,
): Reconciler<K> {
  const causeOfRecord = (owner: ManagedBy, { account_id, environment = 'live' }: R) =>
    causeOf(owner, { account_id, environment });

  return {
    settle: async function settleOwned({ spec, owner, status }) {
      const accountId = await accountOf(owner, spec);
      const next = await gather(owner, spec);
      const { record, step } = await runSteps<R, OwnedStep<New, Change>>({
        find: () => findManaged(owner),
        next: (found) => next({ spec, accountId, record: found }),
        act: {
          create: ({ accountId: account_id, asked }) =>
            operations.create(causeOf(owner, { account_id, environment: environmentOf(spec) }), {
              ...asked,
              managed_by: owner,
            }),
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
      // what an earlier resource of this name left may be of another account: it stays secret
      const ours = record?.account_id === accountId ? record : undefined;
      return {
        ...(ours &&
          secret && {
            secret: { name: secret.nameOf(owner, spec), content: secret.contentOf(ours) },
          }),
        fields: { ...status, ...(ours && { id: ours.id, ...statusOf?.(ours) }) },
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
