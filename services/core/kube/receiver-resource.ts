/** The next step for an InboundReceiver resource. */
import type { Address } from '../address/address.ts';
import { changedFields } from '../resource/changed-fields.ts';
import {
  type ManagedReceiver,
  RECEIVER,
  type Receiver,
  type ReceiverChange,
  type ReceiverNoun,
} from '../receiver/receiver.ts';
import { fromSpec } from '../resource/spec.ts';
import { hasNoTarget } from '../receiver/webhook-mode.ts';
import { failureOf, isDisabledAsFailing } from './failing-receiver.ts';
import { linksRefusal, notReady, ready, type Verdict } from './condition.ts';
import { type OwnedFacts, ownedStep, type OwnedStep, refused } from './owned-step.ts';
import { payloadSettingsOf } from './spec/payload-spec.ts';
import type { ReferencedAuth } from './spec/receiver-auth-spec.ts';
import type { InboundReceiverSpec } from './spec/receiver-spec.ts';
import { authChange, wantedWebhook } from './wanted-webhook.ts';

export type ReceiverFacts = OwnedFacts<InboundReceiverSpec, ManagedReceiver> & {
  /** The namespace of the resource. */
  namespace: string;
  /** Whether the spec has changed since the operator last acted on it. */
  isEdited: boolean;
  /** The address of the InboundAddress resource; undefined while that is missing or not ready. */
  address: Pick<Address, 'id'> | undefined;
  auth: ReferencedAuth;
  allowedNetworks: readonly string[];
  offersFiles: boolean;
};

export function receiverStep({
  namespace,
  auth,
  isEdited,
  address,
  allowedNetworks,
  offersFiles,
  ...facts
}: ReceiverFacts): OwnedStep<ReceiverNoun> {
  const { spec, record } = facts;
  const found = wantedWebhook(spec, { namespace, auth, allowedNetworks }, 'url');
  if ('fault' in found) return { kind: 'settled', verdict: found.fault };
  const { webhook } = found;
  if (hasNoTarget({ webhook_url: webhook.url, mode: webhook.mode }))
    return refused('InvalidWebhookUrl', 'url and service are missing');
  const payload = payloadSettingsOf(spec.payload);
  if ('fault' in payload) return refused('InvalidSpec', payload.fault);
  const verdict = linksRefusal(payload.settings, offersFiles);
  if (verdict) return { kind: 'settled', verdict };
  const { is_enabled, ...requested } = fromSpec(RECEIVER.fields, spec);
  const wanted = {
    ...requested,
    ...webhook,
    is_enabled: record && isDisabledAsFailing(record) && !isEdited ? false : is_enabled,
    payload: payload.settings,
  };
  return ownedStep<ReceiverNoun>(facts, {
    fixed: { address_id: address?.id },
    notOurs: 'a receiver of another address behind; deleting this resource deletes that receiver',
    requested: {
      ...wanted,
      ...authChange({ auth: null }, auth, true),
      address_id: address?.id ?? '',
      secret_generation: spec.secretGeneration,
    },
    changeOf: (before) => {
      const fields: ReceiverChange = changedFields(before, wanted);
      return { ...fields, ...authChange(before, auth, 'url' in fields) };
    },
    verdictOf,
  });
}

function verdictOf(record: Receiver): Verdict {
  if (isDisabledAsFailing(record))
    return notReady(
      'Failing',
      'disabled: it has accepted nothing for too long; any change of the spec, for example of ' +
        'url, enables it again',
    );
  if (!record.is_enabled)
    return ready('Disabled', 'receives no new email because enabled is false');
  if (record.failing_noticed_at)
    return ready('Failing', `gets the email of the address, but ${failureOf(record)}`);
  return ready('Ready', 'receives the email of the address');
}
