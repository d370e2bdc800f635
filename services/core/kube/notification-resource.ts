/** The next step for an AccountNotification resource. */
import { RULE_TEXT } from '../error/app-error.ts';
import { changedFields } from '../resource/changed-fields.ts';
import { NOTIFICATION, type NotificationNoun } from '../notification/notification.ts';
import { fromSpec } from '../resource/spec.ts';
import { checkWebhookUrl } from '../network/webhook-url.ts';
import { ready } from './condition.ts';
import { type OwnedFacts, ownedStep, type OwnedStep, refused } from './owned-step.ts';
import type { AccountNotificationSpec } from './spec/notification-spec.ts';

export type NotificationFacts = OwnedFacts<AccountNotificationSpec, NotificationNoun['Record']> & {
  allowedNetworks: readonly string[];
};

export function notificationStep({
  allowedNetworks,
  ...facts
}: NotificationFacts): OwnedStep<NotificationNoun> {
  const { spec } = facts;
  const checked = checkWebhookUrl(spec.url, allowedNetworks);
  if ('fault' in checked) return refused('InvalidWebhookUrl', `url ${RULE_TEXT[checked.fault]}`);
  const wanted = { ...fromSpec(NOTIFICATION.fields, spec), url: checked.url };
  return ownedStep<NotificationNoun>(facts, {
    fixed: { environment: spec.environment },
    notOurs:
      'a notification of another account or environment behind; deleting this resource deletes ' +
      'that notification',
    requested: { ...wanted, secret_generation: spec.secretGeneration },
    changeOf: (record) => changedFields(record, wanted),
    verdictOf: ({ is_enabled }) =>
      is_enabled
        ? ready('Ready', 'receives events of the account')
        : ready('Disabled', 'receives no new events because enabled is false'),
  });
}
