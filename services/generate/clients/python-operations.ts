/**
 * Writes _operations.py and _async_operations.py of services/clients/python/src/inlet_client: a class for
 * each group of operations.
 */
import type { Schema, TypedDocument } from '../api-types.ts';
import { pascal } from '../payload-types/records.ts';
import { type ClientGroup, type ClientOperation, clientGroups } from './operations.ts';
import { fieldsName, isIdentifier, snake } from './python-types.ts';

type Style = {
  about: string;
  imports: string;
  /** Before `def`, and before a call. */
  def: string;
  call: string;
  caller: string;
  listing: string;
  iterator: string;
};

const SYNC: Style = {
  about: 'The operations of the REST API',
  imports: 'Iterator',
  def: 'def',
  call: '',
  caller: 'Caller',
  listing: 'Listing',
  iterator: 'Iterator[bytes]',
};
const ASYNC: Style = {
  about: 'The operations of the REST API, for asyncio',
  imports: 'AsyncIterator',
  def: 'async def',
  call: 'await ',
  caller: 'AsyncCaller',
  listing: 'AsyncListing',
  iterator: 'AsyncIterator[bytes]',
};

export const pythonOperationsOf = (document: TypedDocument): string =>
  operationsText(document, SYNC);

export const pythonAsyncOperationsOf = (document: TypedDocument): string =>
  operationsText(document, ASYNC);

function operationsText(document: TypedDocument, style: Style): string {
  const groups = clientGroups(document);
  const module = style === SYNC ? '_transport' : '_async_transport';
  const head = `"""${style.about}, from its OpenAPI document. Generated: do not edit."""

from __future__ import annotations

import sys
from collections.abc import ${style.imports}
from typing import cast

if sys.version_info >= (3, 12):
    from typing import Unpack
else:
    from typing_extensions import Unpack

from . import types as t
from .${module} import ${style.caller}, ${style.listing}
from ._request import CallOptions, Operation`;
  const holder = [
    `class Operations:`,
    `    """Groups of operations."""`,
    '',
    `    def __init__(self, caller: ${style.caller}) -> None:`,
    ...groups.map(({ name }) => `        self.${name} = ${pascal(name)}(caller)`),
  ].join('\n');
  return `${[head, ...groups.map((group) => classOf(group, style)), holder].join('\n\n\n')}\n`;
}

function classOf({ name, about, operations }: ClientGroup, style: Style): string {
  const methods = operations.map((operation) => methodOf(operation, style));
  return [
    `class ${pascal(name)}:\n    """${about}."""`,
    `    def __init__(self, caller: ${style.caller}) -> None:\n        self._caller = caller`,
    ...methods,
  ].join('\n\n');
}

function methodOf(operation: ClientOperation, style: Style): string {
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
    operationText(operation),
    `(${pathParameters.map((one) => `${one}, `).join('')})`.replace(', )', ',)'),
    fields === undefined ? '{}' : 'dict(fields)',
    'options',
    ...content,
  ];
  const type = resultType(operation, style);
  const isLater = list !== undefined || response.kind === 'stream';
  const method = list ? 'listing' : response.kind === 'stream' ? 'stream' : 'call';
  const call = `self._caller.${method}(\n            ${given.join(',\n            ')},\n        )`;
  return [
    `    ${isLater ? 'def' : style.def} ${safe(snake(name))}(`,
    `        ${parameters.join(',\n        ')},`,
    `    ) -> ${type}:`,
    `        """${about.replaceAll('\n\n', '\n\n        ')}\n        """`.replace(
      /^(.*[^\n])\n {8}"""$/,
      '$1"""',
    ),
    isLater ? `        return ${call}` : `        return cast("${type}", ${style.call}${call})`,
  ].join('\n');
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

function resultType({ response, list, mayBeEmpty }: ClientOperation, style: Style): string {
  if (list)
    return `${style.listing}[${nameOf(response.schema, 'object')}, ${nameOf(list.item, 'dict[str, object]')}]`;
  const kinds = {
    json: nameOf(response.schema, 'object'),
    text: 'str',
    bytes: 'bytes',
    stream: style.iterator,
  };
  return kinds[response.kind] + (mayBeEmpty ? ' | None' : '');
}

const nameOf = (schema: Schema | undefined, other: string): string =>
  schema?.$ref ? `t.${schema.$ref.split('/').at(-1)}` : other;

const safe = (name: string): string => (isIdentifier(name) ? name : `${name}_`);
