/** The next step for an InboundReceiver resource: facts in, one step out, until it is settled. */
import { type Address } from '../address/address.ts';
import { changedFields, isEmpty } from '../changed-fields.ts';
import type {
  ManagedReceiver,
  NewReceiver,
  Receiver,
  ReceiverChange,
} from '../receiver/receiver.ts';
import { isDisabledAsFailing } from './address-resource.ts';
import { hasNoTarget } from '../webhook-mode.ts';
import { linksRefusal, notReady, ready, type Verdict } from './condition.ts';
import type { ReferencedAuth } from './spec/receiver-auth-spec.ts';
import type { InboundReceiverSpec } from './spec/receiver-spec.ts';
import { payloadSettingsOf } from './spec/payload-spec.ts';
import { authChange, wantedWebhook } from './wanted-webhook.ts';

export type ReceiverFacts = {
  spec: InboundReceiverSpec;
  /** The namespace of the resource. */
  namespace: string;
  /** Whether the spec has changed since the operator last acted on it. */
  isEdited: boolean;
  /** The address of the InboundAddress resource; undefined while that is missing or not ready. */
  address: Address | undefined;
  /** The receiver that this resource owns. */
  record: ManagedReceiver | undefined;
  auth: ReferencedAuth;
  allowedNetworks: readonly string[];
  offersFiles: boolean;
};

export type ReceiverStep =
  | { kind: 'settled'; verdict: Verdict }
  | { kind: 'create'; address: Address; asked: NewReceiver }
  | { kind: 'change'; address: Address; change: ReceiverChange }
  | { kind: 'rotate'; address: Address; generation: number };

const settled = (verdict: Verdict): ReceiverStep => ({ kind: 'settled', verdict });

export function receiverStep({
  spec,
  namespace,
  auth,
  isEdited,
  address,
  record,
  allowedNetworks,
  offersFiles,
}: ReceiverFacts): ReceiverStep {
  const found = wantedWebhook(spec, { namespace, auth, allowedNetworks }, 'url');
  if ('fault' in found) return settled(found.fault);
  const { url, ...webhook } = found.webhook;
  if (hasNoTarget({ webhook_url: url, mode: webhook.mode }))
    return settled(notReady('InvalidWebhookUrl', 'url and service are missing'));
  const payload = payloadSettingsOf(spec.payload);
  if ('fault' in payload) return settled(notReady('InvalidSpec', payload.fault));
  const refused = linksRefusal(payload.settings, offersFiles);
  if (refused) return settled(refused);
  if (address === undefined)
    return settled(
      notReady(
        'AddressNotReady',
        `the InboundAddress ${spec.addressRef.name} does not exist in this namespace, or is not ready`,
      ),
    );
  const wanted = {
    ...webhook,
    url,
    description: spec.description ?? null,
    is_enabled: record && isDisabledAsFailing(record) && !isEdited ? false : spec.enabled,
    payload: payload.settings,
  };
  if (record === undefined)
    return {
      kind: 'create',
      address,
      asked: {
        ...wanted,
        ...authChange({ auth: null }, auth, true),
        secret_generation: spec.secretGeneration,
      },
    };
  if (record.address_id !== address.id)
    return settled(
      notReady(
        'NotOurs',
        'an earlier resource of this name left a receiver of another address behind; deleting ' +
          'this resource deletes that receiver',
      ),
    );
  const fields: ReceiverChange = changedFields(record, wanted);
  const change = { ...fields, ...authChange(record, auth, 'url' in fields) };
  if (!isEmpty(change)) return { kind: 'change', address, change };
  if (spec.secretGeneration > (record.secret_generation ?? spec.secretGeneration))
    return { kind: 'rotate', address, generation: spec.secretGeneration };
  return settled(verdictOf(record));
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
    return ready('Failing', 'gets the email of the address, but has accepted nothing for too long');
  return ready('Ready', 'receives the email of the address');
}
