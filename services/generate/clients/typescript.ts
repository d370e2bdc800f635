/** Writes services/clients/typescript/src/operations.generated.ts: the operations of the API. */
import {
  docComment,
  indented,
  type Parameter,
  typeImport,
  typeOf,
  type TypedDocument,
  usedNames,
} from '../api-types.ts';
import { type ClientOperation, clientGroups } from './operations.ts';

const HEAD = `/**
 * The operations of the REST API, from its OpenAPI document: \`npm run golden\` updates them.
 */
import type { CallOptions, Listing, NoFields, OperationFacts } from './operation.ts';
`;

const JSON_TYPE = 'application/json';

export function typescriptClientOf(document: TypedDocument): string {
  const { components, info } = document;
  const groups = clientGroups(document);
  const types = groups.map(
    ({ name, about, operations }) =>
      `${docComment(about)}${name}: {\n${indented(operations.map(signatureOf).join('\n'))}\n};`,
  );
  const facts = groups.map(
    ({ name, operations }) => `${name}: {\n${indented(operations.map(factsOf).join('\n'))}\n},`,
  );
  const operations = `export type Operations = {\n${indented(types.join('\n'))}\n};\n`;
  const used = usedNames(operations, components.schemas);
  return [
    `${HEAD}${typeImport(used, '../../../core/api/api-types.generated.ts')}`,
    `/** The version of Inlet that this package was made for. */\nexport const VERSION = '${info.version}';\n`,
    operations,
    `type Facts = { [Group in keyof Operations]: Record<keyof Operations[Group], OperationFacts> };\n`,
    `export const OPERATIONS: Facts = {\n${indented(facts.join('\n'))}\n};\n`,
  ].join('\n');
}

/**
 * The ids of the path, the email if it takes one, and always the same two: fields of the body or the
 * query, and options. So a new field changes no argument's place.
 */
function signatureOf(operation: ClientOperation): string {
  const { name, about, pathParameters, parameters, body } = operation;
  const isJson = body?.mediaType === JSON_TYPE;
  const types = [
    ...(isJson ? [typeOf(body.schema)] : []),
    ...(parameters.length > 0 ? [typeOfParameters(parameters)] : []),
  ];
  const isRequired = (isJson && body.isRequired) || parameters.some(({ required }) => required);
  const words = [
    ...pathParameters.map((one) => `${camel(one)}: string`),
    ...(body && !isJson ? ['content: string | Uint8Array'] : []),
    `fields${isRequired ? '' : '?'}: ${types.join(' & ') || 'NoFields'}`,
    'options?: CallOptions',
  ];
  return `${docComment(about)}${name}(${words.join(', ')}): ${resultType(operation)};`;
}

function typeOfParameters(parameters: readonly Parameter[]): string {
  const fields = parameters.map(({ name, required, description, schema }) => {
    const type = typeOf(schema);
    const field = required ? `${snake(name)}: ${type}` : `${snake(name)}?: ${type} | undefined`;
    return `${docComment(description)}${field};`;
  });
  return `{\n${indented(fields.join('\n'))}\n}`;
}

function resultType({ response, list, mayBeEmpty }: ClientOperation): string {
  const type = response.schema ? typeOf(response.schema) : 'unknown';
  if (list) return `Listing<${type}>`;
  const kinds = {
    json: type,
    text: 'string',
    bytes: 'Uint8Array',
    stream: 'ReadableStream<Uint8Array>',
  };
  return `Promise<${kinds[response.kind]}${mayBeEmpty ? ' | undefined' : ''}>`;
}

function factsOf({ name, call, parameters, body, response, isKeyed, list }: ClientOperation) {
  const headers = parameters.filter((one) => one.in === 'header').map((one) => one.name);
  const query = parameters.filter((one) => one.in === 'query').map((one) => one.name);
  const facts = [
    `call: '${call}'`,
    ...(body ? [`body: '${body.mediaType}'`] : []),
    ...(body?.mediaType === JSON_TYPE && query.length > 0
      ? [`query: ['${query.join("', '")}']`]
      : []),
    ...(headers.length > 0 ? [`headers: ['${headers.join("', '")}']`] : []),
    ...(isKeyed ? ['isKeyed: true'] : []),
    ...(response.kind === 'json' ? [] : [`response: '${response.kind}'`]),
    ...(list ? [`maxItems: ${list.maxItems ?? 0}`] : []),
  ];
  return `${name}: { ${facts.join(', ')} },`;
}

/** `Svc-Rcpt-To` is `svc_rcpt_to`, as all fields of the API are written. */
const snake = (name: string): string => name.toLowerCase().replaceAll('-', '_');

const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
