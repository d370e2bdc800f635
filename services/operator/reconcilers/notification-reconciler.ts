/** An AccountNotification resource is a notification, with a Secret that holds its webhook secret. */
import type { Notifications } from '../../adapters/mongo/notifications/notifications.ts';
import { notificationStep, type NotificationStep } from '../../core/kube/notification-resource.ts';
import type { Notification } from '../../core/notification/notification.ts';
import type { NotificationOperations } from '../../platform/notification-operations.ts';
import type { SecretKeeper } from '../secret-keeper.ts';
import {
  type AccountOf,
  type CauseOf,
  type Reconciler,
  runSteps,
  unlessGone,
} from './reconciler.ts';

type Parts = {
  notifications: Pick<Notifications, 'findManaged'>;
  operations: NotificationOperations;
  secrets: SecretKeeper;
  accountOf: AccountOf;
  causeOf: CauseOf;
  allowedNetworks: readonly string[];
};

export function createNotificationReconciler({
  notifications,
  operations,
  secrets,
  accountOf,
  causeOf,
  allowedNetworks,
}: Parts): Reconciler<'AccountNotification'> {
  return {
    settle: async function settleNotification({ spec, owner, status }) {
      const { environment } = spec;
      const secretName = spec.secretName ?? `${owner.name}-notification`;
      const accountId = await accountOf(owner, spec);
      const { record, step } = await runSteps<Notification, NotificationStep>({
        find: () => notifications.findManaged(owner),
        next: (found) => notificationStep({ spec, accountId, record: found, allowedNetworks }),
        act: {
          create: ({ accountId: account_id, asked }) =>
            operations.create(causeOf(owner, { account_id, environment }), {
              ...asked,
              managed_by: owner,
            }),
          change: ({ change }, found) => operations.change(causeOf(owner, found), found.id, change),
          rotate: async ({ generation }, found) => {
            await secrets.write(owner, secretName, contentOf(found)); // as after a restore
            await secrets.requireWritable(owner, secretName);
            await operations.rotateSecret(causeOf(owner, found), found.id, generation);
          },
        },
      });
      // what an earlier resource of this name left may be of another account: it stays secret
      const ours = record?.account_id === accountId ? record : undefined;
      return {
        ...(ours && { secret: { name: secretName, content: contentOf(ours) } }),
        fields: { ...status, ...(ours && { id: ours.id }) },
        verdicts: { Ready: step.verdict },
      };
    },

    remove: async function removeNotification(owner) {
      const record = await notifications.findManaged(owner);
      if (record) await unlessGone(() => operations.remove(causeOf(owner, record), record.id));
    },
  };
}

const contentOf = ({ webhook_secret, url }: Notification) => ({ webhook_secret, url });
