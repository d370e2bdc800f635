/** The next step for an InboundAddress resource: facts in, one step out, until it is settled. */
import { RULE_TEXT } from '../error/app-error.ts';
import {
  type Address,
  type AddressChange,
  isExpired,
  type ManagedAddress,
} from '../address/address.ts';
import { PayloadSettings } from '../receiver/payload-settings.ts';
import { hasNoTarget } from '../receiver/webhook-mode.ts';
import type { Owned } from '../address/scope.ts';
import type { NewAddress } from '../address/address-options.ts';
import type { Hook } from '../hook/hook.ts';
import { checkLocalPart, checkDomainPart } from '../address/address-name.ts';
import { changedFields, isEmpty } from '../resource/changed-fields.ts';
import { expressionFault } from '../expression/expression.ts';
import { optionsOf } from './address-spec-options.ts';
import { repliesRefusal, replyKeyRotation, type ReplyKeyRotation } from './address-replies.ts';
import { failureOf, isDisabledAsFailing } from './failing-receiver.ts';
import { linksRefusal, notReady, ready, type Verdict } from './condition.ts';
import type { InboundAddressSpec, InboundAddressStatus } from './spec/address-spec.ts';
import { payloadSettingsOf } from './spec/payload-spec.ts';
import type { ReferencedAuth } from './spec/receiver-auth-spec.ts';
import { authChange, hookOf, type WantedWebhook, wantedWebhook } from './wanted-webhook.ts';
import { rulesFault } from '../rule/rules-fault.ts';
import { ADDRESS_FIELDS } from '../address/address-fields.ts';
import { withDefaults } from '../resource/record.ts';
import { timestamp } from '../time/timestamp.ts';

export type AddressFacts = {
  spec: InboundAddressSpec;
  /** The namespace of the resource. */
  namespace: string;
  /** What the Secrets of `auth` hold. */
  auth: ReferencedAuth;
  /** Whether the spec has changed since the operator last acted on it. */
  isEdited: boolean;
  status: InboundAddressStatus;
  /** The account of the Account resource; undefined while that is missing or not ready. */
  accountId: string | undefined;
  /** The address that this resource owns. */
  record: ManagedAddress | undefined;
  allowedNetworks: readonly string[];
  offersFiles: boolean;
  /** Whether REPLY_KEYS are configured. */
  canReply: boolean;
  now: Date;
};

export type AddressStep =
  | { kind: 'settled'; verdict: Verdict }
  | {
      kind: 'create';
      scope: Owned;
      requested: NewAddress;
    }
  | { kind: 'restore'; id: string; accountId: string }
  | { kind: 'change'; change: AddressChange }
  | { kind: 'rotate'; generation: number }
  | ({ kind: 'rotateReplyKey' } & ReplyKeyRotation);

type Wanted = {
  facts: AddressFacts;
  webhook: WantedWebhook;
  payload: PayloadSettings;
  hook: Hook | null;
  local_part: string | undefined;
  domain: string | undefined;
};
type Check = (wanted: Wanted) => AddressStep | undefined;

const settled = (verdict: Verdict): AddressStep => ({ kind: 'settled', verdict });

/** An expired address stays expired, even after its record has been deleted (D7). */
const hasExpired: Check = ({ facts: { record, status, now } }) => {
  const expiresAt = record
    ? record.expires_at
    : status.id !== undefined && status.expiresAt !== undefined
      ? new Date(status.expiresAt)
      : null;
  return isExpired({ expires_at: expiresAt }, now)
    ? settled(notReady('Expired', 'the address has expired: Inlet refuses mail to it'))
    : undefined;
};

const linksAreNotOffered: Check = ({ facts: { offersFiles }, payload }) => {
  const refused = linksRefusal(payload, offersFiles);
  return refused && settled(refused);
};

const rulesAreInvalid: Check = ({ facts: { spec } }) => {
  const fault = rulesFault(spec.rules ?? []);
  return fault && settled(notReady('InvalidRules', `rules.${fault.place}: ${fault.message}`));
};

const expectationIsInvalid: Check = ({ facts: { spec } }) => {
  const fault = expressionFault(spec.expect?.when);
  return fault === undefined
    ? undefined
    : settled(notReady('InvalidExpect', `expect.when: ${fault}`));
};

const repliesAreNotOffered: Check = ({ facts: { spec, canReply } }) =>
  spec.replyAddresses && !canReply ? settled(repliesRefusal) : undefined;

const accountIsMissing: Check = ({ facts: { accountId, spec } }) =>
  accountId === undefined
    ? settled(
        notReady(
          'AccountNotReady',
          `the Account ${spec.accountRef.name} does not exist in this namespace, or is not ready`,
        ),
      )
    : undefined;

const recordIsMissing: Check = ({
  facts: { record, status, spec, auth, accountId = '' },
  webhook,
  ...named
}) => {
  if (record !== undefined) return undefined;
  if (status.id !== undefined) return { kind: 'restore', id: status.id, accountId };
  return {
    kind: 'create',
    scope: { account_id: accountId, environment: spec.environment },
    requested: {
      ...named,
      ...webhookFields(webhook),
      ...authChange({ auth: null }, auth, true),
      webhook_enabled: spec.webhookEnabled,
      ...optionsOf(spec),
      is_permanent: spec.permanent,
      ttl_hours: spec.ttlHours,
      secret_generation: spec.secretGeneration,
    },
  };
};

