/** The OpenAPI 3.1 document, generated from the endpoint definitions that the router uses. */
import { z } from 'zod';

import { exampleOf } from '../../core/resource/api-reference.ts';
import { VERSION } from '../../core/version.ts';
import { NotificationPayload } from '../../core/notification/notification-payload.ts';
import { WebhookPayload } from '../../core/webhook/payload.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { ErrorBody } from '../http/errors.ts';
import { KEY_MAX_CHARS } from '../http/idempotency.ts';
import { needsOneField } from '../http/input/exactly-one.ts';
import { SECURE_COOKIE } from '../http/cookie.ts';
import { curlLine } from './curl-sample.ts';
import type { OpenApi, Operation, Parameter, Response } from './document.ts';
import { errorReferences, errorResponses, LIMIT_HEADERS } from './error-responses.ts';
import { createSchemas, type Schema, type Schemas } from './schemas.ts';
import { PATH_PARAMETERS } from './path-parameters.ts';
import { notificationOperation, webhookOperation } from './webhook.ts';

const DESCRIPTION = [
  'Inlet turns email into webhooks.',
  'Every request needs an API token: `Authorization: Bearer <API_TOKEN>`. Each operation names the ' +
    'permission that its token needs. Live tokens (svc_live_) and test tokens (svc_test_) of an ' +
    'account see separate addresses and events.',
  'By default, a token may make 1,000 requests an hour and 100 a minute. The X-RateLimit headers of ' +
    'each response show what is left. Beyond a limit the response is 429 with `retry_after`.',
  'Timestamps are ISO 8601 in UTC. Responses may gain new fields: ignore fields that you do not know.',
].join('\n\n');

const TAGS = {
  addresses: 'Email addresses, and the webhook URL of each',
  receivers: 'Further webhook URLs of an address',
  lists: 'Senders that rules and filters name',
  domains: 'Your own domains, with the DNS records that they need',
  deliveries: 'Received emails, the attempts to deliver them, replays, and tests of rules',
  refusals: 'Email that Inlet refused, and why',
  stream: 'Events as they happen',
  usage: 'Counters of the billing period, and the audit trail',
  billing: 'The subscription, its costs, and invoices',
  account: 'The account and its settings',
  tokens: 'API tokens',
  members: 'The people of the account, and what each may do',
  notifications: 'URLs that receive events of the account',
  buckets: 'Buckets of your own for raw emails and attachments',
  sessions: 'Signing in to the dashboard',
  files: 'Raw emails and attachments behind signed links',
  webhook: 'The requests that Inlet sends to your webhook URLs',
};

const header = (description: string, type: 'string' | 'integer', example: string | number) => ({
  description,
  schema: { type },
  example,
});

const HEADERS: Record<string, object> = {
  'X-Request-Id': header(
    'id of the request: the one that the client sent, if it is valid, else a new one',
    'string',
    '0199c2b4-6a1e-7d35-9c0f-2f8b1d4e6a70',
  ),
  'X-RateLimit-Limit': header(
    'limit of the window: of the hour, or of the minute when that limit is exceeded',
    'integer',
    1000,
  ),
  'X-RateLimit-Remaining': header('requests left in the window', 'integer', 958),
  'X-RateLimit-Reset': header('Unix time at which the window ends', 'integer', 1_795_248_000),
  'Retry-After': header('seconds to wait', 'integer', 17),
};

export function openApiDocument(endpoints: readonly Endpoint[]): OpenApi {
  const schemas = createSchemas();
  const paths: OpenApi['paths'] = {};
  // A browser opens those that redirect. No client calls them.
  for (const endpoint of endpoints.filter(({ status }) => status !== 302))
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint, schemas);
  schemas.reference(ErrorBody, 'output', 'Error');
  const payload = schemas.reference(WebhookPayload, 'output', 'WebhookPayload');
  const notification = schemas.reference(NotificationPayload, 'output', 'NotificationPayload');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Inlet',
      version: VERSION,
      description: DESCRIPTION,
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/v1', description: 'This API' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: {
      receiveEmail: { post: webhookOperation(payload) },
      receiveNotification: { post: notificationOperation(notification) },
    },
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'an API token; each operation names the permission that it requires',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SECURE_COOKIE,
          description:
            'a session of the dashboard; it may call every operation that its permissions cover',
        },
      },
      headers: HEADERS,
      responses: errorResponses(),
      schemas: Object.fromEntries(
        Object.entries(schemas.components).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ),
    },
  };
}

