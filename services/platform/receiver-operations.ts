/**
 * Creates, changes and deletes further receivers of addresses and rotates their secrets: first in
 * MongoDB, then announced to gateways and dispatchers, and recorded in the audit trail.
 */
import { randomBytes } from 'node:crypto';

import { SPEC_PAYLOAD } from '../core/address/payload-settings.ts';
import { wholeAccount } from '../core/address/scope.ts';
import { notFound, tooMany } from '../core/app-error.ts';
import { ID_RANDOM_BYTES, newId } from '../core/ids.ts';
import {
  type NewReceiver,
  type Receiver,
  type ReceiverChange,
  RECEIVERS_MAX,
} from '../core/receiver/receiver.ts';
import { receiverAuthView } from '../core/address/receiver-auth.ts';
import { webhookChanges } from '../core/address/webhook-settings.ts';
import type { Receivers } from '../adapters/mongo/receivers/receivers.ts';
import type { Nats } from '../adapters/stream/connection.ts';
import { announcementLost, type ChangedAddress, createAnnouncements } from './address-directory.ts';
import { type BucketsToName, requireBucket } from './bucket-exists.ts';
import { type Audit, auditUpdate, type Cause } from './audit.ts';
import { requireWorkingMode } from './receiver-mode.ts';
import { changedMeanwhile, newKeys, refuseOtherOrigin, rotationTo } from './webhook-keys.ts';

/** The address whose receiver is meant; its text is the key in the caches of gateways. */
export type ReceiverOwner = { id: string; address: string };

export type ReceiverOperations = {
  /** @throws AppError `conflict` when the address has as many as it may have */
  create(cause: Cause, of: ReceiverOwner, asked: NewReceiver): Promise<Receiver>;
  /** @throws AppError `not_found` */
  change(cause: Cause, of: ReceiverOwner, id: string, change: ReceiverChange): Promise<Receiver>;
  /** The former secret or key signs as well for a while (D17). @throws AppError `not_found` */
  rotateSecret(cause: Cause, of: ReceiverOwner, id: string, generation?: number): Promise<Receiver>;
  /** Its waiting deliveries continue (D8). @throws AppError `not_found` */
  remove(cause: Cause, of: ReceiverOwner, id: string): Promise<void>;
};

export type ReceiverParts = {
  receivers: Pick<
    Receivers,
    'insert' | 'find' | 'findWithAuth' | 'update' | 'rotateSecret' | 'remove'
  >;
  buckets?: BucketsToName;
  nats: Nats;
  /** Makes every gateway and dispatcher drop the receiver from its cache. */
  announce: (change: ChangedAddress) => void;
  audit: Audit;
  /** How long a former secret signs in addition to the new one (D17). */
  rotationOverlapMs: number;
};

export function createReceiverOperations({
  receivers,
  buckets,
  nats,
  announce,
  audit,
  rotationOverlapMs,
}: ReceiverParts): ReceiverOperations {
  const { require: requireNats, announced } = createAnnouncements(nats, announce);
  const announcedTo = (id: string, { address }: ReceiverOwner) =>
    announced({ id, address }).catch(announcementLost);

  return {
    create: async function createReceiver(cause, of, { url, payload, managed_by, ...asked }) {
      requireNats();
      requireWorkingMode({ ...asked, url });
      await requireBucket(buckets, cause.caller, payload);
      const {
        description = null,
        is_enabled = true,
        mode = 'push',
        when = null,
        format = 'inlet',
        signing = 'hmac',
        auth = null,
        service = null,
        secret_generation,
      } = asked;
      const receiver: Receiver = {
        id: newId('rcv', cause.now, randomBytes(ID_RANDOM_BYTES)),
        account_id: cause.caller.account_id,
        environment: cause.caller.environment,
        address_id: of.id,
        url,
        description,
        is_enabled,
        payload: { ...SPEC_PAYLOAD, ...payload },
        mode,
        when,
        format,
        ...newKeys(signing),
        auth: receiverAuthView(auth),
        service,
        created_at: cause.now,
        updated_at: cause.now,
        deleted_at: null,
        ...(managed_by && { managed_by }),
        ...(secret_generation !== undefined && { secret_generation }),
      };
      if (!(await receivers.insert(receiver, auth)))
        throw tooMany('further receivers', RECEIVERS_MAX, 'address');
      await announcedTo(receiver.id, of);
      await audit(cause, eventOf('receiver.created', of, receiver, { url, description }));
      return receiver;
    },

    change: async function changeReceiver(cause, of, id, { signing, ...change }) {
      requireNats();
      const scope = scopeOf(cause, of);
      const before = await receivers.findWithAuth(scope, id);
      if (before === undefined) throw notFound('receiver');
      requireWorkingMode({ ...before, ...change });
      await requireBucket(buckets, cause.caller, change.payload, before.payload);
      const keepsAuth = change.url !== undefined && change.auth === undefined;
      if (keepsAuth) refuseOtherOrigin(before, change.url ?? null);
      // what was checked must still hold: another request could add authentication meanwhile
      const only = keepsAuth ? { updated_at: before.updated_at } : {};
      const differing = webhookChanges(before, change);
      const updated = await receivers.update(scope, id, differing, cause.now, only);
      if (updated === undefined) throw changedMeanwhile('receiver');
      const changesSigning = signing !== undefined && signing !== updated.record.signing;
      const rotation = changesSigning && rotationTo(signing, cause.now, rotationOverlapMs);
      const record = rotation
        ? await receivers.rotateSecret(scope, id, rotation, cause.now)
        : updated.record;
      if (record === undefined) throw notFound('receiver');
      await announcedTo(id, of);
      const { auth, ...shown } = updated.isChanged ? differing : {}; // the trail has no secrets
      await auditUpdate(audit, cause, eventOf('receiver.updated', of, record, {}), {
        ...shown,
        ...(auth !== undefined && { auth: receiverAuthView(auth) }),
        ...(changesSigning && { signing }),
      });
      return record;
    },

    rotateSecret: async function rotateReceiverSecret(cause, of, id, generation) {
      requireNats();
      const scope = scopeOf(cause, of);
      const found = await receivers.find(scope, id);
      if (found === undefined) throw notFound('receiver');
      const rotation = rotationTo(found.signing, cause.now, rotationOverlapMs, generation);
      const rotated = await receivers.rotateSecret(scope, id, rotation, cause.now);
      if (rotated === undefined) throw notFound('receiver');
      await announcedTo(id, of);
      const changed = { webhook_secret: 'rotated' };
      await audit(cause, eventOf('receiver.updated', of, rotated, { changed }));
      return rotated;
    },

    remove: async function removeReceiver(cause, of, id) {
      requireNats();
      if (!(await receivers.remove(scopeOf(cause, of), id, cause.now))) throw notFound('receiver');
      await announcedTo(id, of);
      await audit(cause, eventOf('receiver.deleted', of, { id }, {}));
    },
  };
}

const eventOf = (
  type: 'receiver.created' | 'receiver.updated' | 'receiver.deleted',
  of: ReceiverOwner,
  { id }: Pick<Receiver, 'id'>,
  data: object,
) => ({
  type,
  address_id: of.id,
  data: { receiver_id: id, ...data },
});

/** The address was found in the scope of the caller. */
const scopeOf = ({ caller }: Cause, of: ReceiverOwner) => ({
  ...wholeAccount(caller),
  addressId: of.id,
});
