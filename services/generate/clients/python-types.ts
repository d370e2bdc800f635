/** Writes services/clients/python/src/inlet_client/types.py: the types of the API as TypedDicts. */
import type { Schema, TypedDocument } from '../api-types.ts';
import { pascal, wrapped } from '../payload-types/records.ts';
import { type ClientOperation, clientGroups } from './operations.ts';

const HEAD = `"""The types of the REST API, from its OpenAPI document. Generated: do not edit.

Ignore fields that are not here: later versions add some.
"""

from __future__ import annotations

import sys
from typing import Any, Literal

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypeAlias, TypedDict
else:
    from typing_extensions import NotRequired, TypeAlias, TypedDict

VERSION = `;

/** The keywords of Python, in lower case: no field or method can have their names. */
const KEYWORDS = new Set(
  [
    'and as assert async await break class continue def del elif else except finally for from',
    'global if import in is lambda nonlocal not or pass raise return try while with yield',
  ].flatMap((line) => line.split(' ')),
);

export const isIdentifier = (name: string): boolean =>
  /^[a-z_]\w*$/i.test(name) && !KEYWORDS.has(name);

type Field = { name: string; about: string | undefined; type: string };

export function pythonTypesOf(document: TypedDocument): string {
  const { components, info } = document;
  const classes: string[] = [];
  const aliases: string[] = [];

  /** The type as text. An object becomes a class with this name. */
  function typeOf(schema: Schema, name: string): string {
    if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'Any';
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const union = schema.anyOf ?? schema.oneOf;
    if (union) return joined(union.map((one, i) => typeOf(one, unionName(union, one, name, i))));
    const types = [schema.type ?? []].flat();
    if (types.length > 1) return joined(types.map((type) => typeOf({ ...schema, type }, name)));
    return single(types[0], schema, name);
  }

  function single(type: string | undefined, schema: Schema, name: string): string {
    const { items, properties, additionalProperties } = schema;
    if (type === 'array') return `list[${items ? typeOf(items, singular(name)) : 'Any'}]`;
    if (type === 'object') {
      if (properties) return addClass(name, schema);
      const values =
        typeof additionalProperties === 'object' ? typeOf(additionalProperties, name) : 'Any';
      return `dict[str, ${values}]`;
    }
    const simple: Record<string, string> = {
      string: 'str',
      integer: 'int',
      number: 'float',
      boolean: 'bool',
      null: 'None',
    };
    return simple[type ?? ''] ?? 'Any';
  }

  function addClass(name: string, { properties = {}, required = [] }: Schema): string {
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = typeOf(schema, name + pascal(field.replaceAll('-', '_')));
      const isRequired = required.includes(field);
      return { name: field, about: schema.description, type: optional(type, isRequired) };
    });
    classes.push(classText(name, fields));
    return name;
  }

  for (const [name, schema] of Object.entries(components.schemas)) {
    const type = typeOf(schema, name);
    if (type !== name) aliases.push(`${name}: TypeAlias = ${quotedUnion(type)}`);
  }
  for (const { operations } of clientGroups(document))
    for (const operation of operations) {
      const name = fieldsName(operation);
      if (operation.parameters.length === 0 || name === undefined) continue;
      const fields = operation.parameters.map(({ name: field, required, description, schema }) => ({
        name: snake(field),
        about: description,
        type: optional(typeOf(schema, name + pascal(snake(field))), required ?? false),
      }));
      classes.push(classText(name, fields, jsonBody(operation)));
    }
  const blocks = [...classes, aliases.join('\n\n')];
  return `${HEAD}"${info.version}"\n\n\n${blocks.join('\n\n\n')}\n`;
}

/** The TypedDict with the keyword arguments of an operation; undefined when it has none. */
export function fieldsName(operation: ClientOperation): string | undefined {
  if (operation.parameters.length > 0) return `${pascal(snake(operation.id))}Fields`;
  return jsonBody(operation);
}

function jsonBody({ body }: ClientOperation): string | undefined {
  if (body?.mediaType !== 'application/json') return undefined;
  return body.schema.$ref?.split('/').at(-1);
}

const optional = (type: string, isRequired: boolean): string =>
  isRequired ? type : `NotRequired[${type}]`;

function classText(name: string, fields: readonly Field[], base = 'TypedDict'): string {
  const comment = ({ about = '' }: Field, indent: string) =>
    wrapped(about.replaceAll('\n', ' ')).map((line) => `${indent}# ${line}`);
  if (fields.every((field) => isIdentifier(field.name)))
    return [
      `class ${name}(${base}):`,
      ...fields.flatMap((field) => [...comment(field, '    '), `    ${field.name}: ${field.type}`]),
      ...(fields.length === 0 ? ['    pass'] : []),
    ].join('\n');
  return [
    `${name} = TypedDict(  # a name of a field is none of Python, so this is no class`,
    `    "${name}",`,
    '    {',
    ...fields.flatMap((field) => [
      ...comment(field, '        '),
      `        "${field.name}": ${JSON.stringify(field.type)},`,
    ]),
    '    },',
    ')',
  ].join('\n');
}

const literal = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);

/** A union as a text, which is not evaluated: its classes may come later. */
const quotedUnion = (type: string): string =>
  type.startsWith('Literal[') ? type : JSON.stringify(type);

const joined = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** Alternatives that are objects get numbers, unless there is only one. */
function unionName(union: readonly Schema[], one: Schema, name: string, i: number): string {
  const objects = union.filter(({ type }) => type === 'object');
  return objects.length > 1 && one.type === 'object' ? `${name}${i + 1}` : name;
}

const singular = (name: string): string => name.replace(/s$/, 'Item');

export const snake = (name: string): string =>
  name
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replaceAll('-', '_')
    .replaceAll('__', '_')
    .replace(/^_/, '');
