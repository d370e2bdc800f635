/**
 * The objects of the API server of tests and their history: every write has the next resource
 * version, and watches hear of it. Deletion waits for finalizers, and takes what the object owned
 * with it.
 */
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import type { KubeObject, Metadata } from '../../../services/adapters/kube/client.ts';
import { conflict, HAS_CHANGED, invalid, notFound } from './api-error.ts';
import { type Definition, DEFINITIONS } from './definitions.ts';

/** Any object, with the fields that kinds have. */
export type Stored = KubeObject & {
  spec?: { [field: string]: unknown };
  status?: { [field: string]: unknown };
  data?: Record<string, string>;
  immutable?: boolean;
};
/** As a client sends it. */
export type Sent = Omit<Stored, 'metadata'> & { metadata: Partial<Metadata> };
export type Place = { definition: Definition; namespace: string; name: string };

export type ObjectEvent = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  definition: Definition;
  version: number;
  object: Stored;
  before: Stored | undefined;
};

export type Objects = {
  /** Of this kind, in the order of their keys. */
  all(definition: Definition): Stored[];
  find(place: Place): Stored | undefined;
  /** @throws ApiError 404 */
  get(place: Place): Stored;
  /** Stores what `next` makes of the object; `undefined` before is a new one. */
  write(place: Place, next: (before: Stored | undefined) => Sent, isDryRun?: boolean): Stored;
  remove(place: Place): Stored;
  /** Of the newest write. */
  version(): number;
  /** `undefined` when the history no longer reaches back to this version. */
  since(version: number): readonly ObjectEvent[] | undefined;
  onEvent(listener: (event: ObjectEvent) => void): Disposable;
  /** Forgets all changes until now, as the compaction of etcd does. */
  compact(): void;
  /** Deletes the objects whose owners are all gone. The server does so after each deletion. */
  collectGarbage(): void;
};

const NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const NAME_MAX_CHARS = 253;

export function createObjects(): Objects {
  const objects = new Map<string, { definition: Definition; object: Stored }>();
  const listeners = new Set<(event: ObjectEvent) => void>();
  let history: ObjectEvent[] = [];
  let newest = 1;
  let oldest = 1;

  const find = (place: Place) => objects.get(keyOf(place))?.object;
  const get = (place: Place) => {
    const found = find(place);
    if (found === undefined) throw notFound(place.definition, place.name);
    return found;
  };

  function store(place: Place, before: Stored | undefined, after: Stored): Stored {
    if (before && isDeepStrictEqual(before, after)) return before; // no write, no event
    const metadata = { ...after.metadata, resourceVersion: String(++newest) };
    const object = { ...after, metadata };
    const isGone = metadata.deletionTimestamp !== undefined && metadata.finalizers === undefined;
    if (isGone) objects.delete(keyOf(place));
    else objects.set(keyOf(place), { definition: place.definition, object });
    const type = isGone ? 'DELETED' : before ? 'MODIFIED' : 'ADDED';
    const { definition } = place;
    const event: ObjectEvent = { type, definition, version: newest, object, before };
    history.push(event);
    for (const listener of listeners) listener(event);
    if (isGone) collectGarbage();
    return object;
  }

  function remove(place: Place): Stored {
    const before = get(place);
    const { deletionTimestamp = timestamp(), generation } = before.metadata;
    if (before.metadata.deletionTimestamp !== undefined) return before;
    return store(place, before, {
      ...before,
      metadata: {
        ...before.metadata,
        deletionTimestamp,
        ...(generation !== undefined && { generation: generation + 1 }),
      },
    });
  }

  function collectGarbage(): void {
    const present = new Set(Array.from(objects.values(), ({ object }) => object.metadata.uid));
    for (const { definition, object } of objects.values()) {
      const { namespace, name, ownerReferences = [] } = object.metadata;
      if (ownerReferences.length > 0 && !ownerReferences.some(({ uid }) => present.has(uid)))
        remove({ definition, namespace, name });
    }
  }

  return {
    all: (definition) =>
      [...objects]
        .filter(([, stored]) => stored.definition === definition)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, { object }]) => object),
    find,
    get,
    write: (place, next, isDryRun = false) => {
      const before = find(place);
      const after = completed(place, before, structuredClone(next(before)));
      return isDryRun ? after : store(place, before, after);
    },
    remove,
    version: () => newest,
    since: (version) =>
      version < oldest ? undefined : history.filter((event) => event.version > version),
    onEvent: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    compact: () => {
      history = [];
      oldest = newest;
    },
    collectGarbage,
  };
}

/** Checks what was sent, and adds the metadata that the server itself writes. */
function completed(place: Place, before: Stored | undefined, sent: Sent): Stored {
  const { definition, namespace, name } = place;
  const { resourceVersion, uid, finalizers = [], ...metadata } = sent.metadata;
  if (!NAME.test(name)) throw invalid(definition, name, 'metadata.name: Invalid value');
  if (name.length > NAME_MAX_CHARS)
    throw invalid(definition, name, 'metadata.name: must be no more than 253 characters');
  if (before && resourceVersion !== undefined && resourceVersion !== versionOf(before))
    throw conflict(definition, name, HAS_CHANGED);
  if (before && uid !== undefined && uid !== before.metadata.uid)
    throw invalid(definition, name, `metadata.uid: Invalid value: "${uid}": field is immutable`);
  const had = before?.metadata.finalizers ?? [];
  const isDeleting = before?.metadata.deletionTimestamp !== undefined;
  if (isDeleting && finalizers.some((one) => !had.includes(one)))
    throw invalid(definition, name, 'metadata.finalizers: Forbidden: it is being deleted');
  if (before?.immutable && !isDeepStrictEqual(before.data, sent.data))
    throw invalid(definition, name, 'data: Forbidden: field is immutable when `immutable` is set');

  const { generation = 0 } = before?.metadata ?? {};
  const isSpecChanged = !isDeepStrictEqual(before?.spec, sent.spec);
  const { deletionTimestamp } = before?.metadata ?? {};
  return {
    ...sent,
    metadata: {
      ...metadata,
      namespace,
      name,
      uid: before?.metadata.uid ?? randomUUID(),
      creationTimestamp: before?.metadata.creationTimestamp ?? timestamp(),
      resourceVersion: before ? versionOf(before) : '',
      ...(definition.spec && { generation: isSpecChanged ? generation + 1 : generation }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(finalizers.length > 0 && { finalizers: [...new Set(finalizers)] }),
    },
  };
}

const versionOf = ({ metadata }: Stored) => metadata.resourceVersion;
const timestamp = () => `${new Date().toISOString().slice(0, -5)}Z`; // without milliseconds
const keyOf = ({ definition, namespace, name }: Place) =>
  `${DEFINITIONS.indexOf(definition)} ${namespace}/${name}`;