/**
 * These fields are immutable, so the record is of an earlier resource, deleted without its
 * finalizer.
 */
const recordIsOfEarlierResource: Check = ({
  facts: { record, accountId, spec },
  local_part,
  domain,
}) => {
  if (record === undefined) return undefined;
  const [local, domainPart] = record.address.split('@');
  const isOurs =
    record.account_id === accountId &&
    record.environment === spec.environment &&
    (local_part ?? local) === local &&
    (domain === undefined ? record.domain_id === undefined : domain === domainPart);
  return isOurs
    ? undefined
    : settled(
        notReady(
          'NotOurs',
          `an earlier resource of this name left ${record.address} behind, which this spec ` +
            `does not describe; deleting this resource deletes that address`,
        ),
      );
};

const webhookFields = ({ url, ...webhook }: WantedWebhook) => ({ ...webhook, webhook_url: url });

const recordDiffers: Check = ({ facts, webhook, hook, payload }) => {
  const { record, spec, isEdited } = facts;
  if (record === undefined) return undefined;
  const wanted = {
    ...webhookFields(webhook),
    webhook_enabled: spec.webhookEnabled,
    ...optionsOf(spec),
    hook,
    is_enabled: isDisabledAsFailing(record) && !isEdited ? false : spec.enabled,
  };
  const differing = changedFields({ ...record, ...withDefaults(ADDRESS_FIELDS, record) }, wanted);
  const settings = changedFields(PayloadSettings.parse(record.payload ?? {}), payload);
  const change = {
    ...differing,
    ...authChange(record, facts.auth, 'webhook_url' in differing),
    ...(!isEmpty(settings) && { payload: settings }),
  };
  return isEmpty(change) ? undefined : { kind: 'change', change };
};

/**
 * From the record first: if only the status had it, a status that cannot be written would cause a
 * rotation on each retry.
 */
export const secretGenerationOf = ({
  record,
  status,
  spec,
}: Pick<AddressFacts, 'record' | 'status' | 'spec'>): number =>
  record?.secret_generation ?? status.secretGeneration ?? spec.secretGeneration;

const secretIsOutdated: Check = ({ facts }) =>
  facts.spec.secretGeneration > secretGenerationOf(facts)
    ? { kind: 'rotate', generation: facts.spec.secretGeneration }
    : undefined;

const replyKeyIsOutdated: Check = ({ facts: { record, spec } }) => {
  const rotation = replyKeyRotation(spec, record);
  return rotation && { kind: 'rotateReplyKey', ...rotation };
};

const CHECKS: readonly Check[] = [
  hasExpired,
  linksAreNotOffered,
  repliesAreNotOffered,
  rulesAreInvalid,
  expectationIsInvalid,
  accountIsMissing,
  recordIsMissing,
  recordIsOfEarlierResource,
  recordDiffers,
  secretIsOutdated,
  replyKeyIsOutdated,
];

export function addressStep(facts: AddressFacts): AddressStep {
  const { spec } = facts;
  const wanted = wantedWebhook({ ...spec, url: spec.webhookUrl }, facts, 'webhookUrl');
  if ('fault' in wanted) return settled(wanted.fault);
  const local =
    spec.localPart === undefined ? { localPart: undefined } : checkLocalPart(spec.localPart);
  if ('fault' in local)
    return settled(
      notReady(
        'InvalidLocalPart',
        'localPart must be *, or at most 64 bytes of letters, digits and signs such as - and _, ' +
          'with single dots between them',
      ),
    );
  const domainPart =
    spec.domain === undefined ? { domainPart: undefined } : checkDomainPart(spec.domain);
  if ('fault' in domainPart)
    return settled(notReady('InvalidDomain', `domain ${RULE_TEXT[domainPart.fault]}`));
  const payload = payloadSettingsOf(spec.payload);
  if ('fault' in payload) return settled(notReady('InvalidSpec', payload.fault));
  const hook = hookOf(spec.hook, facts.allowedNetworks);
  if ('fault' in hook) return settled(hook.fault);
  for (const check of CHECKS) {
    const step = check({
      facts,
      webhook: wanted.webhook,
      payload: payload.settings,
      hook: hook.hook,
      local_part: local.localPart,
      domain: domainPart.domainPart,
    });
    if (step) return step;
  }
  return settled(verdictOf(facts.record));
}

function verdictOf(record: Address | undefined): Verdict {
  if (record === undefined) return notReady('Missing', 'the address is missing');
  if (isDisabledAsFailing(record))
    return notReady(
      'Failing',
      'disabled: its receiver has accepted nothing for too long; any change of the spec, for ' +
        'example of webhookUrl, enables it again',
    );
  if (!record.is_enabled) return ready('Disabled', 'refuses mail because enabled is false');
  if (record.failing_noticed_at)
    return ready('Failing', `receives mail, but its receiver ${failureOf(record)}`);
  if (record.silent_since)
    return ready(
      'Silent',
      `receives none of the mail that it expects: noticed at ${timestamp(record.silent_since)}`,
    );
  if (hasNoTarget(record))
    return ready('Ready', 'receives mail, which is stored; no webhook is sent: no webhookUrl');
  return ready('Ready', 'receives mail');
}
