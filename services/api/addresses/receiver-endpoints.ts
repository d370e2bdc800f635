/** The calls on the receivers of an address: its own, and up to ten further ones. */
import { z } from 'zod';

import { ExpressionText } from '../../core/address/rule.ts';
import { EXAMPLE, exampleOf } from '../../core/api-reference.ts';
import type { Addresses } from '../../adapters/mongo/addresses/addresses.ts';
import type { Receivers } from '../../adapters/mongo/receivers/receivers.ts';
import type { Address, WebhookTarget } from '../../core/address/address.ts';
import { type AddressScope, scopeOf } from '../../core/address/scope.ts';
import { refuseManaged } from '../../core/managed-by.ts';
import { AppError, notFound } from '../../core/app-error.ts';
import { ReceiverAuth } from '../../core/address/receiver-auth.ts';
import { isFurtherReceiver, RECEIVERS_MAX } from '../../core/receiver/receiver.ts';
import {
  ownReceiverView,
  ReceiverView,
  receiverView,
  ReceiverWithSecret,
  receiverWithSecret,
} from '../../core/receiver/receiver-view.ts';
import { tokenUrlFault } from '../../core/receiver/token-url.ts';
import { WebhookFormat } from '../../core/address/webhook-format.ts';
import { WebhookSigning } from '../../core/address/webhook-signing.ts';
import { testPayload } from '../../core/webhook/test-payload.ts';
import type { Audit } from '../../platform/audit.ts';
import type { ReceiverOperations } from '../../platform/receiver-operations.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';
import { given } from '../http/input/given.ts';
import { compiledField } from '../http/input/expression-field.ts';
import { invalidField } from '../http/input/validation.ts';
import { type BodySettings, Description, payloadBody, webhookUrl } from './address-bodies.ts';
import { WebhookSecretView, webhookSecretView } from './webhook-secret-endpoint.ts';
import { type TestWebhook, WebhookTestView } from './webhook-tests.ts';

type Parts = BodySettings & {
  operations: ReceiverOperations;
  addresses: Pick<Addresses, 'find'>;
  receivers: Pick<Receivers, 'list' | 'find'>;
  /** URL and signing secrets, including former ones. */
  target: (id: string) => Promise<WebhookTarget | undefined>;
  testWebhook: TestWebhook;
  audit: Audit;
};

const PATH = '/addresses/{address_id}/receivers';
const ONE = `${PATH}/{receiver_id}` as const;
const tag = 'receivers';
const shown = exampleOf(ReceiverView);

