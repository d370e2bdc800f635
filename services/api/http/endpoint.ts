/** What an endpoint is: one definition that the router obeys and the OpenAPI document is made from. */
import { z } from 'zod';

import type { Permission } from '../../core/account/permission.ts';
import type { TokenIdentity } from '../../core/account/token.ts';

/** `/addresses/{address_id}` has the parameter `address_id`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<Rest>
  : unknown;

/** A request after authentication and validation. */
export type Call<Path extends string, Query, Body, Access extends Permission | null> = {
  caller: Access extends null ? undefined : TokenIdentity;
  params: ParamsOf<Path>;
  query: Query;
  body: Body;
  requestId: string;
  /** Root of the API as the request names it. */
  apiUrl: string;
  now: Date;
};

export type Endpoint<
  Path extends string = string,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Response extends z.ZodType = z.ZodType,
  Access extends Permission | null = Permission | null,
> = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to the API root, in OpenAPI's form. */
  path: Path;
  summary: string;
  /** null: no token is needed, the request proves itself by a signed link. */
  permission: Access;
  /** Strict objects: what they do not name is `unknown_field` (D4). Their order is the document order of D4. */
  query: Query;
  body: Body;
  /** Of a success (D1). */
  status: 200 | 201;
  /** What leaves the API is parsed by it: a field that it does not name never does. */
  response: Response;
  handle(call: Call<Path, z.output<Query>, z.output<Body>, Access>): Promise<z.input<Response>>;
};

/** For endpoints without a query or without a body. */
export const nothing = z.strictObject({});

/** Checks a definition against its own schemas, then forgets them: lists hold endpoints of every kind. */
export const defineEndpoint = <
  P extends string,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  R extends z.ZodType,
  A extends Permission | null,
>(
  definition: Endpoint<P, Q, B, R, A>,
): Endpoint => definition;
