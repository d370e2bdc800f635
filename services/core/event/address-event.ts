/** What the audit trail says about addresses (D15). */
import type { Address, AddressChange } from '../address/address.ts';
import { addressView } from '../address/address-view.ts';
import { fieldsBetween, isEmpty } from '../resource/changed-fields.ts';

/** An event of an address for the audit trail. */
export const addressEvent = (
  type:
    | 'address.created'
    | 'address.updated'
    | 'address.recovered'
    | 'address.resumed'
    | 'address.deleted',
  { id }: Pick<Address, 'id'>,
  data: Record<string, unknown> = {},
) => ({ type, address_id: id, data });

/** The event of a change that ended the silence of the address. */
export const resumed = (
  { silent_since }: Pick<Address, 'silent_since'>,
  after: Pick<Address, 'id' | 'silent_since'>,
) =>
  silent_since && !after.silent_since
    ? [addressEvent('address.resumed', after, { reason: 'changed', silent_since })]
    : [];

export const createdData = ({
  address,
  webhook_url,
  is_permanent,
  expires_at,
  description,
}: Address) => ({
  address,
  webhook_url,
  is_permanent,
  expires_at,
  description,
});

/** What the API shows otherwise after the change, of the fields that it names. */
export function changesBetween(
  before: Address,
  after: Address,
  { payload = {}, ...change }: AddressChange,
  now: Date,
): Record<string, unknown> {
  const [earlier, later] = [addressView(before, false, now), addressView(after, false, now)];
  const settings = fieldsBetween(earlier.payload, later.payload, Object.keys(payload));
  return {
    ...fieldsBetween(earlier, later, Object.keys(change)),
    ...(!isEmpty(settings) && { payload: settings }),
  };
}
