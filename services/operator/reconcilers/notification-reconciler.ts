/** An AccountNotification resource is a notification, with a Secret that holds its webhook secret. */
import type { Notifications } from '../../adapters/mongo/notifications/notifications.ts';
import type { ManagedBy } from '../../core/address/managed-by.ts';
import type { Notification } from '../../core/notification/notification.ts';
import { AppError } from '../../core/app-error.ts';
import { notificationStep, type NotificationStep } from '../../core/kube/notification-resource.ts';
import { AccountNotificationSpec } from '../../core/kube/notification-spec.ts';
import type { NotificationOperations } from '../../platform/notification-operations.ts';
import { ownerOf, specOf } from '../resource.ts';
import type { SecretKeeper } from '../secret-keeper.ts';
import type { Reconciler } from './reconcile.ts';

type Needs = {
  notifications: Pick<Notifications, 'findManaged'>;
  operations: NotificationOperations;
  secrets: SecretKeeper;
  accountId: (namespace: string, name: string) => Promise<string | undefined>;
  allowedNetworks: readonly string[];
  clock: () => Date;
};

const MAX_STEPS = 6;

export function createNotificationReconciler({
  notifications,
  operations,
  secrets,
  accountId,
  allowedNetworks,
  clock,
}: Needs): Reconciler {
  async function act(
    step: Exclude<NotificationStep, { kind: 'settled' }>,
    owner: ManagedBy,
    { environment }: AccountNotificationSpec,
    record: Notification | undefined,
  ): Promise<void> {
    const now = clock();
    if (step.kind === 'create') {
      const caller = { account_id: step.accountId, environment };
      await operations.create({ caller, now }, { ...step.asked, managed_by: owner });
      return;
    }
    if (record === undefined) throw new Error('no notification to change');
    const { id, account_id } = record;
    const cause = { caller: { account_id, environment: record.environment }, now };
    if (step.kind === 'change') await operations.change(cause, id, step.change);
    else await operations.rotateSecret(cause, id, step.generation);
  }

  return {
    settle: async function settleNotification(resource) {
      const spec = specOf(AccountNotificationSpec, resource);
      const owner = ownerOf('AccountNotification', resource);
      const secretName = spec.secretName ?? `${owner.name}-notification`;
      for (let i = 0; i < MAX_STEPS; i++) {
        const record = await notifications.findManaged(owner);
        const account = await accountId(owner.namespace, spec.accountRef.name);
        const step = notificationStep({ spec, accountId: account, record, allowedNetworks });
        if (step.kind === 'settled') {
          // what an earlier resource of this name left may be of another account: it stays secret
          const ours = record?.account_id === account ? record : undefined;
          if (ours)
            await secrets.write(owner, secretName, {
              webhook_secret: ours.webhook_secret,
              url: ours.url,
            });
          return {
            fields: { ...resource.status, ...(ours && { id: ours.id, secretName }) },
            verdicts: { Ready: step.verdict },
          };
        }
        await act(step, owner, spec, record);
      }
      throw new Error(`the notification did not settle in ${MAX_STEPS} steps`);
    },

    remove: async function removeNotification(resource) {
      const record = await notifications.findManaged(ownerOf('AccountNotification', resource));
      if (record === undefined) return undefined;
      const { id, account_id, environment } = record;
      try {
        await operations.remove({ caller: { account_id, environment }, now: clock() }, id);
      } catch (error) {
        if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
      }
      return undefined;
    },
  };
}
