/**
 * Checks webhooks that a receiver got against the documents of the API about them. A field or header
 * that the documents do not name fails, too, although receivers have to ignore it.
 */
import { expect } from 'vitest';
import { z } from 'zod';

import type { OpenApi, Parameter } from '../../services/api/documentation/document.ts';
import type { Schema } from '../../services/api/documentation/schemas.ts';
import type { Webhook } from './receiver.ts';

type Got = { headers: Webhook['headers']; payload: unknown };
export type WebhookDocuments = {
  openApi: OpenApi;
  payloadSchema: Schema;
  /** @returns what is wrong; empty: the webhook is as documented */
  problems: (kind: 'email' | 'notification', webhook: Got) => string[];
};

/** Headers of HTTP itself, and those of a request body. */
const OF_HTTP = new Set(['host', 'connection', 'content-type', 'content-length']);

/** @param api URL up to /v1 */
export async function webhookDocuments(api: string): Promise<WebhookDocuments> {
  const read = async (name: string) => (await fetch(`${api}/${name}`)).json();
  const openApi = (await read('openapi.json')) as OpenApi;
  const payloadSchema = (await read('payload.schema.json')) as Schema;
  const { schemas } = openApi.components;
  const parsers = new Map<string, z.ZodType>();
  const faults = (name: string, schema: Schema, value: unknown): string[] => {
    const parser = parsers.get(name) ?? parserOf(schema);
    parsers.set(name, parser);
    const { error } = parser.safeParse(value);
    return error ? [`${name}: ${z.prettifyError(error)}`] : [];
  };
  return {
    openApi,
    payloadSchema,
    problems(kind, { headers, payload }) {
      const { parameters = [], requestBody } = webhookOf(openApi, kind);
      const body = requestBody?.content['application/json']?.schema;
      const own = Object.entries(headers).filter(([name]) => !OF_HTTP.has(name));
      return [
        ...faults(`${kind} headers`, headersOf(parameters), Object.fromEntries(own)),
        ...faults(`${kind} in openapi.json`, { ...body, $defs: schemas }, payload),
        ...(kind === 'email' ? faults('payload.schema.json', payloadSchema, payload) : []),
      ];
    },
  };
}

const parserOf = (schema: Schema): z.ZodType =>
  z.fromJSONSchema(
    JSON.parse(
      JSON.stringify(closed(schema)).replaceAll('"#/components/schemas/', '"#/$defs/'),
    ) as Parameters<typeof z.fromJSONSchema>[0],
  );

const WEBHOOKS = { email: 'receiveEmail', notification: 'receiveNotification' };

export function webhookOf({ webhooks }: OpenApi, kind: keyof typeof WEBHOOKS) {
  const name = WEBHOOKS[kind];
  return (webhooks[name] ?? expect.fail(`no webhook ${name}`)).post;
}

const headersOf = (parameters: readonly Parameter[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    parameters.map(({ name, schema }) => [name.toLowerCase(), schema]),
  ),
  required: parameters.filter(({ required }) => required).map(({ name }) => name.toLowerCase()),
});

/** Without further fields. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map((one) => closed<unknown>(one)) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) => [key, closed<unknown>(part)]);
  const isObject = 'properties' in schema && 'type' in schema && schema.type === 'object';
  return {
    ...Object.fromEntries(parts),
    ...(isObject && !('additionalProperties' in schema) && { additionalProperties: false }),
  } as T;
}
