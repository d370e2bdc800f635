/**
 * A field that is added to a noun appears wherever the noun does. The noun is a toy, but what makes
 * its documents is what makes those of the product.
 */
import { expect, test } from 'vitest';
import { z } from 'zod';

import { openApiDocument } from '../../../services/api/documentation/openapi.ts';
import { defineEndpoint } from '../../../services/api/http/endpoint.ts';
import { createProgram } from '../../../services/cli/program.ts';
import { type Connected, createCli } from '../../../services/cli/api/cli.ts';
import type { OptionsOf } from '../../../services/cli/resource/options.ts';
import { addResource, type Resource } from '../../../services/cli/resource/resource.ts';
import { changedFields } from '../../../services/core/resource/changed-fields.ts';
import { definitionOf } from '../../../services/core/kube/crd.ts';
import { description } from '../../../services/core/resource/description.ts';
import { type Fields, shapeOf, type ValuesAt } from '../../../services/core/resource/field.ts';
import { fixed, nullable, withDefault } from '../../../services/core/resource/field-kinds.ts';
import {
  eventFields,
  IN_ENVIRONMENT,
  newRecord,
  recordSchema,
} from '../../../services/core/resource/record.ts';
import { fromSpec, specShape } from '../../../services/core/resource/spec.ts';
import { viewOf, viewSchema } from '../../../services/core/resource/view.ts';
import { sectionOf } from '../../../services/generate/custom-resource-reference.ts';
import { terminalOf } from '../../support/inlet-command.ts';

const before = {
  name: { ...fixed(z.string().regex(/^[a-z]+$/), 'name of the toy'), example: 'robot' },
  description: { ...description, example: null },
} as const satisfies Fields;
/** The fields that somebody adds. */
const fields = {
  ...before,
  max_speed: { ...withDefault(z.int().min(1).max(9), 'steps a second', 3), example: 3 },
  paint: { ...nullable(z.string().max(20), 'color of the toy'), inEvents: 'every', example: 'red' },
  is_wound: { ...withDefault(z.boolean(), 'false: it does not move', true), example: true },
} as const satisfies Fields;
type Body = ValuesAt<typeof fields, 'create'> & ValuesAt<typeof fields, 'change'>;

const NOW = new Date('2026-11-20T09:30:00Z');
const OWNER = { account_id: 'acc_1', environment: 'live' } as const;
const record = (requested: Partial<Body>) =>
  newRecord(fields, requested, OWNER, { id: 'toy_1', now: NOW });

test('a record has it with its default, in the order of the table', () => {
  const made = record({ name: 'robot', paint: 'red' });
  expect(Object.entries(made)).toEqual([
    ['id', 'toy_1'],
    ['account_id', 'acc_1'],
    ['environment', 'live'],
    ['name', 'robot'],
    ['description', null],
    ['max_speed', 3],
    ['paint', 'red'],
    ['is_wound', true],
    ['created_at', NOW],
    ['updated_at', NOW],
  ]);
  expect(recordSchema(IN_ENVIRONMENT, fields).parse(made)).toEqual(made);
});

test('a record that was stored under a milder rule is still read', () => {
  const schema = recordSchema(IN_ENVIRONMENT, fields);
  expect(schema.parse(record({ name: 'Robot 7' })).name).toBe('Robot 7');
  expect(() => schema.parse({ ...record({ name: 'robot' }), max_speed: 'fast' })).toThrow(
    'max_speed',
  );
});

test('the API document has it in the view and in both bodies', () => {
  const Toy = viewSchema('Toy', 'toy_1', fields);
  const endpoint = (method: 'POST' | 'PATCH', at: 'create' | 'change') =>
    defineEndpoint({
      call: `${method} /toys`,
      operationId: `${at}Toy`,
      summary: 'A toy',
      permission: 'account:write',
      body: z.strictObject(shapeOf(fields, at)),
      response: Toy,
      handle: async () => viewOf(fields, record({ name: 'robot' })),
    });
  const document = openApiDocument([endpoint('POST', 'create'), endpoint('PATCH', 'change')]);
  const { schemas } = document.components as unknown as {
    schemas: Record<string, { properties: Record<string, object>; required?: string[] }>;
  };
  const fieldsOf = (name: string) => Object.keys(schemas[name]?.properties ?? {});
  expect(fieldsOf('Toy')).toEqual([
    'id',
    ...Object.keys(fields),
    'created_at',
    'updated_at',
    'managed_by',
  ]);
  expect(fieldsOf('CreateToyRequest')).toEqual(Object.keys(fields));
  expect(schemas.CreateToyRequest?.required).toEqual(['name']);
  expect(fieldsOf('ChangeToyRequest')).toEqual(
    Object.keys(fields).filter((field) => field !== 'name'),
  );
  expect(schemas.CreateToyRequest?.properties.max_speed).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 9,
    description: 'steps a second',
  });
});

