/**
 * Checks every response of the API against its OpenAPI document: the status must be documented and
 * the body must match its schema.
 */
import { z } from 'zod';

import type { OpenApi, Operation, Response } from '../../services/api/documentation/document.ts';
import type { Schema } from '../../services/api/documentation/schemas.ts';

/** @throws when a response does not match the document */
export type CheckAnswer = (
  method: string,
  path: string,
  answer: { status: number; contentType: string | null; body: unknown },
) => void;

const HTTP_LEVEL = [400, 404, 405, 408, 431]; // given before an operation is found

export function createDocumentCheck(document: OpenApi): CheckAnswer {
  const root = document.servers[0]?.url ?? '';
  const operations = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: patternOf(root + path),
        isLiteral: !path.includes('{'),
        operation,
      })),
    )
    .toSorted((one, other) => Number(other.isLiteral) - Number(one.isLiteral));
  const known = new Map<string, z.ZodType>();
  const $defs = document.components.schemas;

  const parserOf = (schema: Schema): z.ZodType => {
    const key = JSON.stringify(schema);
    const parser = known.get(key) ?? z.fromJSONSchema(selfContained({ ...schema, $defs }));
    known.set(key, parser);
    return parser;
  };

  const responseOf = (operation: Operation, status: number): Response | undefined => {
    const response = operation.responses[status];
    return response && '$ref' in response
      ? document.components.responses[response.$ref.split('/').at(-1) ?? '']
      : response;
  };

  return function checkAnswer(method, path, { status, contentType, body }) {
    const requested = path.split(/[?#]/)[0] ?? '';
    const operation = operations.find(
      (one) => one.method === method && one.pattern.test(requested),
    )?.operation;
    const response = operation ? responseOf(operation, status) : undefined;
    if (operation && !response && status !== 304)
      throw new Error(`${method} ${path} answered ${status}, which its document does not know`);
    if (
      !operation &&
      requested.startsWith(`${root}/`) &&
      status >= 400 &&
      !HTTP_LEVEL.includes(status)
    )
      throw new Error(`${method} ${path} is in no document, yet it answered ${status}`);
    const schema = response
      ? response.content?.['application/json']?.schema
      : status >= 400 && requested.startsWith(`${root}/`)
        ? { $ref: '#/components/schemas/Error' }
        : undefined;
    if (schema === undefined || !contentType?.startsWith('application/json')) return;
    const parsed = parserOf(schema).safeParse(body);
    if (!parsed.success)
      throw new Error(
        `${method} ${path} answered ${status} with a body that violates its schema: ` +
          `${z.prettifyError(parsed.error)}\n${JSON.stringify(body)}`,
      );
  };
}

/** zod resolves references only within the schema itself. */
const selfContained = (schema: Schema) =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')) as Parameters<
    typeof z.fromJSONSchema
  >[0];

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
