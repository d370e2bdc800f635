/** The calls on the receivers of an address: the first one, and up to ten further ones. */
import { z } from 'zod';

import { EXAMPLE, exampleOf } from '../../core/resource/api-reference.ts';
import type { WebhookTarget } from '../../core/address/address.ts';
import { orNotFound } from '../../core/error/app-error.ts';
import { RECEIVER } from '../../core/receiver/receiver.ts';
import {
  ReceiverView,
  receiverView,
  ReceiverWithSecret,
  receiverWithSecret,
} from '../../core/receiver/receiver-view.ts';
import { shapeOf } from '../../core/resource/field.ts';
import { testPayload } from '../../core/webhook/test-payload.ts';
import type { Audit } from '../../platform/audit.ts';
import type { ReceiverOperations } from '../../platform/receiver/receiver-operations.ts';
import { defineEndpoint, Deleted, type Endpoint } from '../http/endpoint.ts';
import { definedFields } from '../http/input/defined-fields.ts';
import { isFirst, type OneReceivers } from './one-receiver.ts';
import {
  PULL_WITH_OTHER_FORMAT,
  type BodySettings,
  payloadBody,
  webhookFields,
  webhookUrl,
} from './webhook-fields.ts';
import {
  refusePrivateKey,
  WebhookSecretView,
  webhookSecretView,
} from './webhook-secret-endpoint.ts';
import { type TestWebhook, WebhookTestView } from './webhook-tests.ts';

type ReceiverEndpointDependencies = BodySettings & {
  /** Operations on further receivers. */
  operations: Pick<ReceiverOperations, 'create'>;
  one: OneReceivers;
  /** URL and signing secrets, including former ones. */
  target: (id: string) => Promise<WebhookTarget | undefined>;
  testWebhook: TestWebhook;
  audit: Audit;
};

const PATH = '/addresses/{address_id}/receivers';
const URL_TEXT =
  'publicly reachable HTTPS URL that receives the webhooks; null for the first receiver, and with the ' +
  'mode pull';
const ONE = `${PATH}/{receiver_id}` as const;
const of = { tag: 'receivers', reach: 'limited' } as const;
const reads = { ...of, permission: 'addresses:read' } as const;
const writes = { ...of, permission: 'addresses:write' } as const;
const shown = exampleOf(ReceiverView);

/** Absent fields pass each of these: a URL that is null or absent, with the mode push or none. */
const WITHOUT_TARGET = { properties: { url: { type: 'null' }, mode: { const: 'push' } } };