const KIND = {
  plural: 'toys',
  shortName: 'toy',
  about: 'a toy',
  spec: z.object(specShape(fields)),
  status: z.object({}),
  columns: [],
};

test('the custom resource has it under its name there, and the docs a row of it', () => {
  const { versions } = definitionOf('Toy', KIND).spec as {
    versions: { schema: { openAPIV3Schema: { properties: { spec: object } } } }[];
  };
  expect(versions[0]?.schema.openAPIV3Schema.properties.spec).toMatchObject({
    properties: {
      name: { 'x-kubernetes-validations': [{ message: 'name cannot be changed' }] },
      maxSpeed: { default: 3, minimum: 1, maximum: 9, description: 'steps a second' },
      paint: { type: 'string', maxLength: 20 },
      wound: { type: 'boolean', default: true },
    },
    required: ['name'],
  });
  expect(sectionOf('Toy', KIND)).toContain(
    '| `maxSpeed` | integer | `3` | 1 to 9 | steps a second |',
  );
});

test('what a resource asks for is what its record gets; an event names what differs', () => {
  const spec = KIND.spec.parse({ name: 'robot', paint: 'red' });
  const wanted = fromSpec(fields, spec);
  expect(wanted).toEqual({
    name: 'robot',
    description: null,
    max_speed: 3,
    paint: 'red',
    is_wound: true,
  });
  const made = record({ name: 'robot' });
  expect(changedFields(made, wanted)).toEqual({ paint: 'red' });
  expect(eventFields(fields, made, 'updated')).toEqual({ paint: null });
});

const OPTIONS = {
  name: { argument: '<name>' },
  description: { flags: '--description <text>', about: 'free text' },
  max_speed: {
    flags: '--max-speed <number>',
    about: 'steps a second',
    initial: '3',
    parse: Number,
  },
  paint: { flags: '--paint <color>', about: 'color of the toy' },
  is_wound: { in: 'update', enable: 'let it move', disable: 'stop it' },
} satisfies OptionsOf<Body>;

const { paint: _, ...forgotten } = OPTIONS;
// @ts-expect-error a field without an option does not compile
forgotten satisfies OptionsOf<Body>;

test('the command has an option for it, whose value is in the body', async () => {
  const terminal = terminalOf();
  const program = createProgram(terminal, '0.0.0');
  const calls: unknown[] = [];
  const call = async (name: string, input: object) => {
    calls.push([name, input]);
    return {};
  };
  const connect = async () => ({ api: { call } }) as unknown as Connected;
  const toys = addResource({ ...createCli(program, terminal, '0.0.0'), connect }, {
    path: '/toys',
    name: 'toys',
    about: 'toys',
    one: 'toy',
    options: OPTIONS,
    list: { about: 'list them', columns: [] },
    create: { about: 'make one' },
    show: { about: 'show one' },
    update: { about: 'change one' },
    remove: { about: 'delete one' },
  } as unknown as Resource<'/lists'>);
  const help = (name: string) =>
    toys.commands.find((command) => command.name() === name)?.helpInformation();
  expect(help('create')).toContain('steps a second; default: 3');
  expect(help('create')).not.toContain('--enable');
  expect(help('update')).toContain('--max-speed <number>');
  const run = (...args: string[]) => program.parseAsync(['toys', ...args], { from: 'user' });
  await run('create', 'robot', '--max-speed', '5');
  await run('update', 'toy_1', '--paint', 'red', '--disable');
  expect(calls).toEqual([
    ['POST /toys', { params: {}, body: { name: 'robot', max_speed: 5 } }],
    [
      'PATCH /toys/{toy_id}',
      { params: { toy_id: 'toy_1' }, body: { paint: 'red', is_wound: false } },
    ],
  ]);
  await expect(run('update', 'toy_1', '--enable', '--disable')).rejects.toThrow('exclude');
});
