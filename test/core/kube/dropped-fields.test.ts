/** Fields of a spec that have no effect. The entries of managers are those of a real API server. */
import { expect, test } from 'vitest';
import { z } from 'zod';

import { KINDS } from '../../../services/core/kube/custom-resource.ts';
import {
  droppedFields,
  droppedMessage,
  type ManagedFields,
} from '../../../services/core/kube/dropped-fields.ts';

const Toy = z.object({
  name: z.string().default('none'),
  labels: z.record(z.string(), z.string()).optional(),
  list: z.array(z.object({ name: z.string() })).optional(),
  below: z.object({ key: z.string() }).optional(),
});
/** As the operator asks; a spec that the schema refuses is told apart before. */
const droppedOf = (schema: z.ZodType, spec: unknown, managed?: ManagedFields[]) =>
  droppedFields(spec, schema.safeParse(spec).data ?? spec, managed);

const claims = (fields: object, subresource?: string) => [
  { ...(subresource && { subresource }), fieldsV1: { 'f:spec': { '.': {}, ...fields } } },
];

test('what the API server dropped is named, also within an object, and once for two managers', () => {
  const managed = [
    ...claims({ 'f:name': {}, 'f:rules': {}, 'f:below': { '.': {}, 'f:key': {}, 'f:deep': {} } }),
    ...claims({ 'f:rules': {} }),
  ];
  expect(droppedOf(Toy, { name: 'a', below: { key: 'b' } }, managed)).toEqual([
    'spec.rules',
    'spec.below.deep',
  ]);
});

test('a whole object that was dropped is one field', () => {
  expect(droppedOf(Toy, {}, claims({ 'f:hook': { '.': {}, 'f:url': {} } }))).toEqual(['spec.hook']);
});

test('what the API server kept, and this version does not know, is named with its place', () => {
  const spec = { name: 'a', list: [{ name: 'b' }, { name: 'c', unless: 'd' }], rules: [] };
  expect(droppedOf(Toy, spec, claims({ 'f:list': {}, 'f:rules': {} }))).toEqual([
    'spec.list[1].unless',
    'spec.rules',
  ]);
});

test.each([
  [
    'a spec that its managers agree with',
    { name: 'a', labels: { b: 'c' } },
    claims({ 'f:name': {}, 'f:labels': { 'f:b': {} } }),
  ],
  ['defaults', {}, claims({})],
  ['what the status has', { name: 'a' }, claims({ 'f:address': {} }, 'status')],
  ['no managers', { name: 'a' }, undefined],
  [
    'items of lists',
    { list: [{ name: 'a' }] },
    claims({ 'f:list': { 'k:{"name":"z"}': { 'f:x': {} } } }),
  ],
  ['null', { name: 'a', below: null }, claims({ 'f:below': { 'f:key': {} } })],
])('nothing is dropped: %s', (_, spec, managed) => {
  expect(droppedOf(Toy, spec, managed)).toEqual([]);
});

test('an address drops nothing', () => {
  const spec = { accountRef: { name: 'a' }, webhookUrl: 'https://a.example', labels: { b: 'c' } };
  expect(droppedOf(KINDS.InboundAddress.spec, spec)).toEqual([]);
});

test('the message names five', () => {
  const paths = Array.from({ length: 7 }, (_, at) => `spec.f${at}`);
  expect(droppedMessage(paths)).toMatch(/^spec\.f0, .*spec\.f4 and 2 more had no effect: /);
});
