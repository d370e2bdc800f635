/** What each verb of the API does with an object. */
import { isDeepStrictEqual } from 'node:util';

import { alreadyExists, conflict, invalid, notFound, notModelled } from './api-error.ts';
import { apiVersionOf, type Definition } from './definitions.ts';
import { applied, type Json, mergePatched, withoutTaken } from './merging.ts';
import type { Objects, Place, Sent, Stored } from './objects.ts';

export type Verbs = {
  /** A dry run checks everything, and stores nothing. */
  create(place: Place, sent: Sent, isDryRun?: boolean): Stored;
  update(place: Place, sent: Sent, isDryRun?: boolean): Stored;
  merge(place: Place, patch: Json, subresource?: string): Stored;
  apply(place: Place, sent: Sent, manager: string, subresource?: string): Stored;
};

/** The manager of all writes that are not applied. */
const UPDATES = 'updates';

export function createVerbs(objects: Objects): Verbs {
  /** By uid: the fields that each manager has set. */
  const managers = new Map<string, Map<string, Json>>();

  const note = (object: Stored, manager: string, fields: Json): Stored => {
    const { uid } = object.metadata;
    const known = managers.get(uid) ?? managers.set(uid, new Map()).get(uid);
    for (const [name, owned] of known ?? [])
      if (name !== manager) known?.set(name, withoutTaken(owned, fields));
    known?.set(manager, fields);
    return object;
  };

  return {
    create: (place, sent, isDryRun) => {
      const next = (before?: Stored) => {
        if (before) throw alreadyExists(place.definition, place.name);
        return checked(place, undefined, sent);
      };
      const created = objects.write(place, next, isDryRun);
      return isDryRun ? created : note(created, UPDATES, fieldsOf(created));
    },

    update: (place, sent, isDryRun) => {
      const { definition, name } = place;
      const next = (before?: Stored) => {
        if (before === undefined && !definition.isCreatedByUpdate) throw notFound(definition, name);
        const { uid } = sent.metadata;
        if (before && uid !== undefined && uid !== before.metadata.uid)
          throw conflict(definition, name, `Precondition failed: UID in precondition: ${uid}`);
        if (before && !definition.isUpdatedUnconditionally && !sent.metadata.resourceVersion)
          throw invalid(definition, name, 'metadata.resourceVersion: must be specified');
        return checked(place, before, sent);
      };
      return objects.write(place, next, isDryRun);
    },

    merge: (place, patch, subresource) => {
      const merged = objects.write(place, () => {
        const before = objects.get(place);
        return checked(place, before, mergePatched(before, patch) as Sent, subresource);
      });
      const owned = managers.get(merged.metadata.uid)?.get(UPDATES);
      return note(merged, UPDATES, mergePatched(owned, fieldsOf(patch)) as Json);
    },

    apply: (place, sent, manager, subresource) => {
      const { definition, name } = place;
      const id = [manager, subresource].join('/');
      const now = fieldsOf(sent);
      const result = objects.write(place, (before) => {
        if (before === undefined) {
          if (subresource !== undefined) throw notFound(definition, name);
          if (sent.metadata.uid !== undefined)
            throw conflict(definition, name, 'uid mismatch: no existing object was found');
          return checked(place, undefined, sent);
        }
        const known = managers.get(before.metadata.uid);
        const others = [...(known ?? [])].filter(([other]) => other !== id);
        const merged = applied(before, {
          before: known?.get(id),
          now,
          others: others.map(([, fields]) => fields),
        }) as Sent;
        const { uid, resourceVersion } = sent.metadata;
        const metadata = {
          ...merged.metadata,
          ...(uid !== undefined && { uid }),
          ...(resourceVersion !== undefined && { resourceVersion }),
        };
        return checked(place, before, { ...merged, metadata }, subresource);
      });
      return note(result, id, now);
    },
  };
}

/** What a write to this part of the object changes, with the defaults of its schema. */
function checked(
  { definition, name }: Place,
  before: Stored | undefined,
  sent: Sent,
  subresource?: string,
): Sent {
  const { kind } = definition;
  const named = { apiVersion: apiVersionOf(definition), kind };
  if (definition.spec === undefined) {
    if (subresource !== undefined) throw notModelled(`${subresource} of ${kind}`);
    return { ...sent, ...named };
  }
  const { status, spec, ...rest } = sent;
  if (subresource !== undefined) {
    if (subresource !== 'status' || before === undefined) throw notModelled(subresource);
    // the uid is ignored
    const { resourceVersion } = rest.metadata;
    const metadata = {
      ...before.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    return { ...before, metadata, ...(status && { status }) };
  }
  return {
    ...rest,
    ...named,
    // What is stored already is accepted, even if the schema has changed since.
    spec: before && isDeepStrictEqual(before.spec, spec) ? spec : specOf(definition, name, spec),
    ...(before?.status && { status: before.status }),
  };
}

function specOf(definition: Definition, name: string, spec: unknown): Stored['spec'] {
  const parsed = definition.spec?.safeParse(spec ?? {});
  if (parsed?.success) return parsed.data;
  const [issue] = parsed?.error.issues ?? [];
  throw invalid(
    definition,
    name,
    `${['spec', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`,
  );
}

/** The fields that their manager owns: all but those that identify the object. */
function fieldsOf({ metadata = {}, ...fields }: Partial<Sent>): Json {
  const { apiVersion: _apiVersion, kind: _kind, ...content } = fields;
  const { finalizers, labels, ownerReferences } = metadata;
  const owned = { finalizers, labels, ownerReferences };
  const set = Object.entries(owned).filter(([, value]) => value !== undefined);
  return { ...content, ...(set.length > 0 && { metadata: Object.fromEntries(set) }) };
}
