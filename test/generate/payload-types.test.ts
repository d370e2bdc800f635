/** docs/examples/types/ has the payload of the OpenAPI document as TypeScript, Python and Go. */
import { join } from 'node:path';

import { expect, expectTypeOf, test } from 'vitest';

import type * as generated from '../../docs/examples/types/inlet.ts';
import type { WebhookPayload } from '../../services/core/webhook/payload.ts';
import { CHECKOUT } from '../docs/pages.ts';
import { goOf, pythonOf, typescriptOf } from '../../services/generate/payload-types/languages.ts';
import {
  payloadRecords,
  type Schema,
  wrapped,
} from '../../services/generate/payload-types/records.ts';
import { readOpenApi } from '../support/openapi-files.ts';

type Document = { components: { schemas: Record<string, Schema> } };

test.each([
  ['inlet.ts', typescriptOf],
  ['inlet.py', pythonOf],
  ['inlet.go', goOf],
])('%s equals what the document says; npm run golden updates it', async (file, write) => {
  const { components } = await readOpenApi<Document>();
  const text = write(payloadRecords(components.schemas));
  await expect(text).toMatchFileSnapshot(join(CHECKOUT, 'docs/examples/types', file));
});

test('the TypeScript type is the one that the services use', () => {
  expectTypeOf<generated.WebhookPayload>().toEqualTypeOf<WebhookPayload>(); // tsc checks this
});

test('a long comment is wrapped, and an unknown kind of schema is an error', () => {
  expect(wrapped('')).toEqual([]);
  expect(wrapped(`${'a'.repeat(60)} ${'b'.repeat(60)} c`)).toEqual([
    'a'.repeat(60),
    `${'b'.repeat(60)} c`,
  ]);
  const properties = { odd: { anyOf: [{ type: 'string' }, { type: 'integer' }] } };
  expect(() => payloadRecords({ WebhookPayload: { type: 'object', properties } })).toThrow(
    'PayloadOdd: unknown schema',
  );
});
