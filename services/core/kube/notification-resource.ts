/** The next step for an AccountNotification resource: facts in, one step out, until it is settled. */
import { changedFields, isEmpty } from '../changed-fields.ts';
import type {
  NewNotification,
  Notification,
  NotificationChange,
} from '../notification/notification.ts';
import { checkWebhookUrl } from '../webhook/webhook-url.ts';
import { notReady, ready, type Verdict } from './condition.ts';
import type { AccountNotificationSpec } from './spec/notification-spec.ts';

export type NotificationFacts = {
  spec: AccountNotificationSpec;
  /** The account of the Account resource; undefined while that is missing or not ready. */
  accountId: string | undefined;
  /** The notification that this resource owns. */
  record: Notification | undefined;
  allowedNetworks: readonly string[];
};

export type NotificationStep =
  | { kind: 'settled'; verdict: Verdict }
  | { kind: 'create'; accountId: string; asked: NewNotification }
  | { kind: 'change'; change: NotificationChange }
  | { kind: 'rotate'; generation: number };

const settled = (verdict: Verdict): NotificationStep => ({ kind: 'settled', verdict });

export function notificationStep({
  spec,
  accountId,
  record,
  allowedNetworks,
}: NotificationFacts): NotificationStep {
  const checked = checkWebhookUrl(spec.url, allowedNetworks);
  if ('fault' in checked)
    return settled(notReady('InvalidWebhookUrl', `url is invalid: ${checked.fault}`));
  if (accountId === undefined)
    return settled(
      notReady(
        'AccountNotReady',
        `the Account ${spec.accountRef.name} does not exist in this namespace, or is not ready`,
      ),
    );
  const wanted = {
    url: checked.url,
    types: spec.types ?? null,
    description: spec.description ?? null,
    is_enabled: spec.enabled,
  };
  if (record === undefined)
    return {
      kind: 'create',
      accountId,
      asked: { ...wanted, secret_generation: spec.secretGeneration },
    };
  if (record.account_id !== accountId || record.environment !== spec.environment)
    return settled(
      notReady(
        'NotOurs',
        'an earlier resource of this name left a notification of another account or environment ' +
          'behind; deleting this resource deletes that notification',
      ),
    );
  const change = changedFields(record, wanted);
  if (!isEmpty(change)) return { kind: 'change', change };
  if (spec.secretGeneration > (record.secret_generation ?? spec.secretGeneration))
    return { kind: 'rotate', generation: spec.secretGeneration };
  return settled(
    record.is_enabled
      ? ready('Ready', 'receives events of the account')
      : ready('Disabled', 'receives no new events because enabled is false'),
  );
}
