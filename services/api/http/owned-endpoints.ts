/**
 * The calls that a noun of an account has: list, create, get, change and delete. A noun gives its
 * names, texts and schemas, and has the calls that it lists. What a Kubernetes resource owns, the API
 * does not change.
 */
import { z } from 'zod';

import { exampleOf } from '../../core/resource/api-reference.ts';
import { orNotFound } from '../../core/error/app-error.ts';
import { refuseManaged } from '../../core/resource/managed-by.ts';
import type { Noun } from '../../core/resource/noun.ts';
import type { Permission } from '../../core/token/permission.ts';
import { type Call, type CallerOf, defineEndpoint, Deleted, type Endpoint } from './endpoint.ts';
import type { Reach } from './reach.ts';

type Texts = Pick<Endpoint, 'operationId' | 'summary'> &
  Partial<Pick<Endpoint, 'errors' | 'bodyMaxBytes'>> & { example?: { response: object } };
type WithBody<Requested> = Omit<Texts, 'example'> & {
  body: z.ZodObject & z.ZodType<Requested>;
  example?: { request?: Record<string, unknown>; response?: object };
};

/** A call without its body. `params` has the ids of the path. */
type OwnedCall<L extends Reach> = Omit<
  Call<string, unknown, unknown, Permission, L>,
  'params' | 'query' | 'body'
> & { params: Readonly<Record<string, string>> };

type OwnedNoun<N extends Noun, L extends Reach> = {
  /** By default the first word of the permission. */
  tag?: string;
  resource: { name: string; title?: string };
  path: `/${string}`;
  reach?: L;
  read: Permission;
  write: Permission;
  find: (call: OwnedCall<L>, id: string) => Promise<N['Record'] | undefined>;
  /**
   * Throws for a record that the caller may not change; by default for one that does not exist, or that
   * a Kubernetes resource owns.
   */
  requireChangeable?: (call: OwnedCall<L>, id: string) => Promise<void>;
  operations: {
    create: (call: OwnedCall<L>, requested: N['New']) => Promise<N['Record']>;
    change: (call: OwnedCall<L>, id: string, change: N['Change']) => Promise<N['Record']>;
    remove: (call: OwnedCall<L>, id: string) => Promise<void>;
  };
  view: z.ZodType<N['View']>;
  shown: (record: N['Record'], call: OwnedCall<L>) => N['View'];
  /** What only the response of the creation has, such as a secret. */
  made?: Pick<OwnedNoun<N, L>, 'view' | 'shown'>;
  /** Refuses callers that may change none. */
  refuse?: (caller: CallerOf<L>) => void;
};

export function ownedEndpoints<N extends Noun, L extends Reach = 'account'>(noun: OwnedNoun<N, L>) {
  const { resource, path, tag, reach, operations, view, shown } = noun;
  const { made = { view, shown }, refuse = () => undefined } = noun;
  const { name, title = name } = resource;
  const one = `${path}/{${name}_id}` as const;
  const common = { ...(tag !== undefined && { tag }), ...(reach && { reach }) };
  const reading = { ...common, permission: noun.read };
  const writing = { ...common, permission: noun.write };
  const callOf = (call: unknown) => call as OwnedCall<L>;
  const idOf = (call: OwnedCall<L>) => String(call.params[`${name}_id`]);

  const existing = async (call: OwnedCall<L>): Promise<N['Record']> =>
    orNotFound(await noun.find(call, idOf(call)), title);
  /** @throws AppError `forbidden`, `not_found`; `conflict` when a Kubernetes resource owns it */
  const requireChangeable = async (call: OwnedCall<L>): Promise<void> => {
    refuse(call.caller);
    if (noun.requireChangeable) await noun.requireChangeable(call, idOf(call));
    else refuseManaged(title, (await existing(call)).managed_by);
  };

  return {
    existing,
    requireChangeable,

    /** For a list without pages. */
    list: (texts: Texts, all: (call: OwnedCall<L>) => Promise<N['View'][]>) =>
      defineEndpoint({
        ...reading,
        ...texts,
        call: `GET ${path}`,
        response: z.object({ data: z.array(view) }),
        handle: async (call) => ({ data: await all(callOf(call)) }),
      }),
    create: (texts: WithBody<N['New']>) =>
      defineEndpoint({
        ...writing,
        ...texts,
        call: `POST ${path}`,
        status: 201,
        response: made.view,
        handle: async ({ body, ...given }) => {
          const call = callOf(given);
          refuse(call.caller);
          return made.shown(await operations.create(call, body), call);
        },
      }),
    get: (texts: Texts) =>
      defineEndpoint({
        ...reading,
        ...texts,
        call: `GET ${one}`,
        response: view,
        handle: async (call) => shown(await existing(callOf(call)), callOf(call)),
      }),
    change: (texts: WithBody<N['Change']>) =>
      defineEndpoint({
        ...writing,
        ...texts,
        call: `PATCH ${one}`,
        response: view,
        handle: async ({ body, ...given }) => {
          const call = callOf(given);
          await requireChangeable(call);
          return shown(await operations.change(call, idOf(call), body), call);
        },
      }),
    remove: (texts: Texts) =>
      defineEndpoint({
        ...writing,
        example: { response: { id: exampleOf(view).id, deleted: true } },
        ...texts,
        call: `DELETE ${one}`,
        response: Deleted,
        handle: async (given) => {
          const call = callOf(given);
          await requireChangeable(call);
          await operations.remove(call, idOf(call));
          return { id: idOf(call), deleted: true as const };
        },
      }),
  };
}
