/** Filters of deliveries by address, which includes all its receivers, and by receiver. */
import type { Receivers } from '../../adapters/mongo/receiver/receivers.ts';
import type { AddressScope } from '../../core/address/scope.ts';
import { RecordId } from '../http/input/record-id.ts';

export const receiverFields = {
  address_id: RecordId.optional().describe('only deliveries of this address, to all its receivers'),
  receiver_id: RecordId.optional().describe(
    'only deliveries to this receiver: rcv_…, or the id of an address for its own',
  ),
};

type ReceiverQuery = { address_id?: string | undefined; receiver_id?: string | undefined };

/** The ids of the receivers that are meant; undefined for all of the account. */
export type ReceiverFilter = (
  scope: AddressScope,
  requested: ReceiverQuery,
) => Promise<string[] | undefined>;

export const createReceiverFilter = (receivers: Pick<Receivers, 'idsOf'>): ReceiverFilter =>
  async function receiverFilter(scope, { address_id, receiver_id }) {
    if (address_id === undefined) return receiver_id === undefined ? undefined : [receiver_id];
    const all = [address_id, ...(await receivers.idsOf(scope, address_id))];
    return receiver_id === undefined ? all : all.filter((id) => id === receiver_id);
  };
