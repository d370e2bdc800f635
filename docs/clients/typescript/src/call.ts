/** Calls an operation of the generated table, with the arguments that its type lists. */
import { OPERATIONS, type Operations } from './api.generated.ts';
import { InletError } from './error.ts';
import { createListing, type Page } from './listing.ts';
import type { CallOptions, OperationFacts } from './operation.ts';
import type { ApiRequest, Send } from './transport.ts';

type Fields = Record<string, unknown>;

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
    const { call, body: mediaType, hasQuery = false, headers = [], isKeyed = false } = facts;
    const args = [...given];
    const [method = '', template = ''] = call.split(' ');
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      pathSegment(name, args.shift()),
    );
    const body = mediaType === undefined ? undefined : args.shift();
    const fields = hasQuery ? ((args.shift() ?? {}) as Fields) : {};
    const options = args.shift() as CallOptions | undefined;

    const query = { ...fields };
    const sent: Record<string, string> = {};
    for (const header of headers) {
      const field = header.toLowerCase().replaceAll('-', '_');
      if (query[field] !== undefined) sent[header] = textOf(query[field]);
      delete query[field];
    }
    if (body !== undefined && mediaType !== undefined) sent['content-type'] = mediaType;
    const requestFor = (wanted: Fields): ApiRequest => ({
      method,
      path: withQuery(path, wanted),
      headers: sent,
      ...(body !== undefined && { body: bodyOf(body, mediaType) }),
      isKeyed,
      ...(typeof wanted.timeout === 'number' && { waitSeconds: wanted.timeout }),
      isStream: facts.response === 'stream',
    });
    if (facts.maxItems !== undefined)
      return createListing(query, facts.maxItems, async (wanted) =>
        pageOf(await send(requestFor(wanted), options)),
      );
    return send(requestFor(query), options).then((response) => contentOf(response, facts));
  };

const bodyOf = (body: unknown, mediaType: string | undefined) =>
  mediaType === 'application/json' ? JSON.stringify(body) : (body as string | Uint8Array);

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
