/** The five address calls of spec 4.1, secret rotation (D17), and test webhooks. */
import { z } from 'zod';

import { EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import type { AddressOperations } from '../../platform/address/address-operations.ts';
import type { Addresses } from '../../adapters/mongo/address/addresses.ts';
import { type Address, repliesChange, type WebhookTarget } from '../../core/address/address.ts';
import { lifetimeChange } from '../../core/address/lifetime.ts';
import {
  AddressListItem,
  addressListItem,
  AddressView,
  addressView,
  AddressWithSecret,
  addressWithSecret,
} from '../../core/address/address-view.ts';
import { LABEL_LIST } from '../../core/address/labels.ts';
import { may } from '../../core/token/token.ts';
import { orNotFound } from '../../core/error/app-error.ts';
import { refuseManaged } from '../../core/resource/managed-by.ts';
import { testPayload } from '../../core/webhook/test-payload.ts';
import { envelope, envelopeOf, pageQuery } from '../../core/resource/pagination.ts';
import { addressBodies } from './address-bodies.ts';
import { labelsFor, requireLabels } from './address-labels.ts';
import { RECORD_IDS, RECORD_IDS_MAX, RECORD_IDS_TEXT } from '../http/input/record-id.ts';
import { defineEndpoint, type Endpoint } from '../http/endpoint.ts';
import { ownedEndpoints } from '../http/owned-endpoints.ts';
import { definedFields } from '../http/input/defined-fields.ts';
import { textField } from '../../core/resource/text-field.ts';
import { type TestWebhook, WebhookTestView } from '../receiver/webhook-tests.ts';
import { optional } from '../../core/resource/described.ts';

type AddressEndpointDependencies = {
  operations: AddressOperations;
  addresses: Pick<Addresses, 'page' | 'find' | 'managerOf'>;
  testWebhook: TestWebhook;
  /** Webhook URL and signing secrets of an address, including former secrets. */
  target: (addressId: string) => Promise<WebhookTarget | undefined>;
  /** Networks that are not public, but that webhooks may reach. */
  allowedNetworks: readonly string[];
  /** Whether links to files are configured; without them, the payload contains all attachments. */
  offersFiles: boolean;
  /** Whether REPLY_KEYS are configured. */
  canReply: boolean;
};

type Bodies = ReturnType<typeof addressBodies>;
type AddressNoun = {
  Record: Address;
  New: z.output<Bodies['NewAddress']> & { managed_by?: undefined };
  Change: z.output<Bodies['AddressPatch']>;
  View: z.infer<typeof AddressView>;
};

/** A local part of 64 octets, and a domain of 255 (RFC 5321 §4.5.3.1). */
const ADDRESS_MAX_CHARS = 320;
const SEARCH_MAX_CHARS = 100;

export function addressEndpoints({
  operations,
  addresses,
  testWebhook,
  target,
  allowedNetworks,
  offersFiles,
  canReply,
}: AddressEndpointDependencies): Endpoint[] {
  const { NewAddress, AddressPatch } = addressBodies({
    allowedNetworks,
    offersFiles,
    canReply,
  });
  const owned = ownedEndpoints<AddressNoun, 'limited'>({
    resource: { name: 'address' },
    path: '/addresses',
    reach: 'limited',
    read: 'addresses:read',
    write: 'addresses:write',
    find: ({ caller, now }, id) => addresses.find(caller, id, now),
    // a change itself finds that there is none
    requireChangeable: async ({ caller }, id) =>
      refuseManaged('address', await addresses.managerOf(caller, id)),
    operations: {
      create: (cause, requested) => {
        const labels = labelsFor(cause.caller, requested.labels);
        return operations.create(cause, { ...requested, labels });
      },
      change: (cause, id, { is_permanent, ttl_hours, ...fields }) => {
        if (fields.labels) requireLabels(cause.caller, fields.labels);
        return operations.change(cause, id, {
          ...definedFields(fields),
          ...repliesChange(fields),
          ...lifetimeChange({ is_permanent, ttl_hours }, cause.now),
        });
      },
      remove: (cause, id) => operations.remove(cause, id),
    },
    view: AddressView,
    shown: (address, { caller, now }) => addressView(address, may(caller, 'secrets:read'), now),
    made: {
      view: AddressWithSecret,
      shown: (address, { now }) => addressWithSecret(address, now),
    },
  });

  return [
    owned.create({
      operationId: 'createAddress',
      summary: 'Create an address',
      example: {
        request: {
          local_part: 'orders',
          webhook_url: EXAMPLE.webhook_url,
          description: 'Orders of the web shop',
        },
        response: { ...exampleOf(AddressWithSecret), email_count: 0 },
      },
      errors: ['not_found'], // for a token that is limited to address_ids
      body: NewAddress,
    }),
    defineEndpoint({
      call: 'GET /addresses',
      operationId: 'listAddresses',
      isSearch: true,
      summary: 'List addresses, newest first',
      permission: 'addresses:read',
      reach: 'limited',
      query: z.strictObject({
        ...pageQuery({ maxLimit: 100, defaultLimit: 50 }), // spec section 8
        is_enabled: optional(z.boolean(), 'only enabled (true) or only disabled (false) addresses'),
        is_permanent: z
          .boolean()
          .optional()
          .describe('only permanent (true) or only expiring (false) addresses'),
        is_failing: optional(z.boolean(), 'only failing (true) or only other (false) addresses'),
        has_failed: optional(
          z.boolean(),
          'only addresses with a failing_since (true): their last attempt failed; or only ' +
            'others (false)',
        ),
        labels: optional(
          z.string().regex(LABEL_LIST, 'must be labels such as team=shop,stage=test'),
          'only addresses with all these labels, such as team=shop,stage=test',
        ),
        search: textField({ minChars: 1, maxChars: SEARCH_MAX_CHARS })
          .optional()
          .describe('only addresses with this text in the address or its description'),
        include: z
          .enum(['description'])
          .optional()
          .describe('also the description and the mode of each address'),
        ids: optional(
          z.string().regex(RECORD_IDS, RECORD_IDS_TEXT),
          `only addresses with these ids, separated by commas; ${RECORD_IDS_MAX} at most`,
        ),
        address: optional(
          z.string().min(1).max(ADDRESS_MAX_CHARS),
          'only this address, such as `orders@in.example.com`',
        ),
      }),
      response: envelopeOf(AddressListItem),
      handle: async ({ caller, query, now }) => {
        const { limit, offset, ids, labels, address, include, ...fields } = query;
        const filter = {
          ...fields,
          ids: ids?.split(','),
          labels: labels?.split(','),
          address: address?.toLowerCase(),
        };
        const { items, total } = await addresses.page(caller, filter, { limit, offset }, now);
        return envelope(
          items.map((item) => ({
            ...addressListItem(item, now),
            ...(include === 'description' && {
              description: item.description,
              mode: item.mode ?? 'push',
            }),
          })),
          total,
          { limit, offset },
        );
      },
    }),
    owned.get({
      operationId: 'getAddress',
      summary: 'Get an address; with secrets:read, it has the webhook secret',
    }),
    owned.change({
      operationId: 'updateAddress',
      summary:
        'Change an address: where its webhooks go and how, what it accepts, its lifetime or its ' +
        'enabled state',
      errors: ['conflict'],
      example: {
        request: { is_enabled: false },
        response: { ...exampleOf(AddressView), is_enabled: false, updated_at: EXAMPLE.now },
      },
      body: AddressPatch,
    }),
    defineEndpoint({
      call: 'POST /addresses/{address_id}/rotate-secret',
      operationId: 'rotateWebhookSecret',
      summary:
        'Rotate the webhook secret; during the overlap, both the old and the new secret sign',
      permission: 'addresses:write',
      reach: 'limited',
      example: { response: { ...exampleOf(AddressWithSecret), updated_at: EXAMPLE.now } },
      response: AddressWithSecret,
      handle: async (call) => {
        await owned.requireChangeable(call);
        const address = await operations.rotateSecret(call, call.params.address_id);
        return addressWithSecret(address, call.now);
      },
    }),
    defineEndpoint({
      call: 'POST /addresses/{address_id}/test',
      operationId: 'sendTestWebhook',
      summary:
        'Send a sample payload now and return the response of the receiver; no delivery is ' +
        'recorded',
      permission: 'addresses:write',
      reach: 'limited',
      response: WebhookTestView,
      handle: async ({ caller, params: { address_id: id }, now }) => {
        const address = await addresses.find(caller, id, now);
        const found = orNotFound(address && (await target(id)), 'address');
        const extract = address?.payload?.extract;
        const sample = { ...found, reply_addresses: address?.reply_addresses };
        return testWebhook(found, (eventId) => testPayload(sample, eventId, now, extract), now);
      },
    }),
    owned.remove({ operationId: 'deleteAddress', summary: 'Delete an address permanently' }),
  ];
}
