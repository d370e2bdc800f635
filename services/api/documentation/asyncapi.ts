/**
 * The webhooks as an AsyncAPI 3 document: /v1/asyncapi.json. It is made of the operations that the
 * OpenAPI document has below `webhooks`, so the two say the same.
 *
 * @see https://www.asyncapi.com/docs/reference/specification/v3.0.0
 */
import { NotificationPayload } from '../../core/notification/notification-payload.ts';
import { VERSION } from '../../core/version.ts';
import { WebhookPayload } from '../../core/webhook/payload.ts';
import type { Parameter } from './document.ts';
import { createSchemas, type Schema } from './schemas.ts';
import { notificationOperation, webhookOperation } from './webhook.ts';

const HTTP_BINDING = '0.3.0';

type Webhook = ReturnType<typeof webhookOperation> | ReturnType<typeof notificationOperation>;
type Message = {
  name: string;
  title: string;
  contentType: string;
  correlationId: object;
  headers: Schema;
  payload: Schema;
  examples: object[];
};
export type AsyncApi = {
  asyncapi: string;
  info: object;
  defaultContentType: string;
  channels: Record<string, object>;
  operations: Record<string, object>;
  components: { messages: Record<string, Message>; schemas: Record<string, Schema> };
};

export function asyncApiDocument(): AsyncApi {
  const schemas = createSchemas();
  const email = webhookOperation(schemas.reference(WebhookPayload, 'output', 'WebhookPayload'));
  const notification = notificationOperation(
    schemas.reference(NotificationPayload, 'output', 'NotificationPayload'),
  );
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Webhooks of Inlet',
      version: VERSION,
      description:
        'The requests that Inlet sends to your URLs. Delivery is at least once: the `webhook-id` is ' +
        'the same on every attempt.',
      license: { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      email: channel('email', 'The `webhook_url` of an address, or the `url` of a receiver'),
      notification: channel('notification', 'The `url` of a notification'),
    },
    operations: {
      sendEmail: operation('email', email),
      sendNotification: operation('notification', notification),
    },
    components: {
      messages: {
        email: message('email', email),
        notification: message('notification', notification),
      },
      schemas: Object.fromEntries(
        Object.entries(schemas.components).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ),
    },
  };
}

/** The address is null: users choose the URL. */
const channel = (name: string, description: string) => ({
  address: null,
  description,
  messages: { [name]: { $ref: `#/components/messages/${name}` } },
});

const operation = (name: string, { summary, description }: Webhook) => ({
  action: 'send',
  channel: { $ref: `#/channels/${name}` },
  summary,
  description,
  messages: [{ $ref: `#/channels/${name}/messages/${name}` }],
  bindings: { http: { method: 'POST', bindingVersion: HTTP_BINDING } },
});

function message(name: string, { summary, parameters, requestBody }: Webhook): Message {
  const { schema, examples } = requestBody.content['application/json'];
  const headers = Object.fromEntries(parameters.map((one) => [one.name, one.example]));
  return {
    name,
    title: summary,
    contentType: 'application/json',
    correlationId: {
      description: 'the event_id, the same on every attempt',
      location: '$message.header#/webhook-id',
    },
    headers: headersOf(parameters),
    payload: schema,
    examples: Object.entries(examples).map(([example, { summary: about, value }]) => ({
      name: example,
      summary: about,
      payload: value,
      ...(name === 'email' && { headers }), // signed for this payload
    })),
  };
}

const headersOf = (parameters: readonly Parameter[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { ...schema, description }]),
  ),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});