export function receiverEndpoints({
  operations,
  one,
  target,
  testWebhook,
  audit,
  allowedNetworks,
  offersFiles,
}: ReceiverEndpointDependencies): Endpoint[] {
  const Url = webhookUrl(allowedNetworks);
  const webhook = {
    ...webhookFields({ allowedNetworks }),
    payload: payloadBody(offersFiles).optional(),
  };

  const targetOf = async (id: string): Promise<WebhookTarget> =>
    orNotFound(await target(id), 'receiver');

  return [
    defineEndpoint({
      call: `POST ${PATH}`,
      operationId: 'createReceiver',
      summary: `Create a further receiver of an address; it has ${RECEIVER.maximum} at most`,
      ...writes,
      example: {
        request: {
          url: String(shown.url),
          description: shown.description,
          when: 'plus_tag == "billing"',
        },
        response: { ...exampleOf(ReceiverWithSecret), when: 'plus_tag == "billing"' },
      },
      body: z
        .strictObject({
          ...shapeOf(RECEIVER.fields, 'create'),
          ...webhook,
          url: Url.nullable()
            .optional()
            .describe(
              'publicly reachable HTTPS URL that receives the webhooks; required with the mode push',
            ),
        })
        .meta({ not: { anyOf: [WITHOUT_TARGET, PULL_WITH_OTHER_FORMAT] } }),
      status: 201,
      response: ReceiverWithSecret,
      handle: async ({ params, body, ...cause }) => {
        const { id: address_id } = await one.addressOf(cause.caller, params.address_id, cause.now);
        const requested = { ...definedFields(body), address_id, url: body.url ?? null };
        return receiverWithSecret(await operations.create(cause, requested), cause.now);
      },
    }),
    defineEndpoint({
      call: `GET ${PATH}`,
      operationId: 'listReceivers',
      summary:
        'List the receivers of an address: the first one, then the further ones, oldest first',
      ...reads,
      response: z.object({ data: z.array(ReceiverView) }),
      handle: async ({ caller, params: { address_id }, now }) => {
        const all = await one.list(caller, address_id, now);
        return { data: all.map((receiver) => receiverView(receiver, now)) };
      },
    }),
    defineEndpoint({
      call: `GET ${ONE}`,
      operationId: 'getReceiver',
      summary: 'Get a receiver of an address',
      ...reads,
      response: ReceiverView,
      handle: async ({ caller, params, now }) =>
        receiverView(await one.find(caller, params, now), now),
    }),
    defineEndpoint({
      call: `PATCH ${ONE}`,
      operationId: 'updateReceiver',
      summary: 'Change the settings of a receiver; those of the first one are those of its address',
      ...writes,
      errors: ['conflict'],
      example: {
        request: { is_enabled: false },
        response: { ...shown, is_enabled: false, updated_at: EXAMPLE.now },
      },
      body: z
        .strictObject({
          ...shapeOf(RECEIVER.fields, 'change'),
          ...webhook,
          url: Url.nullable().optional().describe(URL_TEXT),
        })
        .meta({ not: PULL_WITH_OTHER_FORMAT }),
      response: ReceiverView,
      handle: async ({ params, body, ...cause }) =>
        receiverView(await one.change(cause, params, definedFields(body)), cause.now),
    }),
    defineEndpoint({
      call: `DELETE ${ONE}`,
      operationId: 'deleteReceiver',
      summary: 'Delete a further receiver; its waiting deliveries continue',
      ...writes,
      errors: ['conflict'],
      example: { response: { id: shown.id, deleted: true } },
      response: Deleted,
      handle: async ({ params, ...cause }) => {
        await one.remove(cause, params);
        return { id: params.receiver_id, deleted: true as const };
      },
    }),
    defineEndpoint({
      call: `GET ${ONE}/secret`,
      operationId: 'getReceiverSecret',
      summary: 'Get the webhook secret of a receiver; each view is an event',
      ...of,
      permission: 'secrets:read',
      errors: ['conflict'],
      response: WebhookSecretView,
      handle: async ({ params, ...cause }) => {
        const receiver = await one.find(cause.caller, params, cause.now);
        refusePrivateKey(receiver);
        const found = await targetOf(receiver.id);
        const { address_id } = receiver;
        await audit(
          cause,
          isFirst(params)
            ? { type: 'address.secret_viewed', address_id, data: {} }
            : { type: 'receiver.secret_viewed', address_id, data: { receiver_id: receiver.id } },
        );
        return webhookSecretView(found, cause.now);
      },
    }),
    defineEndpoint({
      call: `POST ${ONE}/rotate-secret`,
      operationId: 'rotateReceiverSecret',
      summary:
        'Rotate the webhook secret; during the overlap, both the old and the new secret sign',
      ...writes,
      errors: ['conflict'],
      response: ReceiverWithSecret,
      handle: async ({ params, ...cause }) => {
        return receiverWithSecret(await one.rotateSecret(cause, params), cause.now);
      },
    }),
    defineEndpoint({
      call: `POST ${ONE}/test`,
      operationId: 'sendTestToReceiver',
      summary:
        'Send a sample payload now and return the response of the receiver; no delivery is ' +
        'recorded',
      ...writes,
      response: WebhookTestView,
      handle: async ({ caller, params, now }) => {
        const address = await one.addressOf(caller, params.address_id, now);
        const { id, payload } = await one.find(caller, params, now);
        const found = await targetOf(id);
        return testWebhook(
          found,
          (eventId) => testPayload(address, eventId, now, payload.extract),
          now,
        );
      },
    }),
  ];
}
