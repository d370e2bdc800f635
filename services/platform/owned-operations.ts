/**
 * Creates, changes and removes what an account owns: first in MongoDB, then announced to the processes
 * that cache it, and recorded in the audit trail. For the API and the operator. A noun adds what is
 * particular to it.
 */
import { randomBytes } from 'node:crypto';

import { fieldConflict, orNotFound, tooMany } from '../core/error/app-error.ts';
import { ID_RANDOM_BYTES, newId } from '../core/id/ids.ts';
import { resourceEvent, type Stamp } from '../core/resource/record.ts';
import type { Noun, Stored } from '../core/resource/noun.ts';
import type { Resource } from '../core/resource/resource.ts';
import { type Announcements, announcementLost } from './address-directory.ts';
import { type Audit, auditUpdate, type Cause } from './audit.ts';

/** @typeParam Made with what only the response of its creation has */
export type OwnedOperations<N extends Noun, Made = N['Record']> = {
  /**
   * @throws AppError `conflict` when another one has the name, or its owner has as many as it may have;
   * `validation_failed` for what no schema checks
   */
  create(cause: Cause, requested: N['New']): Promise<Made>;
  /** @throws AppError `not_found`, `conflict`, `validation_failed` */
  change(cause: Cause, id: string, change: N['Change']): Promise<N['Record']>;
  /** @throws AppError `not_found` */
  remove(cause: Cause, id: string): Promise<void>;
};

/** A record after an update, and what differs: nothing when nothing was written (D29). */
export type Updated<R> = { record: R; changed: object };

type OwnedNoun<N extends Noun, Made> = {
  resource: Resource;
  store: {
    /** `taken`: another one has the name. `full`: there are as many as there may be. */
    insert: (record: Made) => Promise<'made' | 'taken' | 'full'>;
    find: (scope: Cause['caller'], id: string) => Promise<N['Record'] | undefined>;
    remove: (
      scope: Cause['caller'],
      id: string,
      now: Date,
    ) => Promise<Stored<N['Record']> | undefined>;
  };
  /** @throws AppError `validation_failed`, `conflict` */
  newRecord: (requested: N['New'], owner: Cause['caller'], stamp: Stamp) => Made | Promise<Made>;
  /** Writes the fields that differ. Undefined when the record is gone. @throws AppError `conflict` */
  update: (
    cause: Cause,
    before: N['Record'],
    change: N['Change'],
  ) => Promise<Updated<N['Record']> | undefined>;
  /** By which other processes cache the record; by default its id. */
  cacheKey?: (record: Stored<N['Record']>, now: Date) => string | Promise<string>;
  /** Whether a process may cache that there is none, so that a creation is announced, too. */
  isCachedBefore?: boolean;
  /** The record as events show it; by default as it is. */
  shown?: (record: Stored<N['Record']>) => { id: string; address_id?: string };
};

export function createOwnedOperations<N extends Noun, Made extends N['Record'] = N['Record']>(
  noun: OwnedNoun<N, Made>,
  /** Undefined for what no process caches. */
  announcements: Announcements | undefined,
  audit: Audit,
): OwnedOperations<N, Made> & {
  /** Announces a written change, and adds it to the audit log. */
  saved: (cause: Cause, updated: Updated<N['Record']>) => Promise<N['Record']>;
} {
  const {
    resource,
    store,
    cacheKey = ({ id }) => id,
    isCachedBefore,
    shown = (record) => record,
  } = noun;
  const { name, title = name, plural, idPrefix, owner, maximum } = resource;

  const announce = async (record: Stored<N['Record']>, now: Date) => {
    if (announcements === undefined) return;
    const address = await cacheKey(record, now);
    await announcements.announced({ id: record.id, address }).catch(announcementLost);
  };
  const eventOf = (change: 'created' | 'updated' | 'deleted', record: Stored<N['Record']>) =>
    resourceEvent(resource, change, shown(record));

  const saved = async (cause: Cause, { record, changed }: Updated<N['Record']>) => {
    await announce(record, cause.now);
    await auditUpdate(audit, cause, eventOf('updated', record), changed);
    return record;
  };

  return {
    saved,

    create: async function createOwned(cause, requested) {
      if (isCachedBefore) announcements?.require();
      const id = newId(idPrefix, cause.now, randomBytes(ID_RANDOM_BYTES));
      const stamp = { id, now: cause.now, managed_by: requested.managed_by };
      const record = await noun.newRecord(requested, cause.caller, stamp);
      const result = await store.insert(record);
      if (result === 'taken')
        throw fieldConflict('name', `Another ${title} has the name ${record.name}`);
      if (result === 'full') throw tooMany(plural, maximum, owner);
      if (isCachedBefore) await announce(record, cause.now);
      await audit(cause, eventOf('created', record));
      return record;
    },

    change: async function changeOwned(cause, id, change) {
      announcements?.require();
      const before = await store.find(cause.caller, id);
      const after = orNotFound(before && (await noun.update(cause, before, change)), title);
      return saved(cause, after);
    },

    remove: async function removeOwned(cause, id) {
      announcements?.require();
      const removed = orNotFound(await store.remove(cause.caller, id, cause.now), title);
      await announce(removed, cause.now);
      await audit(cause, eventOf('deleted', removed));
    },
  };
}