function operation(endpoint: Endpoint, schemas: Schemas): Operation {
  const { operationId, summary, permission, status, tag } = endpoint;
  const isOpen = permission === null;
  const named = isOpen || permission === 'any' || permission === 'session' ? undefined : permission;
  const parameters = parametersOf(endpoint, schemas);
  const requestBody = requestBodyOf(endpoint, schemas);
  return {
    operationId,
    tags: [tag ?? named?.split(':')[0] ?? 'files'],
    summary,
    description: accessText(endpoint),
    security: isOpen ? [] : [{ [permission === 'session' ? 'session' : 'token']: [] }],
    ...(named && { 'x-permission': named }),
    ...(endpoint.isBeta && { 'x-stability-level': 'beta' }),
    'x-codeSamples': [curlLine(endpoint)],
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      [status]: success(endpoint, schemas),
      ...(endpoint.waits !== undefined && { 204: { description: endpoint.waits } }),
      ...errorReferences(endpoint),
    },
  };
}

const OWN = '; the session of a member needs no permission for tokens of their own';

function accessText({ permission, isOpenToMembers, tag }: Endpoint): string {
  const own = isOpenToMembers ? OWN : '';
  if (permission === 'any') return 'Requires any valid token. Counts against its rate limits.';
  if (permission === 'session') return 'Requires the cookie of a session.';
  if (permission !== null)
    return `Requires the permission \`${permission}\`${own}. Counts against the rate limits of the token.`;
  return tag === undefined
    ? 'Requires no token: the signature of the link is the permission.'
    : 'Requires no token.';
}

function requestBodyOf(
  { operationId, body, receives, example: { request: example } = {} }: Endpoint,
  schemas: Schemas,
): Operation['requestBody'] | undefined {
  if (receives)
    return {
      required: true,
      content: {
        [receives.mediaType]: {
          schema: { type: 'string', format: 'binary' },
          example: receives.example,
        },
      },
    };
  if (Object.keys(body.shape).length === 0) return undefined;
  return {
    required: needsOneField(body) || !body.safeParse({}).success,
    content: {
      'application/json': {
        schema: schemas.reference(body, 'input', `${capitalized(operationId)}Request`),
        ...(example !== undefined && { example }),
      },
    },
  };
}

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'chosen by the client: for 24 hours, a repeated request with the same key receives the ' +
    'first response and has no second effect',
  schema: { type: 'string', minLength: 1, maxLength: KEY_MAX_CHARS, pattern: '^[\\x21-\\x7e]+$' },
  example: 'order-7-address',
};

function parametersOf(
  { method, path, permission, query, receives }: Endpoint,
  schemas: Schemas,
): Parameter[] {
  const schema = schemas.inline(query);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => ({
    name,
    in: 'path',
    required: true,
    ...PATH_PARAMETERS[name],
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(schema.properties ?? {}).map(
    ([name, { description, ...rest }]): Parameter => ({
      name,
      in: 'query',
      required: schema.required?.includes(name) ?? false,
      ...(description !== undefined && { description }),
      schema: rest,
    }),
  );
  return [
    ...inPath,
    ...inQuery,
    ...(receives?.headers.map((one): Parameter => ({ ...one, in: 'header' })) ?? []),
    ...(method === 'POST' && permission !== null && !receives ? [IDEMPOTENCY_KEY] : []),
  ];
}

function success(endpoint: Endpoint, schemas: Schemas): Response {
  const { operationId, permission, response, file, status } = endpoint;
  const headers = ['X-Request-Id', ...(permission === null ? [] : LIMIT_HEADERS)];
  const described = file
    ? file.schema
    : response instanceof z.ZodNullable
      ? (response.unwrap() as z.ZodType)
      : response;
  const schema = described
    ? schemas.reference(described, 'output', `${capitalized(operationId)}Response`)
    : { type: 'string', format: 'binary', ...(file?.event && eventSchema(file.event, schemas)) };
  const example = responseExample(endpoint);
  return {
    description: status === 201 ? 'Created' : 'Success',
    headers: Object.fromEntries(
      headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: {
      [file?.mediaType ?? 'application/json']: {
        schema,
        ...(example !== undefined && { example }),
      },
    },
  };
}

/** The operation's own example, else the one of its schema. A list has the default limit of its query. */
function responseExample({ example, file, query, response }: Endpoint): unknown {
  if (example?.response !== undefined || file) return example?.response;
  const found = exampleOf(response) as { pagination?: object };
  if (found.pagination === undefined) return found;
  const { limit } = query.parse({});
  return { ...found, pagination: { ...found.pagination, limit } };
}

/** A stream of events is text. JSON Schema 2020-12 §8 has keywords for the content of such a text. */
const eventSchema = (event: z.ZodType, schemas: Schemas): Schema => ({
  description: 'server-sent events; the data of each is JSON',
  contentMediaType: 'text/event-stream',
  contentSchema: schemas.reference(event, 'output', 'Event'),
});

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
