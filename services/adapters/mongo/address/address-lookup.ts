/**
 * The two lookups on the path of an email, deleted addresses included: the recipient (gateway) and
 * the webhook target (dispatcher).
 */
import type { Db } from 'mongodb';

import { defaultSettings } from '../../../core/account/account.ts';
import { expectedBy } from '../../../core/address/expectation.ts';
import type { Hook } from '../../../core/hook/hook.ts';
import type { WebhookTarget } from '../../../core/address/address.ts';
import type { Owned } from '../../../core/address/scope.ts';
import { hasNoTarget } from '../../../core/receiver/webhook-mode.ts';
import { SPEC_PAYLOAD } from '../../../core/receiver/payload-settings.ts';
import { ADDRESS_FIELDS } from '../../../core/address/address-fields.ts';
import { rcptProjection } from '../../../core/resource/rcpt.ts';
import { isNotificationId } from '../../../core/delivery/mail-event.ts';
import { isFurtherReceiver } from '../../../core/receiver/receiver.ts';
import { redactedFields, retentionOf } from '../../../core/address/content-settings.ts';
import { FIRST_GENERATION } from '../../../core/reply/reply-key.ts';
import { type Recipient, refusingFields } from '../../../core/address/recipient.ts';
import { createBatches } from '../../async/batches.ts';
import { ACCOUNTS, type StoredAccount } from '../documents/account-documents.ts';
import { ADDRESSES, type StoredAddress, urlOf } from '../documents/address-documents.ts';
import { NOTIFICATIONS, type StoredNotification } from '../documents/owned-documents.ts';
import { BY_ADDRESS, RECEIVERS, type StoredReceiver } from '../documents/receiver-documents.ts';
import { openedAuth } from '../receiver/sealed-auth.ts';
import { openedSecrets, type SealedSecrets, type SecretBox } from '../database/secrets.ts';

/**
 * Finds the current address with this name. Concurrent lookups share one query. It decrypts
 * nothing, because gateways have no keys.
 */
