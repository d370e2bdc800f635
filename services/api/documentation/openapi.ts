/** The OpenAPI 3.1 document, generated from the endpoint definitions that the router uses. */
import { z } from 'zod';

import type { AppErrorKind } from '../../core/app-error.ts';
import { WebhookPayload } from '../../core/mail/payload.ts';
import { VERSION } from '../../core/version.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { ErrorBody, STATUS } from '../http/errors.ts';
import { KEY_MAX_CHARS } from '../http/idempotency.ts';
import { ServedFile } from '../http/served-file.ts';

export type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  [keyword: string]: unknown;
};
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
};
export type Response = {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema?: Schema }>;
};
export type Operation = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, Response | { $ref: string }>;
};
export type OpenApi = {
  openapi: string;
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, object>>;
  components: {
    securitySchemes: object;
    headers: Record<string, object>;
    responses: Record<string, Response>;
    schemas: Record<string, Schema>;
  };
};

const DESCRIPTION = `Inlet turns email into webhooks.
Every request needs an API token: \`Authorization: Bearer <API_TOKEN>\`.
Live tokens (svc_live_) and test tokens (svc_test_) of an account see separate addresses and events.
Timestamps are ISO 8601 in UTC. Responses may gain new fields: ignore fields that you do not know.`;

const MEANING: Record<AppErrorKind, string> = {
  bad_request: 'The request is not valid HTTP',
  invalid_json: 'The body is not valid JSON in UTF-8',
  unauthorized: 'The API token is missing or not valid',
  forbidden: 'The API token does not have the permission, or the link is invalid or expired',
  https_required: 'The request did not arrive over HTTPS',
  not_found: 'The account has no such resource',
  method_not_allowed: 'The resource does not support this method',
  request_timeout: 'The request was not received in time',
  conflict: 'The request conflicts with the state of the resource',
  payload_too_large: 'The body is larger than 64 KiB',
  unsupported_media_type: 'The body is not application/json, or is compressed',
  validation_failed:
    'A field of the query or the body is invalid: details names the field and the rule',
  rate_limit_exceeded: 'Too many requests: wait retry_after seconds',
  headers_too_large: 'The request headers are too large',
  internal_error: 'Internal error. Quote the request id to support',
  unavailable: 'The service is temporarily unavailable: retry after Retry-After seconds',
};

const LIMIT_HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

const HEADERS: Record<string, object> = {
  'X-Request-Id': {
    description: 'id of the request: the one that the client sent, if it is valid, else a new one',
    schema: { type: 'string' },
  },
  'X-RateLimit-Limit': {
    description: 'limit of the window: of the hour, or of the minute when that limit is exceeded',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'requests left in the window',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'Unix time at which the window ends',
    schema: { type: 'integer' },
  },
  'Retry-After': { description: 'seconds to wait', schema: { type: 'integer' } },
};

/** The request that Inlet sends to receivers. */
const INBOUND_EMAIL = {
  operationId: 'inboundEmail',
  summary: 'An email that an address received, sent to its webhook_url',
  description:
    'Signed in `Svc-Signature` and in the Standard Webhooks headers. New fields may be added: ' +
    'receivers must ignore fields that they do not know.',
  requestBody: {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookPayload' } } },
  },
  responses: {
    '2XX': {
      description:
        'Accepted. 5xx, 429 and connection errors are retried; every other response is final.',
    },
  },
};

export function openApiDocument(endpoints: readonly Endpoint[]): OpenApi {
  const paths: OpenApi['paths'] = {};
  for (const endpoint of endpoints)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operation(endpoint);
  return {
    openapi: '3.1.0',
    info: { title: 'Inlet', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/v1' }],
    paths,
    webhooks: { inboundEmail: { post: INBOUND_EMAIL } },
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'an API token; each operation names the permission that it requires',
        },
      },
      headers: HEADERS,
      responses: Object.fromEntries(
        statuses().map(([status, kinds]) => [
          `error_${status}`,
          errorResponse(Number(status), kinds),
        ]),
      ),
      schemas: { Error: responseSchema(ErrorBody), WebhookPayload: responseSchema(WebhookPayload) },
    },
  };
}

