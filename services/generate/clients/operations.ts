/**
 * The operations of the OpenAPI document as the clients in services/clients/ offer them: in groups, with
 * short names. A new operation needs no line here.
 */
import type { Operation, Parameter, Schema, TypedDocument } from '../api-types.ts';

export type ClientOperation = {
  /** Such as `create`, in the group `addresses`. */
  name: string;
  /** Such as `createAddress`. */
  id: string;
  /** Such as `POST /addresses`. */
  call: string;
  about: string;
  /** Names of the parts of the path, in their order. */
  pathParameters: string[];
  /** The parameters of the query, and all headers except Idempotency-Key. */
  parameters: Parameter[];
  body?: { mediaType: string; isRequired: boolean; schema: Schema };
  response: { kind: 'json' | 'text' | 'bytes' | 'stream'; schema?: Schema };
  /** Takes an Idempotency-Key. */
  isKeyed: boolean;
  /** May respond with 204 instead. */
  mayBeEmpty: boolean;
  /** For a list: its items, and the largest page, which is undefined for a list without pages. */
  list?: { item: Schema; maxItems?: number };
};

export type ClientGroup = { name: string; about: string; operations: ClientOperation[] };

type Named = { call: string; operation: Operation };

const KEY_HEADER = 'Idempotency-Key';

export function clientGroups(document: TypedDocument): ClientGroup[] {
  const named: Named[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  return document.tags.flatMap(({ name, description }) => {
    const members = named.filter(({ operation }) => operation.tags[0] === name);
    const nameOf = shortNames(name, members);
    const operations = members.map((one) =>
      clientOperation(one, nameOf(one.operation.operationId), document),
    );
    return operations.length > 0 ? [{ name, about: description, operations }] : [];
  });
}

/** `createAddress` is `create` in the group `addresses`, and `listAddresses` is `list`. */
function shortNames(tag: string, members: readonly Named[]): (id: string) => string {
  const ids = members.map(({ operation }) => operation.operationId);
  const words = capitalized(tag);
  const singulars = [words, ...[/s$/, /es$/].map((end) => words.replace(end, ''))];
  singulars.push(words.replace(/ies$/, 'y'));
  const [noun] = ids
    .map((id) => id.replace(/^[a-z]+/, ''))
    .filter((rest) => singulars.some((one) => rest.endsWith(one)))
    .toSorted((one, other) => one.length - other.length);
  if (noun === undefined) return (id) => id;
  const plurals = [`${noun}s`, `${noun}es`, noun.replace(/y$/, 'ies')];
  const short = (id: string): string => {
    const [verb = ''] = /^[a-z]+/.exec(id) ?? [];
    const rest = id.slice(verb.length);
    const plural = verb === 'list' ? plurals.find((one) => rest.includes(one)) : undefined;
    if (plural !== undefined) return verb + rest.replace(plural, '');
    return new RegExp(`^${noun}(?![a-z])`).test(rest) ? verb + rest.slice(noun.length) : id;
  };
  const shorts = ids.map(short);
  return (id) => (shorts.filter((other) => other === short(id)).length > 1 ? id : short(id));
}

function clientOperation(
  { call, operation }: Named,
  name: string,
  { components }: TypedDocument,
): ClientOperation {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const [responseType = 'application/json', { schema } = {}] =
    Object.entries(success?.content ?? {})[0] ?? [];
  const [bodyType, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const isList = operationId.startsWith('list');
  const listed = schema?.$ref && components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  const item = (listed || schema)?.properties?.data?.items;
  const limit = parameters.find((one) => one.in === 'query' && one.name === 'limit');
  return {
    name,
    id: operationId,
    call,
    about: [`${summary}: \`${call}\``, permissionOf(operation)].filter(Boolean).join('\n\n'),
    pathParameters: Array.from(call.matchAll(/\{(\w+)\}/g), ([, part = '']) => part),
    parameters: parameters.filter((one) => one.in !== 'path' && one.name !== KEY_HEADER),
    ...(body?.schema &&
      bodyType && {
        body: {
          mediaType: bodyType,
          isRequired: requestBody?.required ?? false,
          schema: body.schema,
        },
      }),
    response: { kind: kindOf(responseType), ...(schema && { schema }) },
    isKeyed: parameters.some((one) => one.name === KEY_HEADER),
    mayBeEmpty: '204' in responses,
    ...(isList &&
      item && {
        list: { item, ...(limit?.schema.maximum && { maxItems: limit.schema.maximum }) },
      }),
  };
}

const permissionOf = ({ 'x-permission': permission }: Operation): string =>
  permission === undefined ? '' : `Needs the permission \`${permission}\`.`;

function kindOf(mediaType: string): ClientOperation['response']['kind'] {
  if (mediaType === 'application/json') return 'json';
  if (mediaType === 'text/event-stream') return 'stream';
  return mediaType.startsWith('text/') ? 'text' : 'bytes';
}

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