export function receiverEndpoints({
  operations,
  addresses,
  receivers,
  target,
  testWebhook,
  audit,
  allowedNetworks,
  offersFiles,
}: Parts): Endpoint[] {
  const fields = {
    description: Description.nullable().optional(),
    is_enabled: z.boolean().optional().describe('false: no new email is sent to it'),
    payload: payloadBody(offersFiles).optional(),
    when: ExpressionText.nullable()
      .optional()
      .describe('filter in CEL: it gets only emails for which this is true; null for all'),
    format: WebhookFormat.optional(),
    signing: WebhookSigning.optional(),
    auth: ReceiverAuth.nullable()
      .optional()
      .describe('how Inlet authenticates to it: replaces the whole; null for not at all'),
  };
  const Url = webhookUrl(allowedNetworks);

  /** The given fields, after a check of the filter and of the token URL. */
  const checked = <T extends CheckedFields>(body: T) => {
    if (typeof body.when === 'string') compiledField('when', body.when);
    const fault = tokenUrlFault(body.auth, allowedNetworks);
    if (fault) throw invalidField('auth.oauth2.token_url', fault);
    return given(body);
  };

  const addressOf = async (scope: AddressScope, id: string, now: Date): Promise<Address> => {
    const address = await addresses.find(scope, id, now);
    if (address === undefined) throw notFound('address');
    return address;
  };
  /** The address, after it is clear that the receiver is not its own. */
  const ownerOf = async (
    scope: AddressScope,
    { address_id, receiver_id }: { address_id: string; receiver_id: string },
    now: Date,
  ): Promise<Address> => {
    const address = await addressOf(scope, address_id, now);
    if (receiver_id === address_id)
      throw new AppError(
        'conflict',
        "This is the address's own receiver: use the calls on the address",
      );
    return address;
  };
  /** The address, after it is clear that the API may change the receiver. */
  const changeable: typeof ownerOf = async (scope, ids, now) => {
    const address = await ownerOf(scope, ids, now);
    refuseManaged('receiver', (await existing(scope, address.id, ids.receiver_id)).managed_by);
    return address;
  };
  const targetOf = async (id: string): Promise<WebhookTarget> => {
    const found = await target(id);
    if (found === undefined) throw notFound('receiver');
    return found;
  };
  const existing = async (scope: AddressScope, addressId: string, id: string) => {
    const found = await receivers.find({ ...scopeOf(scope), addressId }, id);
    if (found === undefined) throw notFound('receiver');
    return found;
  };

  return [
    defineEndpoint({
      method: 'POST',
      path: PATH,
      operationId: 'createReceiver',
      summary: `Create a further receiver of an address; it has ${RECEIVERS_MAX} at most`,
      permission: 'addresses:write',
      reach: 'limited',
      tag,
      example: {
        request: { url: shown.url, description: shown.description, when: 'plus_tag == "billing"' },
        response: { ...exampleOf(ReceiverWithSecret), when: 'plus_tag == "billing"' },
      },
      body: z.strictObject({ url: Url, ...fields }),
      status: 201,
      response: ReceiverWithSecret,
      handle: async ({ params, body, ...cause }) => {
        const address = await addressOf(cause.caller, params.address_id, cause.now);
        const asked = { ...checked(body), url: body.url };
        return receiverWithSecret(await operations.create(cause, address, asked), cause.now);
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: PATH,
      operationId: 'listReceivers',
      summary:
        'List the receivers of an address: its own first, then the further ones, oldest first',
      permission: 'addresses:read',
      reach: 'limited',
      tag,
      response: z.object({ data: z.array(ReceiverView) }),
      handle: async ({ caller, params: { address_id }, now }) => {
        const address = await addressOf(caller, address_id, now);
        const further = await receivers.list({ ...scopeOf(caller), addressId: address_id });
        return {
          data: [ownReceiverView(address, now), ...further.map((one) => receiverView(one, now))],
        };
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: ONE,
      operationId: 'getReceiver',
      summary: 'Get a receiver of an address',
      permission: 'addresses:read',
      reach: 'limited',
      tag,
      response: ReceiverView,
      handle: async ({ caller, params: { address_id, receiver_id }, now }) => {
        const address = await addressOf(caller, address_id, now);
        return receiver_id === address_id
          ? ownReceiverView(address, now)
          : receiverView(await existing(caller, address_id, receiver_id), now);
      },
    }),
    defineEndpoint({
      method: 'PATCH',
      path: ONE,
      operationId: 'updateReceiver',
      summary: 'Change the settings of a receiver',
      permission: 'addresses:write',
      reach: 'limited',
      tag,
      errors: ['conflict'],
      example: {
        request: { is_enabled: false },
        response: { ...shown, is_enabled: false, updated_at: EXAMPLE.now },
      },
      body: z.strictObject({ url: Url.optional(), ...fields }),
      response: ReceiverView,
      handle: async ({ params, body, ...cause }) => {
        const address = await changeable(cause.caller, params, cause.now);
        const changed = await operations.change(cause, address, params.receiver_id, checked(body));
        return receiverView(changed, cause.now);
      },
    }),
    defineEndpoint({
      method: 'DELETE',
      path: ONE,
      operationId: 'deleteReceiver',
      summary: 'Delete a receiver; its waiting deliveries continue',
      permission: 'addresses:write',
      reach: 'limited',
      tag,
      errors: ['conflict'],
      example: { response: { id: shown.id, deleted: true } },
      response: Deleted,
      handle: async ({ params, ...cause }) => {
        const address = await changeable(cause.caller, params, cause.now);
        await operations.remove(cause, address, params.receiver_id);
        return { id: params.receiver_id, deleted: true as const };
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: `${ONE}/secret`,
      operationId: 'getReceiverSecret',
      summary: 'Get the webhook secret of a further receiver; each view is an event',
      permission: 'secrets:read',
      reach: 'limited',
      tag,
      errors: ['conflict'],
      response: WebhookSecretView,
      handle: async ({ params, ...cause }) => {
        const { id: address_id } = await ownerOf(cause.caller, params, cause.now);
        const { id, signing } = await existing(cause.caller, address_id, params.receiver_id);
        if (signing !== 'hmac')
          throw new AppError(
            'conflict',
            'The private key of a receiver is never shown. Its public_key verifies the webhooks',
          );
        const found = await targetOf(id);
        const data = { receiver_id: id };
        await audit(cause, { type: 'receiver.secret_viewed', address_id, data });
        return webhookSecretView(found, cause.now);
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: `${ONE}/rotate-secret`,
      operationId: 'rotateReceiverSecret',
      summary:
        'Rotate the webhook secret; during the overlap, both the old and the new secret sign',
      permission: 'addresses:write',
      reach: 'limited',
      tag,
      errors: ['conflict'],
      response: ReceiverWithSecret,
      handle: async ({ params, ...cause }) => {
        const address = await changeable(cause.caller, params, cause.now);
        const rotated = await operations.rotateSecret(cause, address, params.receiver_id);
        return receiverWithSecret(rotated, cause.now);
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: `${ONE}/test`,
      operationId: 'sendTestToReceiver',
      summary:
        'Send a sample payload now and return the response of the receiver; no delivery is ' +
        'recorded',
      permission: 'addresses:write',
      reach: 'limited',
      tag,
      response: WebhookTestView,
      handle: async ({ caller, params: { address_id, receiver_id }, now }) => {
        const address = await addressOf(caller, address_id, now);
        const isFurther = isFurtherReceiver(receiver_id);
        if (!isFurther && receiver_id !== address_id) throw notFound('receiver');
        const { payload } = isFurther ? await existing(caller, address_id, receiver_id) : address;
        const found = await targetOf(receiver_id);
        return testWebhook(
          found,
          (eventId) => testPayload(address, eventId, now, payload?.extract),
          now,
        );
      },
    }),
  ];
}

type CheckedFields = { when?: string | null | undefined; auth?: ReceiverAuth | null | undefined };
