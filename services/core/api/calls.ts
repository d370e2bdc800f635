/**
 * Calls of the REST API by their names, such as `GET /deliveries/{event_id}`, typed by its OpenAPI
 * document. Shared by the dashboard and the command.
 */
import type { Calls } from './api-calls.generated.ts';

type Field<Name extends string, T> = unknown extends T
  ? unknown
  : T extends undefined
    ? unknown
    : { [K in Name]: T };

type Input<Name extends keyof Calls> = Field<'params', Calls[Name]['params']> &
  Field<'body', Calls[Name]['body']> & { query?: Calls[Name]['query']; signal?: AbortSignal };

type AnyInput = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
};

export type Call = <Name extends keyof Calls>(
  name: Name,
  input: Input<Name>,
) => Promise<Calls[Name]['response']>;

/** Resolves with a success. */
export type SendRequest = (
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
) => Promise<Response>;

export const createCall = (send: SendRequest): Call =>
  async function call(name, input) {
    const { params, query, body, signal } = input as AnyInput;
    const [method = '', template = ''] = name.split(' ');
    const response = await send(method, pathOf(template, params, query), body, signal);
    return response.json();
  };

/** @param template such as `/deliveries/{event_id}` */
export function pathOf(
  template: string,
  params: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    encodeURIComponent(params[field] ?? ''),
  );
  const search = new URLSearchParams();
  for (const [field, value] of Object.entries(query))
    if (value !== undefined) search.set(field, String(value));
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}
