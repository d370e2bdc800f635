/** Creates, changes and deletes further receivers of addresses, and rotates their secrets. */
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import type { DeliveryLeases } from '../../adapters/mongo/delivery/leases.ts';
import type { Receivers } from '../../adapters/mongo/receiver/receivers.ts';
import { SPEC_PAYLOAD } from '../../core/receiver/payload-settings.ts';
import { receiverAuthView } from '../../core/receiver/receiver-auth.ts';
import { ownedBy, wholeAccount } from '../../core/address/scope.ts';
import { webhookChanges } from '../../core/receiver/webhook-settings.ts';
import { notFound } from '../../core/error/app-error.ts';
import { RECEIVER, type Receiver, type ReceiverNoun } from '../../core/receiver/receiver.ts';
import { newRecord } from '../../core/resource/record.ts';
import type { Announcements } from '../address-directory.ts';
import type { Audit, Cause } from '../audit.ts';
import { type BucketsToName, requireBucket } from '../bucket/bucket-exists.ts';
import { requireWorkingMode } from './receiver-mode.ts';
import { changedMeanwhile, newKeys, refuseOtherOrigin, rotationTo } from './webhook-keys.ts';
import { createOwnedOperations, type OwnedOperations } from '../owned-operations.ts';

/** Waiting deliveries of a removed receiver continue (D8). */
export type ReceiverOperations = OwnedOperations<ReceiverNoun> & {
  /** The former secret or key signs as well for a while (D17). @throws AppError `not_found` */
  rotateSecret(cause: Cause, id: string, generation?: number): Promise<Receiver>;
};

type ReceiverOperationDependencies = {
  addresses: Pick<Addresses, 'find'>;
  receivers: Pick<Receivers, 'insert' | 'findWithAuth' | 'update' | 'rotateSecret' | 'remove'>;
  deliveries: Pick<DeliveryLeases, 'stopLeasing'>;
  buckets?: BucketsToName;
  announcements: Announcements;
  audit: Audit;
};

export function createReceiverOperations({
  addresses,
  receivers,
  deliveries,
  buckets,
  announcements,
  audit,
}: ReceiverOperationDependencies): ReceiverOperations {
  const { saved, ...operations } = createOwnedOperations<ReceiverNoun>(
    {
      resource: RECEIVER,
      store: {
        insert: receivers.insert,
        find: (caller, id) => receivers.findWithAuth(wholeAccount(caller), id),
        remove: (caller, id, now) => receivers.remove(wholeAccount(caller), id, now),
      },
      newRecord: async ({ managed_by, secret_generation, ...requested }, caller, { id, now }) => {
        requireWorkingMode(requested);
        await requireBucket(buckets, caller, requested.payload);
        const { signing = 'hmac', auth, payload, ...fields } = requested;
        const { webhook_secret, ...keys } = newKeys(signing);
        const settings = {
          ...fields,
          ...keys,
          payload: { ...SPEC_PAYLOAD, ...payload },
          auth: receiverAuthView(auth),
        };
        return {
          ...newRecord(RECEIVER.fields, settings, ownedBy(caller), { id, now }),
          deleted_at: null,
          ...(managed_by && { managed_by }),
          ...(secret_generation !== undefined && { secret_generation }),
          webhook_secret,
          ...(auth && { opened_auth: auth }),
        };
      },
      update: async (cause, before, { signing, ...requested }) => {
        const scope = wholeAccount(cause.caller);
        requireWorkingMode({ ...before, ...requested });
        await requireBucket(buckets, cause.caller, requested.payload, before.payload);
        const keepsAuth = requested.url !== undefined && requested.auth === undefined;
        if (keepsAuth) refuseOtherOrigin(before, requested.url ?? null);
        // what was checked must still hold: another request could add authentication meanwhile
        const only = keepsAuth ? { updated_at: before.updated_at } : {};
        const differing = webhookChanges(before, requested);
        const updated = await receivers.update(scope, before.id, differing, cause.now, only);
        if (updated === undefined) throw changedMeanwhile('receiver');
        if (requested.mode === 'push')
          await deliveries.stopLeasing(cause.caller, before.id, cause.now);
        const isResigned = signing !== undefined && signing !== updated.record.signing;
        const rotation = isResigned && rotationTo(signing, cause.now);
        const record = rotation
          ? await receivers.rotateSecret(scope, before.id, rotation, cause.now)
          : updated.record;
        const { auth, ...shown } = updated.isChanged ? differing : {}; // the trail has no secrets
        return (
          record && {
            record,
            changed: {
              ...shown,
              ...(auth !== undefined && { auth: receiverAuthView(auth) }),
              ...(isResigned && { signing }),
            },
          }
        );
      },
      cacheKey: async ({ address_id, ...owned }, now) =>
        (await addresses.find(wholeAccount(owned), address_id, now))?.address ?? '',
      isCachedBefore: true,
    },
    announcements,
    audit,
  );

  return {
    ...operations,

    rotateSecret: async function rotateReceiverSecret(cause, id, generation) {
      announcements.require();
      const scope = wholeAccount(cause.caller);
      const found = await receivers.findWithAuth(scope, id);
      const rotated =
        found &&
        (await receivers.rotateSecret(
          scope,
          id,
          rotationTo(found.signing, cause.now, generation),
          cause.now,
        ));
      if (rotated === undefined) throw notFound('receiver');
      return saved(cause, { record: rotated, changed: { webhook_secret: 'rotated' } });
    },
  };
}
