/** Errors of fields say what is allowed, with its limit. */
import { globSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { z } from 'zod';

import { firstIssueText, issueText } from '../../../services/core/error/issue-text.ts';
import { BucketName } from '../../../services/core/bucket/bucket.ts';
import { Labels } from '../../../services/core/address/labels.ts';
import { ReceiverAuth } from '../../../services/core/receiver/receiver-auth.ts';
import { textField } from '../../../services/core/resource/text-field.ts';

test.each<[z.ZodType, unknown, string]>([
  [z.object({ name: z.string() }), {}, 'spec.name is required'],
  [z.object({ name: z.string() }), { name: 7 }, 'spec.name must be a string'],
  [z.object({ count: z.int() }), { count: 1.5 }, 'spec.count must be a whole number'],
  [z.object({ is_on: z.boolean() }), { is_on: 'yes' }, 'spec.is_on must be true or false'],
  [z.int().max(300), 301, 'spec must be at most 300'],
  [z.int().min(5), 4, 'spec must be at least 5'],
  [z.string().min(1), '', 'spec must have at least 1 character'],
  [z.string().max(2), 'abc', 'spec must have at most 2 characters'],
  [z.array(z.int()).max(1), [1, 2], 'spec must have at most 1 item'],
  [z.enum(['live', 'test']), 'prod', 'spec must be one of live, test'],
  [z.literal('tag'), 'tags', 'spec must be tag'],
  [z.strictObject({}), { hook: 1 }, 'spec is not a known field'],
  [textField({ maxChars: 3 }), 'abcd', 'spec must have at most 3 characters'],
  [textField({ maxChars: 3 }), 'a\nb', 'spec must be one line of text, without control characters'],
  [
    BucketName,
    'Logs',
    'spec must be lower-case letters and digits, with single hyphens between them',
  ],
  [Labels, { Team: 'a' }, 'spec.Team has a key that is not allowed: it must be 1 to 63 lower-case'],
  [Labels, { team: '-' }, 'spec.team must be 1 to 63 letters, digits'],
  [ReceiverAuth, { headers: { Host: 'a' } }, 'spec.headers has a header that Inlet sets itself'],
  [
    ReceiverAuth,
    { basic: { username: 'a:b', password: '' } },
    'spec.basic.username must have at most',
  ],
])('%#: %o says %o', (schema, value, text) => {
  const parsed = schema.safeParse(value, { error: issueText });
  expect(parsed.error && firstIssueText(parsed.error, 'spec')).toMatch(
    new RegExp(`^${RegExp.escape(text)}`),
  );
});

test('no message has the value: it may be a secret', () => {
  const schema = z.strictObject({
    a: z.enum(['x']),
    b: z.string().max(2),
    c: z.union([z.int(), z.boolean()]),
    d: z.string().refine(() => false),
  });
  const { error } = schema.safeParse(
    { a: 's3cret', b: 's3cret', c: 's3cret', d: 's3cret' },
    { error: issueText },
  );
  expect(error?.issues).toHaveLength(4);
  expect(error?.issues.map(({ message }) => message).join()).not.toContain('s3cret');
});

test('each pattern of core says in words what it allows', async () => {
  const folder = join(import.meta.dirname, '../../../services/core');
  const files = globSync('**/*.ts', { cwd: folder });
  const schemas = new Map<unknown, string>();
  for (const file of files) {
    const exported = Object.entries((await import(join(folder, file))) as Record<string, unknown>);
    for (const [name, value] of exported) schemasWithin(value, `${file}: ${name}`, schemas);
  }
  const patterns = [...schemas].filter(([schema]) => patternsOf(schema).length > 0);
  expect(patterns.length).toBeGreaterThan(15);
  const wordless = patterns.filter(([schema]) =>
    patternsOf(schema).some(({ error }) => error === undefined),
  );
  expect(wordless.map(([, path]) => path)).toEqual([]);
});

type Check = { _zod: { def: { check: string; format?: string; error?: unknown } } };

const patternsOf = (schema: unknown) =>
  ((schema as z.ZodType)._zod.def.checks ?? [])
    .map((check) => (check as unknown as Check)._zod.def)
    .filter(({ format }) => format === 'regex');

/** Adds all schemas in a value: exported ones, those in tables of fields, and those within schemas. */
function schemasWithin(value: unknown, path: string, found: Map<unknown, string>): void {
  if (typeof value !== 'object' || value === null || found.has(value)) return;
  const isSchema = value instanceof z.ZodType;
  const isTable = Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value);
  if (!isSchema && !isTable) return;
  found.set(value, path);
  const inner = isSchema ? { ...value._zod.def, shape: shapeOf(value) } : value;
  if (!isSchema) found.delete(value);
  for (const [name, one] of Object.entries(inner))
    if (name !== 'checks') schemasWithin(one, `${path}.${name}`, found);
}

const shapeOf = (schema: z.ZodType) => (schema instanceof z.ZodObject ? schema.shape : undefined);
