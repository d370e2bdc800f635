/**
 * What a change leaves behind is the same for every noun and by every way in (D29): nothing for a change
 * without a difference, else a later `updated_at` and one event with the fields that changed, and who
 * changed them. A way in that a noun does not have is a test, too, and its title says why.
 */
import { expect, test } from 'vitest';

import { actorOf } from '../../../services/core/account/actor.ts';
import { changedFields } from '../../../services/core/resource/changed-fields.ts';
import { createNamespace } from '../../operator/namespace.ts';
import { useOperator } from '../../operator/operator-bed.ts';
import { runCommand } from '../../support/inlet-command.ts';
import { type Answer, startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { openDashboard } from '../session/dashboard.ts';
import {
  type Body,
  type Command,
  type Commands,
  type Ids,
  type Noun,
  type None,
  NOUN_NAMES,
  type NounName,
  NOUNS,
  type Requests,
  URL as HOOK,
} from './nouns.ts';
import { RESOURCES } from './resources.ts';

const shared = useOperator();
const api = await useInFile(startTestApi());

type Document = Body & { updated_at?: Date };
type Changes = {
  same: () => Promise<unknown>;
  change: () => Promise<unknown>;
  /** The record in MongoDB. */
  read: () => Promise<Document>;
  /** The data of the events of updates. */
  updates: () => Promise<Body[]>;
};
const NOTHING = { fields: {}, events: [] };

/** What a change without a difference leaves behind, then one with a difference, then it again. */
async function tracesOf({ same, change, read, updates }: Changes) {
  const before = await read();
  const since = async (record: Document, known: number) => ({
    fields: changedFields(record, await read()),
    events: (await updates()).slice(known),
  });
  await same();
  const withoutDifference = await since(before, 0);
  await change();
  const after = await read();
  const [event = {}, ...more] = await updates();
  const isLater = before.updated_at === undefined || Number(after.updated_at) > +before.updated_at;
  const hidesSecrets = !JSON.stringify(event).includes('very-secret');
  await change();
  const again = await since(after, 1);
  return { withoutDifference, event, more, isLater, hidesSecrets, again };
}

const expectedTraces = (event: Body) => ({
  withoutDifference: NOTHING,
  event: expect.objectContaining(event) as Body,
  more: [],
  isLater: true,
  hidesSecrets: true,
  again: NOTHING,
});

type Made = {
  ids: Ids;
  token: string;
  ask: (method: string, path: string, body?: Body) => Promise<Body>;
  seen: Pick<Changes, 'read' | 'updates'>;
};

/** In an account of its own. */
async function make({ create, records, event }: Noun): Promise<Made> {
  const { id: accountId } = await api.newAccount();
  const { token } = await api.issue({ accountId });
  const ask: Made['ask'] = async (method, path, body) =>
    successful(await api.ask(method, path, { token, ...(body && { body }) }));
  const addressId = idOf(await ask('POST', '/v1/addresses', { webhook_url: HOOK }));
  const id = create ? idOf(await ask('POST', create.path(addressId), create.body)) : accountId;
  const stored = api.mongo.db.collection<Document & { _id: string }>(records);
  const seen: Made['seen'] = {
    read: async () => existing(await stored.findOne({ _id: id })),
    updates: async () => {
      const { data } = await ask('GET', `/v1/usage/events?event_type=${event}`);
      return (data as { data: Body }[]).map((one) => one.data);
    },
  };
  return { ids: { id, addressId }, token, ask, seen };
}

function successful({ status, body }: Answer): Body {
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

function existing(record: Document | null | undefined): Document {
  if (record == null) throw new Error('there is no record');
  return record;
}

/** The invitation of a member has the member in a field of its own. */
const idOf = ({ id, member }: Body): string => String(id ?? (member as Body | undefined)?.id);

/** What is seen, and what should be. */
type Proof = Promise<[seen: unknown, expected: unknown]>;

const requesting = (
  { path, same, change }: Requests,
  ids: Ids,
  ask: Made['ask'],
): Pick<Changes, 'same' | 'change'> => ({
  same: async () => {
    for (const body of [{}, same]) await ask('PATCH', path(ids), body);
  },
  change: () => ask('PATCH', path(ids), change),
});

async function byApi(noun: Noun, requests: Requests): Proof {
  const { ids, ask, seen } = await make(noun);
  const traces = await tracesOf({ ...seen, ...requesting(requests, ids, ask) });
  return [traces, expectedTraces({ changed: noun.changed, actor: 'token' })];
}

async function byDashboard(noun: Noun, requests: Requests): Proof {
  const { ids, ask, seen } = await make(noun);
  const invited = await ask('POST', '/v1/account/members', { name: 'Olive', role: 'owner' });
  const code = new URL(String(invited.url)).hash.replace('#code=', '');
  const { session, ...dashboard } = await openDashboard(api, { body: { code } });
  const askThere: Made['ask'] = async (method, path, body) =>
    successful(await dashboard.ask(method, path, body && { body }));
  const traces = await tracesOf({ ...seen, ...requesting(requests, ids, askThere) });
  const by = { actor: 'member', user: 'Olive', session_id: session.session_id };
  return [traces, expectedTraces({ changed: noun.changed, ...by })];
}

async function byCommand(noun: Noun, commands: Commands, actor: string): Proof {
  const { ids, token, seen } = await make(noun);
  const env = { INLET_API_URL: `${api.url}/v1`, INLET_TOKEN: token, MONGODB_URI: api.mongoUri };
  const run = async ({ args, input = '' }: Command) => {
    const { code, err } = await runCommand(args(ids), { env, input: Buffer.from(input) });
    if (code !== 0) throw new Error(err);
  };
  const { same, change, changed = noun.changed } = commands;
  const traces = await tracesOf({ ...seen, same: () => run(same), change: () => run(change) });
  return [traces, expectedTraces({ changed, actor })];
}

async function byResource(name: NounName): Proof {
  const { event, changed, records }: Noun = NOUNS[name];
  const { kind, name: object, before, same, change } = RESOURCES[name];
  const { bed, operator } = shared;
  const space = createNamespace(bed, operator);
  await space.withAccount();
  await before?.(space, bed);
  await space.settle(same(space));
  const traces = await tracesOf({
    read: async () => existing((await space.records(records))[0]),
    updates: async () =>
      (await space.changes(event)).map((data) => ({
        ...data,
        actor: actorOf({ type: event, data }),
      })),
    same: () => space.settle(same(space)),
    change: () => space.settle(change(space)),
  });
  const by = { actor: 'resource', resource: `${kind} ${space.name}/${object}` };
  return [traces, expectedTraces({ changed, ...by })];
}

async function withoutOperation({ missing }: None): Proof {
  const { body } = await api.ask('GET', '/v1/openapi.json', { token: null });
  const operations = (body.paths as Record<string, Body>)[missing] ?? {};
  return [Object.keys(operations), ['delete']];
}

async function withoutCommand({ missing }: None): Proof {
  const { code, err } = await runCommand(missing.split(' '));
  return [
    [code, err],
    [2, expect.stringContaining('unknown command')],
  ];
}

const cell = <Known extends object>(
  title: string,
  known: Known | None,
  prove: (known: Known) => Proof,
  disprove: (none: None) => Proof,
): [title: string, prove: () => Proof] =>
  'none' in known
    ? [`not ${title}: ${known.none}`, () => disprove(known)]
    : [title, () => prove(known)];

const CELLS = NOUN_NAMES.flatMap((name): [title: string, prove: () => Proof][] => {
  const noun: Noun = NOUNS[name];
  const { requests, command, admin } = noun;
  return [
    cell(`${name}, by the API`, requests, (one) => byApi(noun, one), withoutOperation),
    cell(`${name}, by a dashboard`, requests, (one) => byDashboard(noun, one), withoutOperation),
    cell(`${name}, by inlet`, command, (one) => byCommand(noun, one, 'token'), withoutCommand),
    cell(
      `${name}, by inlet admin`,
      admin,
      (one) => byCommand(noun, one, 'operator'),
      withoutCommand,
    ),
    [`${name}, by a custom resource`, () => byResource(name)],
  ];
});

test.each(CELLS)('%s', async (_, prove) => {
  const [seen, expected] = await prove();
  expect(seen).toEqual(expected);
});
