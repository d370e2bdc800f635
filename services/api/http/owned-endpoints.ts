/**
 * The calls that every noun of an account has: list, create, get, change and delete. A noun gives its
 * names, texts and schemas. What a Kubernetes resource owns, the API does not change.
 */
import { z } from 'zod';

import type { AccountScope } from '../../core/address/scope.ts';
import { exampleOf } from '../../core/resource/api-reference.ts';
import { notFound } from '../../core/error/app-error.ts';
import { type ManagedBy, refuseManaged } from '../../core/resource/managed-by.ts';
import type { Resource } from '../../core/resource/resource.ts';
import type { Permission } from '../../core/token/permission.ts';
import type { AccountCaller } from '../../core/token/token.ts';
import type { Cause } from '../../platform/audit.ts';
import { defineEndpoint, Deleted, type Endpoint } from './endpoint.ts';

type Texts = Pick<Endpoint, 'operationId' | 'summary'> &
  Partial<Pick<Endpoint, 'errors' | 'bodyMaxBytes'>>;
type WithBody<B extends z.ZodObject> = Texts & {
  body: B;
  example?: { request?: z.input<B>; response?: unknown };
};

type OwnedNoun<
  Listed,
  R extends { managed_by?: ManagedBy | undefined },
  Made,
  View extends z.ZodType,
  MadeView extends z.ZodType,
  New extends z.ZodObject,
  Change extends z.ZodObject,
> = {
  resource: Pick<Resource, 'name' | 'title'>;
  path: string;
  tag: string;
  read: Permission;
  write: Permission;
  store: {
    list: (scope: AccountScope) => Promise<Listed[]>;
    find: (scope: AccountScope, id: string) => Promise<R | undefined>;
  };
  operations: {
    create: (cause: Cause, requested: z.output<New>) => Promise<Made>;
    change: (cause: Cause, id: string, change: z.output<Change>) => Promise<R>;
    remove: (cause: Cause, id: string) => Promise<void>;
  };
  view: View;
  listed: (record: Listed) => z.input<View>;
  shown: (record: R) => z.input<View>;
  /** What only the response of the creation has, such as a secret. */
  made: { view: MadeView; shown: (record: Made) => z.input<MadeView> };
  /** Refuses callers that may change none. */
  refuse?: (caller: AccountCaller) => void;
  list: Texts;
  create: WithBody<New>;
  get: Texts;
  change: WithBody<Change>;
  remove: Texts;
};

export function ownedEndpoints<
  Listed,
  R extends { managed_by?: ManagedBy | undefined },
  Made,
  View extends z.ZodType<{ id: string }>,
  MadeView extends z.ZodType,
  New extends z.ZodObject,
  Change extends z.ZodObject,
>(noun: OwnedNoun<Listed, R, Made, View, MadeView, New, Change>) {
  const { resource, path, tag, store, operations, view, listed, shown, made } = noun;
  const { name, title = name } = resource;
  const { refuse = () => undefined } = noun;
  const one = `${path}/{${name}_id}`;
  const idIn = (params: unknown) => String((params as Record<string, string>)[`${name}_id`]);
  const reading = { method: 'GET', permission: noun.read, tag } as const;
  const writing = { permission: noun.write, tag } as const;

  const existing = async (scope: AccountScope, id: string): Promise<R> => {
    const record = await store.find(scope, id);
    if (record === undefined) throw notFound(title);
    return record;
  };
  /** @throws AppError `forbidden`, `not_found`; `conflict` when a Kubernetes resource owns it */
  const requireChangeable = async (caller: AccountCaller, id: string): Promise<void> => {
    refuse(caller);
    refuseManaged(title, (await existing(caller, id)).managed_by);
  };

  return {
    existing,
    requireChangeable,

    list: defineEndpoint({
      ...reading,
      ...noun.list,
      path,
      response: z.object({ data: z.array(view) }),
      handle: async ({ caller }) => ({ data: (await store.list(caller)).map(listed) }),
    }),
    create: defineEndpoint({
      ...writing,
      ...noun.create,
      method: 'POST',
      path,
      status: 201,
      response: made.view,
      handle: async ({ body, ...cause }) => {
        refuse(cause.caller);
        return made.shown(await operations.create(cause, body));
      },
    }),
    get: defineEndpoint({
      ...reading,
      ...noun.get,
      path: one,
      response: view,
      handle: async ({ caller, params }) => shown(await existing(caller, idIn(params))),
    }),
    change: defineEndpoint({
      ...writing,
      ...noun.change,
      method: 'PATCH',
      path: one,
      response: view,
      handle: async ({ params, body, ...cause }) => {
        await requireChangeable(cause.caller, idIn(params));
        return shown(await operations.change(cause, idIn(params), body));
      },
    }),
    remove: defineEndpoint({
      ...writing,
      ...noun.remove,
      method: 'DELETE',
      path: one,
      example: { response: { id: exampleOf(view).id, deleted: true } },
      response: Deleted,
      handle: async ({ params, ...cause }) => {
        await requireChangeable(cause.caller, idIn(params));
        await operations.remove(cause, idIn(params));
        return { id: idIn(params), deleted: true as const };
      },
    }),
  };
}
