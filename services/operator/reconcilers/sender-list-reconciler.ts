/** A SenderList resource is a list of senders of an account. */
import type { SenderLists } from '../../adapters/mongo/addresses/sender-lists.ts';
import { senderListStep, type SenderListStep } from '../../core/kube/sender-list-resource.ts';
import type { SenderListRecord } from '../../core/rules/sender-list-record.ts';
import type { SenderListOperations } from '../../platform/resource/sender-list-operations.ts';
import {
  type AccountOf,
  type CauseOf,
  type Reconciler,
  runSteps,
  unlessGone,
} from './reconciler.ts';

type Parts = {
  senderLists: Pick<SenderLists, 'findManaged'>;
  operations: SenderListOperations;
  accountOf: AccountOf;
  causeOf: CauseOf;
};

export function createSenderListReconciler({
  senderLists,
  operations,
  accountOf,
  causeOf,
}: Parts): Reconciler<'SenderList'> {
  return {
    settle: async function settleSenderList({ spec, owner, status }) {
      const accountId = await accountOf(owner, spec);
      const { record, step } = await runSteps<SenderListRecord, SenderListStep>({
        find: () => senderLists.findManaged(owner),
        next: (found) => senderListStep({ spec, accountId, record: found }),
        act: {
          create: ({ accountId: account, asked }) =>
            operations.create(causeOf(owner, live(account)), { ...asked, managed_by: owner }),
          change: ({ change }, found) =>
            operations.change(causeOf(owner, live(found.account_id)), found.id, change),
        },
      });
      // what an earlier resource of this name left may be of another account
      const ours = record?.account_id === accountId ? record : undefined;
      return {
        fields: { ...status, ...(ours && { id: ours.id, entryCount: ours.entries.length }) },
        verdicts: { Ready: step.verdict },
      };
    },

    remove: async function removeSenderList(owner) {
      const record = await senderLists.findManaged(owner);
      if (record)
        await unlessGone(() =>
          operations.remove(causeOf(owner, live(record.account_id)), record.id),
        );
    },
  };
}

/** Lists belong to both environments. */
const live = (account_id: string) => ({ account_id, environment: 'live' as const });
