/** The definition of an endpoint. The router and the OpenAPI document are both derived from it. */
import type { IncomingMessage } from 'node:http';

import { z } from 'zod';

import { describeSchema } from '../../core/resource/api-reference.ts';
import type { AppErrorKind } from '../../core/error/app-error.ts';
import type { ViewedPart } from '../../core/event/email-view-event.ts';
import type { Permission } from '../../core/token/permission.ts';
import type { Connection } from './limits/slots.ts';
import type { AccountCaller, AddressCaller } from '../../core/token/token.ts';
import type { Reach } from './reach.ts';
import { RECORDED, type View } from './view.ts';

/** `/addresses/{address_id}` has the parameter `address_id`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<Rest>
  : unknown;

/**
 * What a request needs: a permission; `any` valid token or session; a `session`; or null for no
 * credential at all.
 */
export type Access = Permission | 'any' | 'session' | null;

export type CallerOf<Reached extends Reach> = Reached extends 'limited'
  ? AddressCaller
  : AccountCaller;

/** A request after authentication and validation. */
export type Call<
  Path extends string,
  Query,
  Body,
  Needed extends Access,
  Reached extends Reach = 'account',
> = {
  caller: Needed extends null ? undefined : CallerOf<Reached>;
  params: ParamsOf<Path>;
  query: Query;
  body: Body;
  requestId: string;
  /** Root URL of the API as in the request, such as `http://127.0.0.1:8080/v1`. */
  apiUrl: string;
  now: Date;
  /** The client's connection, to limit what it holds. */
  connection: Connection;
  /** For headers that no schema describes. */
  request: IncomingMessage;
  /** Sets a header of the response. */
  setHeader: (name: string, value: string | string[]) => void;
};

type ServedMedia = {
  mediaType: string;
  schema?: z.ZodType;
  /** The data of each server-sent event. */
  event?: z.ZodType;
};

/** A header that a request may have, for the reference. */
export type HeaderParameter = {
  name: string;
  required: boolean;
  description: string;
  schema: { type: 'string'; minLength?: number };
  example: string;
};

/** A body that is not JSON: `handle` reads it from the request. */
type ReceivedMedia = {
  mediaType: string;
  headers: readonly HeaderParameter[];
  example: string;
};

type Shows<
  Path extends string,
  Query,
  Body,
  Response,
  Needed extends Access,
  Reached extends Reach,
> = {
  part: ViewedPart;
  /** Its event id; undefined for a response that shows none. */
  emailOf(call: Call<Path, Query, Body, Needed, Reached>, response: Response): string | undefined;
};

export type Endpoint<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
  Needed extends Access = Access,
  Reached extends Reach = Reach,
> = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the API root, in OpenAPI notation. */
  path: Path;
  /** Names the function in generated clients, such as `createAddress`. It must never change. */
  operationId: string;
  summary: string;
  permission: Needed;
  /** By default the account: then a token that is limited to addresses gets 404. */
  reach?: Reached;
  /**
   * The session of a member needs no permission: `handle` then concerns only what is the member's own.
   */
  isOpenToMembers?: boolean;
  /** No part of the contract: a minor version may change it (docs/project/compatibility.md). */
  isBeta?: boolean;
  /** Section of the reference; by default the first word of the permission. */
  tag?: string;
  /** For the reference. Without an example of the response, the one of its schema is shown. */
  example?: { request?: z.input<Body>; response?: unknown };
  /** Errors in addition to those that every endpoint of its kind can return. */
  errors?: readonly AppErrorKind[];
  /**
   * Strict objects: an undeclared field is `unknown_field` (D4). Their order is the document order
   * of D4.
   */
  query: Query;
  body: Body;
  /** Largest body; by default 64 KiB (D5). */
  bodyMaxBytes?: number;
  /** The body is these bytes instead of JSON. Then an Idempotency-Key has no effect. */
  receives?: ReceivedMedia;
  /** Status of a success (D1). */
  status: 200 | 201 | 302;
  /** Every response is parsed by it, so that an undeclared field never leaves the API. */
  response: Response;
  /** The request can wait for long. Then a null result is 204, which means this. */
  waits?: string;
  /** A consumer asks it all the time: it counts against limits of its own. */
  isPull?: boolean;
  /** Shows a part of an email: such a response is recorded where the account asks for it (D279). */
  shows?: Shows<Path, z.output<Query>, z.output<Body>, z.input<Response>, Needed, Reached>;
  /** MongoDB may read many records for it. An account has few of these requests in progress. */
  isSearch?: boolean;
  /** The type of the bytes, when the response is a ServedFile; `schema` describes JSON. */
  file?: ServedMedia;
  handle(
    call: Call<Path, z.output<Query>, z.output<Body>, Needed, Reached>,
  ): Promise<z.input<Response>>;
  /**
   * Responds to a repeated request with an Idempotency-Key. Then the first response is not stored:
   * it shows an email, which can be erased in the meantime.
   */
  repeat?(
    call: Call<Path, z.output<Query>, z.output<Body>, Needed, Reached>,
  ): Promise<z.input<Response>>;
};

/** The response of an endpoint with the status 302: where the browser is redirected. */
export const Redirect = z.object({ location: z.string() });

/** The response of every deletion (D3). */
export const Deleted = z.object({ id: z.string(), deleted: z.literal(true) });
describeSchema(Deleted, 'Deleted');

const nothing = z.strictObject({});
type Nothing = typeof nothing;

/** Such as `GET /addresses/{address_id}`. */
type Named = `${Endpoint['method']} /${string}`;
type PathOf<N extends Named> = N extends `${string} ${infer Path}` ? Path : never;

type Optional = 'query' | 'body' | 'status';

/** An endpoint as it is written: the default has neither a query nor a body, and the status 200. */
type Definition<
  N extends Named,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  R extends z.ZodType,
  A extends Access,
  L extends Reach,
> = { call: N } & Omit<Endpoint<PathOf<N>, Q, B, R, A, L>, 'method' | 'path' | Optional> &
  Partial<Pick<Endpoint<PathOf<N>, Q, B, R, A, L>, Optional>>;

/**
 * Type-checks a definition against its own schemas, then widens it, so that a list can contain any
 * endpoint.
 */
export function defineEndpoint<
  N extends Named,
  R extends z.ZodType,
  A extends Access,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodObject = Nothing,
  L extends Reach = 'account',
>({ call, ...definition }: Definition<N, Q, B, R, A, L>): Endpoint {
  const [method, path] = call.split(' ') as [Endpoint['method'], string];
  return { query: nothing, body: nothing, status: 200, method, path, ...definition };
}

/**
 * The same for an endpoint whose response shows a part of an email: `shows` says which one, and the call
 * has the View that reading it needs. `recordingViews` records it before the response is sent.
 */
export const defineEmailEndpoint = <
  N extends Named,
  R extends z.ZodType,
  A extends Access,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodObject = Nothing,
  L extends Reach = 'account',
>(
  definition: Omit<Definition<N, Q, B, R, A, L>, 'handle' | 'shows'> &
    Required<Pick<Definition<N, Q, B, R, A, L>, 'shows'>> & {
      handle(
        call: Call<PathOf<N>, z.output<Q>, z.output<B>, A, L> & { view: View },
      ): Promise<z.input<R>>;
    },
): Endpoint =>
  defineEndpoint<N, R, A, Q, B, L>({
    ...definition,
    handle: (call) => definition.handle({ ...call, view: RECORDED }),
  });
