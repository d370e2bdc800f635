/** Calls an operation of the generated table, with the arguments that its type lists. */
import { OPERATIONS, type Operations } from './operations.generated.ts';
import { InletError } from './error.ts';
import { createListing, type Page } from './listing.ts';
import type { CallOptions, OperationFacts } from './operation.ts';
import type { ApiRequest, Send } from './transport.ts';

type Fields = Record<string, unknown>;

const JSON_TYPE = 'application/json';

/** Groups of operations, such as `addresses.create`. */
export function createOperations(send: Send): Operations {
  const groups = Object.entries(OPERATIONS).map(([group, operations]) => [
    group,
    Object.fromEntries(
      Object.entries(operations).map(([name, facts]) => [name, createOperation(send, facts)]),
    ),
  ]);
  return Object.fromEntries(groups) as Operations;
}

const createOperation = (send: Send, facts: OperationFacts) =>
  function callOperation(...given: unknown[]): unknown {
    const args = [...given];
    const [method = '', template = ''] = facts.call.split(' ');
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      pathSegment(name, args.shift()),
    );
    const content = facts.body === undefined || facts.body === JSON_TYPE ? undefined : args.shift();
    const fields = (args.shift() ?? {}) as Fields;
    const options = args.shift() as CallOptions | undefined;

    const { query, headers, body } = partsOf(fields, content as string | Uint8Array, facts);
    const requestFor = (wanted: Fields): ApiRequest => ({
      method,
      path: withQuery(path, wanted),
      headers,
      ...(body !== undefined && { body }),
      isKeyed: facts.isKeyed ?? false,
      ...waitOf(wanted),
      isStream: facts.response === 'stream',
    });
    if (facts.maxItems !== undefined)
      return createListing(query, facts.maxItems, async (wanted) =>
        pageOf(await send(requestFor(wanted), options)),
      );
    return send(requestFor(query), options).then((response) => contentOf(response, facts));
  };

/** How long the API waits before it responds. */
function waitOf({ timeout, wait }: Fields): Pick<ApiRequest, 'waitSeconds'> {
  const waitSeconds = timeout ?? wait;
  return typeof waitSeconds === 'number' ? { waitSeconds } : {};
}

/** Divides the fields of a call into what is sent as query, as headers, and as JSON body. */
function partsOf(
  fields: Fields,
  content: string | Uint8Array | undefined,
  { body: mediaType, query: queryNames = [], headers: headerNames = [] }: OperationFacts,
) {
  const rest = { ...fields };
  const headers: Record<string, string> = {};
  if (mediaType !== undefined) headers['content-type'] = mediaType;
  for (const header of headerNames) {
    const field = header.toLowerCase().replaceAll('-', '_');
    if (rest[field] !== undefined) headers[header] = textOf(rest[field]);
    delete rest[field];
  }
  if (mediaType !== JSON_TYPE) return { query: rest, headers, body: content };
  const query: Fields = {};
  for (const name of queryNames) {
    query[name] = rest[name];
    delete rest[name];
  }
  return { query, headers, body: JSON.stringify(rest) };
}

async function contentOf(response: Response, facts: OperationFacts): Promise<unknown> {
  if (facts.response === 'stream') return response.body;
  if (facts.response === 'text') return response.text();
  if (facts.response === 'bytes') return new Uint8Array(await response.arrayBuffer());
  return response.status === 204 ? undefined : jsonOf(response);
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    const { status } = response;
    throw new InletError('unexpected_response', 'The response is not JSON', { status, cause });
  }
}

async function pageOf(response: Response): Promise<Page> {
  const page = (await jsonOf(response)) as Page;
  if (Array.isArray(page?.data)) return page;
  throw new InletError('unexpected_response', 'The response is not a list', {
    status: response.status,
  });
}

/** @throws TypeError for a segment that would lead to another operation */
function pathSegment(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`${name} must be the text of an id`);
  return encodeURIComponent(value);
}

function withQuery(path: string, query: Fields): string {
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(field, textOf(value));
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}

/** A list is separated by commas. */
const textOf = (value: unknown): string =>
  value instanceof Date ? value.toISOString() : String(value);
