/**
 * Writes _async_operations.py of services/clients/python/src/inlet_client: a class for each group of
 * operations. The package makes _operations.py from it when it is built.
 */
import type { Schema, TypedDocument } from '../api-types.ts';
import { pascal } from '../payload-types/records.ts';
import { type ClientGroup, type ClientOperation, clientGroups } from './operations.ts';
import { fieldsName, isIdentifier, snake } from './python-types.ts';

export function pythonOperationsOf(document: TypedDocument): string {
  const groups = clientGroups(document);
  const head = `"""The operations of the REST API, for asyncio, from its OpenAPI document. Generated: do not edit."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import cast

if sys.version_info >= (3, 12):
    from typing import Unpack
else:
    from typing_extensions import Unpack

from . import types as t
from ._async_transport import AsyncCaller, AsyncListing
from ._request import CallOptions, Operation`;
  const holder = [
    `class Operations:`,
    `    """Groups of operations."""`,
    '',
    `    def __init__(self, caller: AsyncCaller) -> None:`,
    ...groups.map(({ name }) => `        self.${name} = ${pascal(name)}(caller)`),
  ].join('\n');
  return `${[head, ...groups.map(classOf), holder].join('\n\n\n')}\n`;
}

function classOf({ name, about, operations }: ClientGroup): string {
  const methods = operations.map(methodOf);
  return [
    `class ${pascal(name)}:\n    """${about}."""`,
    `    def __init__(self, caller: AsyncCaller) -> None:\n        self._caller = caller`,
    ...methods,
  ].join('\n\n');
}

function methodOf(operation: ClientOperation): string {
  const { name, about, pathParameters, body, list, response } = operation;
  const content = body && body.mediaType !== 'application/json' ? ['content'] : [];
  const fields = fieldsName(operation);
  const words = [
    ...pathParameters.map((one) => `${one}: str`),
    ...content.map((one) => `${one}: bytes | str`),
  ];
  const parameters = [
    'self',
    ...words,
    ...(words.length > 0 ? ['/'] : []),
    '*',
    'options: CallOptions | None = None',
    ...(fields === undefined ? [] : [`**fields: Unpack[t.${fields}]`]),
  ];
  const given = [
    'operation',
    `(${pathParameters.map((one) => `${one}, `).join('')})`.replace(', )', ',)'),
    fields === undefined ? '{}' : 'dict(fields)',
    'options',
    ...content,
  ];
  const type = resultType(operation);
  const isLater = list !== undefined || response.kind === 'stream';
  const method = list ? 'listing' : response.kind === 'stream' ? 'stream' : 'call';
  const call = `self._caller.${method}(${given.join(', ')})`;
  return [
    signature(`${isLater ? 'def' : 'async def'} ${safe(snake(name))}`, parameters, type),
    `        """${about.replaceAll('\n\n', '\n\n        ')}\n        """`.replace(
      /^(.*[^\n])\n {8}"""$/,
      '$1"""',
    ),
    `        operation = ${operationText(operation)}`,
    isLater ? `        return ${call}` : `        return cast("${type}", await ${call})`,
  ].join('\n');
}

const LINE_COLUMNS = 100;

function signature(name: string, parameters: readonly string[], type: string): string {
  const line = `    ${name}(${parameters.join(', ')}) -> ${type}:`;
  return line.length <= LINE_COLUMNS
    ? line
    : `    ${name}(\n        ${parameters.join(', ')}\n    ) -> ${type}:`;
}

/** How the runtime calls it: `_request.Operation`. */
function operationText({ call, parameters, body, isKeyed, response, list }: ClientOperation) {
  const [method = '', path = ''] = call.split(' ');
  const named = (place: string) =>
    parameters.filter((one) => one.in === place).map((one) => `"${one.name}", `);
  const facts = [
    `"${method}"`,
    `"${path}"`,
    ...(body ? [`body="${body.mediaType}"`] : []),
    ...(body?.mediaType === 'application/json' && named('query').length > 0
      ? [`query=(${named('query').join('')})`]
      : []),
    ...(named('header').length > 0 ? [`headers=(${named('header').join('')})`] : []),
    ...(isKeyed ? ['is_keyed=True'] : []),
    ...(response.kind === 'json' ? [] : [`response="${response.kind}"`]),
    ...(list ? [`max_items=${list.maxItems ?? 0}`] : []),
  ];
  return `Operation(${facts.join(', ')})`;
}

function resultType({ response, list, mayBeEmpty }: ClientOperation): string {
  if (list)
    return `AsyncListing[${nameOf(response.schema, 'object')}, ${nameOf(list.item, 'dict[str, object]')}]`;
  const kinds = {
    json: nameOf(response.schema, 'object'),
    text: 'str',
    bytes: 'bytes',
    stream: 'AsyncIterator[bytes]',
  };
  return kinds[response.kind] + (mayBeEmpty ? ' | None' : '');
}

const nameOf = (schema: Schema | undefined, other: string): string =>
  schema?.$ref ? `t.${schema.$ref.split('/').at(-1)}` : other;

const safe = (name: string): string => (isIdentifier(name) ? name : `${name}_`);
