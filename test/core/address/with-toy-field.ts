/**
 * Prints what an address has when its table has one more field. It is a process of its own, because
 * all importers share the table.
 */
import { z } from 'zod';

import { ADDRESS_FIELDS } from '../../../services/core/address/address-fields.ts';
import { setting } from '../../../services/core/resource/field-kinds.ts';

const limit = setting(z.int().min(1).max(9), 'toys that it accepts in an hour', 'no limit');
Object.assign(ADDRESS_FIELDS, { toy_limit: { ...limit, atRcpt: true } });

const { AddressRecord } = await import('../../../services/core/address/address.ts');
const { addressWithSecret, AddressView } =
  await import('../../../services/core/address/address-view.ts');
const { storedOptions } = await import('../../../services/core/address/address-options.ts');
const { refusingFields } = await import('../../../services/core/address/recipient.ts');
const { addressBodies } = await import('../../../services/api/address/address-bodies.ts');
const { InboundAddressSpec } = await import('../../../services/core/kube/spec/address-spec.ts');
const { optionsOf } = await import('../../../services/core/kube/address-spec-options.ts');
const { createRecipientLookup } =
  await import('../../../services/adapters/mongo/address/address-lookup.ts');
const { newAddress } = await import('../../support/new-address.ts');

const requested = { toy_limit: 3 } as object;
const { NewAddress, AddressPatch } = addressBodies({
  allowedNetworks: [],
  offersFiles: true,
  canReply: true,
});
const spec = InboundAddressSpec.parse({ accountRef: { name: 'shop' }, toyLimit: 3 });

let projection: unknown;
const collection = () => ({
  find: (_: unknown, options: { projection: unknown }) => {
    projection ??= options.projection;
    return { toArray: async () => [] };
  },
});
await createRecipientLookup({ collection } as never)('a@in.example');

const now = new Date();
const schema = (one: z.ZodType) => z.toJSONSchema(one, { io: 'input', unrepresentable: 'any' });
process.stdout.write(
  JSON.stringify({
    record: AddressRecord.parse({ ...newAddress('https://example.com/'), ...requested }),
    stored: [storedOptions(requested, now), storedOptions({}, now)],
    view: schema(AddressView),
    shown: [
      addressWithSecret(newAddress('https://example.com/', requested), now),
      addressWithSecret(newAddress('https://example.com/'), now),
    ],
    create: schema(NewAddress),
    change: schema(AddressPatch),
    spec: schema(InboundAddressSpec),
    fromSpec: optionsOf(spec),
    projection,
    atRcpt: [refusingFields(requested), refusingFields({ toy_limit: null } as object)],
  }),
);