function operation(endpoint: Endpoint): Operation {
  const { method, path, summary, permission, body, status } = endpoint;
  const parameters = parametersOf(endpoint);
  const bodySchema = requestSchema(body);
  const takesBody = Object.keys(body.shape).length > 0;
  return {
    operationId: operationId(method, path),
    tags: [path.split('/')[1] ?? ''],
    summary,
    ...(permission !== null && { description: `Requires the permission \`${permission}\`.` }),
    security: permission === null ? [] : [{ token: [permission] }],
    ...(parameters.length > 0 && { parameters }),
    ...(takesBody && {
      requestBody: {
        required: bodySchema.required !== undefined,
        content: { 'application/json': { schema: bodySchema } },
      },
    }),
    responses: {
      [status]: success(endpoint),
      ...Object.fromEntries(
        errorStatuses(endpoint).map((one) => [
          one,
          { $ref: `#/components/responses/error_${one}` },
        ]),
      ),
    },
  };
}

const operationId = (method: string, path: string): string =>
  method.toLowerCase() +
  path.replaceAll(
    /[/_-]?\{?([a-z]+)\}?/g,
    (_, word: string) => word[0]?.toUpperCase() + word.slice(1),
  );

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'chosen by the client: for 24 hours, a repeated request with the same key receives the ' +
    'first response and has no second effect',
  schema: { type: 'string', minLength: 1, maxLength: KEY_MAX_CHARS, pattern: '^[\\x21-\\x7e]+$' },
};

function parametersOf({ method, path, permission, query }: Endpoint): Parameter[] {
  const schema = requestSchema(query);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): Parameter => ({
    name,
    in: 'path',
    required: true,
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
    ...(method === 'POST' && permission !== null ? [IDEMPOTENCY_KEY] : []),
  ];
}

function success({ permission, response, status }: Endpoint): Response {
  const headers = ['X-Request-Id', ...(permission === null ? [] : LIMIT_HEADERS)];
  return {
    description: status === 201 ? 'Created' : 'Success',
    headers: Object.fromEntries(
      headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content:
      response === ServedFile
        ? { '*/*': {} }
        : { 'application/json': { schema: responseSchema(response) } },
  };
}

/** The possible errors depend on what an endpoint accepts. */
function errorStatuses({ method, path, permission }: Endpoint): number[] {
  const kinds: AppErrorKind[] = ['forbidden', 'validation_failed', 'internal_error', 'unavailable'];
  if (permission !== null) kinds.push('unauthorized', 'rate_limit_exceeded');
  if (path.includes('{')) kinds.push('not_found');
  if (method !== 'GET') kinds.push('conflict');
  if (method === 'POST' || method === 'PATCH')
    kinds.push('invalid_json', 'request_timeout', 'payload_too_large', 'unsupported_media_type');
  return [...new Set(kinds.map((kind) => STATUS[kind]))].toSorted((one, other) => one - other);
}

const statuses = () =>
  Object.entries(Object.groupBy(Object.keys(STATUS) as AppErrorKind[], (kind) => STATUS[kind]));

function errorResponse(status: number, kinds: readonly AppErrorKind[] = []): Response {
  const headers = ['X-Request-Id', ...(status === 429 || status === 503 ? ['Retry-After'] : [])];
  return {
    description: kinds.map((kind) => `${kind}: ${MEANING[kind]}`).join('. '),
    headers: Object.fromEntries(
      headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

const requestSchema = (schema: z.ZodType) =>
  withoutDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema);

/** Responses may gain fields, so additional properties are allowed. */
const responseSchema = (schema: z.ZodType) =>
  withoutDialect(
    z.toJSONSchema(schema, {
      io: 'output',
      override: ({ jsonSchema }) => {
        delete jsonSchema.additionalProperties;
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      },
    }) as Schema,
  );

const withoutDialect = ({ $schema: _dialect, ...schema }: Schema & { $schema?: unknown }): Schema =>
  schema;
