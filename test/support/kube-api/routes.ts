/** Reads requests: which verb on which resource, and the selectors and pages of lists. */
import { randomUUID } from 'node:crypto';

import { expired, notModelled } from './api-error.ts';
import { apiVersionOf, DEFINITIONS } from './definitions.ts';
import type { Objects, Place, Stored } from './objects.ts';
import type { Watching } from './watching.ts';

export type Call = Place & {
  /** Verb and resource as in a Role: `patch accounts/status`. */
  title: string;
  method: string;
  subresource: string | undefined;
  query: URLSearchParams;
};

const VERBS: Record<string, string> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** `name` is empty for a list, and `namespace` for all namespaces. */
export function callOf(method: string, url: string): Call {
  const { pathname, searchParams: query } = new URL(url, 'http://localhost');
  const [api, ...path] = pathname.slice(1).split('/').map(decodeURIComponent);
  const group = api === 'apis' ? (path.shift() ?? '') : '';
  const version = path.shift();
  const namespace = path[0] === 'namespaces' ? path.splice(0, 2)[1] : '';
  const [plural, name = '', subresource] = path;
  const definition = DEFINITIONS.find(
    (one) => one.group === group && one.version === version && one.plural === plural,
  );
  if (definition === undefined) throw notModelled(url);
  const read = query.get('watch') === 'true' ? 'watch' : name === '' ? 'list' : 'get';
  const verb = method === 'GET' ? read : VERBS[method];
  const title = `${verb} ${[definition.plural, subresource].filter(Boolean).join('/')}`;
  return { title, method, definition, namespace: namespace ?? '', name, subresource, query };
}

/** Lists, in pages of one snapshot. */
export function createPages(objects: Objects): (call: Call) => object {
  const snapshots = new Map<string, { items: Stored[]; resourceVersion: string }>();
  return function page(call) {
    const { definition, query } = call;
    const token = query.get('continue');
    const snapshot =
      token === null
        ? {
            items: objects.all(definition).filter(selected(call)),
            resourceVersion: String(objects.version()),
          }
        : snapshots.get(token);
    if (snapshot === undefined || objects.since(Number(snapshot.resourceVersion)) === undefined)
      throw expired('The provided continue parameter is too old to display a consistent list');
    const { items, resourceVersion } = snapshot;
    const limit = Number(query.get('limit') ?? Infinity);
    const next = items.length > limit ? randomUUID() : undefined;
    if (next !== undefined) snapshots.set(next, { items: items.slice(limit), resourceVersion });
    return {
      apiVersion: apiVersionOf(definition),
      kind: `${definition.kind}List`,
      metadata: { resourceVersion, ...(next !== undefined && { continue: next }) },
      items: items.slice(0, limit),
    };
  };
}

export const watchingOf = (call: Call): Watching => ({
  definition: call.definition,
  includes: selected(call),
  from: Number(call.query.get('resourceVersion')),
  timeoutMs: 1_000 * Number(call.query.get('timeoutSeconds') ?? 300),
  wantsBookmarks: call.query.get('allowWatchBookmarks') === 'true',
});

/** Whether the namespace and the selectors of a list or watch include an object. */
function selected({ namespace, query }: Call): (object: Stored) => boolean {
  const labels = pairsOf(query.get('labelSelector'));
  const fields = pairsOf(query.get('fieldSelector'));
  if (fields.some(([field]) => field !== 'metadata.name'))
    throw notModelled(`the field selector ${query.get('fieldSelector')}`);
  return ({ metadata }) =>
    (namespace === '' || metadata.namespace === namespace) &&
    labels.every(([label = '', value]) => metadata.labels?.[label] === value) &&
    fields.every(([, value]) => metadata.name === value);
}

const pairsOf = (selector: string | null) =>
  (selector ?? '')
    .split(',')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('='));