export function createRecipientLookup(db: Db) {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const accounts = db.collection<StoredAccount>(ACCOUNTS);
  const receivers = db.collection<StoredReceiver>(RECEIVERS);
  const projection = {
    account_id: 1,
    environment: 1,
    address: 1,
    is_enabled: 1,
    expires_at: 1,
    deleted_at: 1,
    webhook_url: 1,
    webhook_enabled: 1,
    mode: 1,
    when: 1,
    format: 1,
    payload: 1,
    ...rcptProjection(ADDRESS_FIELDS),
    refuse_infected: 1,
    hook: 1,
    expect: 1,
    expect_since: 1,
    reply_addresses: 1,
    reply_only: 1,
    reply_key_generation: 1,
    former_reply_keys: 1,
    redact: 1,
  };

  const byAddresses = async (keys: readonly string[]): Promise<Map<string, Recipient>> => {
    const stored = await addresses
      .find({ address: { $in: keys }, superseded_by: null }, { projection })
      .toArray();
    if (stored.length === 0) return new Map();
    const current = stored.filter(({ deleted_at }) => deleted_at === null);
    const owners = [...new Set(current.map(({ account_id }) => account_id))];
    // a deleted address takes as long as an unknown one
    const [found, further] =
      current.length === 0
        ? [[], []]
        : await Promise.all([
            accounts
              .find(
                { _id: { $in: owners } },
                {
                  projection: {
                    suspended_at: 1,
                    'settings.redact': 1,
                    'settings.refuse_infected': 1,
                    'settings.rules': 1,
                    'settings.hook': 1,
                    'settings.search_bodies': 1,
                  },
                },
              )
              .toArray(),
            receivers
              .find(
                {
                  address_id: { $in: current.map(({ _id }) => _id) },
                  deleted_at: null,
                  is_enabled: true,
                },
                { projection: { address_id: 1, payload: 1, when: 1, format: 1 }, hint: BY_ADDRESS },
              )
              .toArray(),
          ]);
    const furtherOf = Map.groupBy(further, ({ address_id }) => address_id);
    const owner = new Map(found.map((account) => [account._id, account]));
    const redactOf = (one: Pick<StoredAddress, 'account_id' | 'redact'>) => {
      const redact = redactedFields(one, owner.get(one.account_id)?.settings);
      return redact.length > 0 && { redact };
    };
    return new Map(
      stored.map(
        ({
          _id: id,
          account_id,
          environment,
          address,
          is_enabled,
          expires_at,
          deleted_at,
          payload,
          hook: own,
          redact,
          ...others
        }) => [
          address,
          {
            id,
            account_id,
            environment,
            address,
            is_enabled,
            expires_at,
            deleted_at,
            ...refusingFields(others, owner.get(account_id)?.settings),
            ...hookOf(own ?? owner.get(account_id)?.settings?.hook),
            ...expectsOf(others),
            ...unsentOf(others),
            ...(typeof others.when === 'string' && { when: others.when }),
            ...(others.format && others.format !== 'inlet' && { format: others.format }),
            ...repliesOf(others),
            ...accountRulesOf(owner.get(account_id)),
            ...(owner.get(account_id)?.suspended_at && { is_suspended: true as const }),
            ...(owner.get(account_id)?.settings?.search_bodies && {
              search_bodies: true as const,
            }),
            ...redactOf({ account_id, redact }),
            ...(furtherOf.has(id) && {
              receivers: furtherOf.get(id)?.map(({ _id, when, format, payload: settings }) => ({
                id: _id,
                payload: { ...SPEC_PAYLOAD, ...settings },
                when,
                ...(format && { format }),
              })),
            }),
            ...(payload && { payload: { ...SPEC_PAYLOAD, ...payload } }),
          },
        ],
      ),
    );
  };
  return createBatches<string, Recipient | undefined>(async function recipients(keys) {
    const found = await byAddresses([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  });
}

/** Why no email is sent to the first receiver. */
function unsentOf(
  stored: Pick<StoredAddress, 'webhook_url' | 'webhook_enabled' | 'mode'>,
): Pick<Recipient, 'unsent'> {
  if (hasNoTarget({ webhook_url: urlOf(stored), mode: stored.mode })) return { unsent: 'no_url' };
  return stored.webhook_enabled === false ? { unsent: 'disabled' } : {};
}

const hookOf = (hook: Hook | null | undefined) => hook && { hook };

const expectsOf = (stored: Pick<StoredAddress, 'expect' | 'expect_since'>) => {
  const expects = expectedBy(stored);
  return expects && { expects };
};

const repliesOf = ({
  reply_addresses,
  reply_only: only = false,
  reply_key_generation: generation = FIRST_GENERATION,
  former_reply_keys: former = [],
}: Partial<StoredAddress>): Pick<Recipient, 'replies'> =>
  reply_addresses ? { replies: { only, generation, former } } : {};

const accountRulesOf = (account: Pick<StoredAccount, 'settings'> | undefined) => {
  const account_rules = account?.settings?.rules ?? [];
  return account_rules.length > 0 && { account_rules };
};

/**
 * Finds the webhook URL, the signing secrets, the retry limit and the retention of an address or a
 * further receiver, also when it is deleted (D8), or of a notification.
 */
export function createTargetLookup(db: Db, secrets: SecretBox) {
  const addresses = db.collection<StoredAddress>(ADDRESSES);
  const notifications = db.collection<StoredNotification>(NOTIFICATIONS);
  const receivers = db.collection<StoredReceiver>(RECEIVERS);
  const accounts = db.collection<StoredAccount>(ACCOUNTS);
  /** What each kind of receiver has of its own, and what its address says about its content. */
  const find = async (id: string): Promise<StoredTarget | null> => {
    if (isNotificationId(id)) {
      const found = await notifications.findOne({ _id: id });
      return found && { ...found, address: '', hasContent: false };
    }
    const receiver = isFurtherReceiver(id) ? await receivers.findOne({ _id: id }) : undefined;
    if (receiver === null) return null;
    const address = await addresses.findOne({ _id: receiver?.address_id ?? id });
    if (address === null) return null;
    const { address: name, retention_hours } = address;
    const own = receiver ?? { ...address, url: urlOf(address) };
    return { ...own, address: name, retention_hours, hasContent: true };
  };
  return async function webhookTarget(id: string): Promise<WebhookTarget | undefined> {
    const stored = await find(id);
    if (stored === null) return undefined;
    const { account_id, environment, address, url: webhook_url, mode, format, service } = stored;
    const account = await accounts.findOne(
      { _id: account_id },
      { projection: { 'settings.webhook_retry_attempts': 1, 'settings.retention_hours': 1 } },
    );
    const hours = stored.hasContent ? retentionOf(stored, account?.settings) : undefined;
    const auth = openedAuth(secrets, stored);
    return {
      id,
      account_id,
      environment,
      address,
      webhook_url,
      ...openedSecrets(secrets, stored, id),
      webhook_retry_attempts:
        account?.settings.webhook_retry_attempts ?? defaultSettings.webhook_retry_attempts,
      ...(mode && mode !== 'push' && { mode }),
      ...(format && { format }),
      ...(auth && { auth }),
      ...(service && { service }),
      ...(hours !== undefined && { retention_hours: hours }),
    };
  };
}

type StoredTarget = Owned &
  SealedSecrets &
  Partial<Pick<StoredReceiver, 'mode' | 'format' | 'service' | 'sealed_auth' | 'payload'>> & {
    _id: string;
    /** Empty for a notification. */
    address: string;
    /** null for an address whose email is only read. */
    url: string | null;
    retention_hours?: StoredAddress['retention_hours'];
    /** Whether it gets emails, whose content is stored for a time. */
    hasContent: boolean;
  };
