/** What every kind has in common: the finalizer first, then whatever its reconciler does, then the status and an event if something is new. */
import { isDeepStrictEqual } from 'node:util';

import { type Kube, KubeError, type NewObject, type Resource } from '../../adapters/kube/client.ts';
import type { ObjectCache } from '../../adapters/kube/watch.ts';
import type { Log } from '../../adapters/process/log.ts';
import { AppError } from '../../core/app-error.ts';
import { notReady, RefusalError, type Verdict, withVerdicts } from '../../core/kube/condition.ts';
import { API_VERSION, type KindName } from '../../core/kube/custom-resource.ts';
import type { RecordEvent } from '../event-recorder.ts';
import { type CustomResource, FIELD_MANAGER, FINALIZER } from '../resource.ts';

/** What came of it: fields of the status, and conditions, `Ready` among them. */
export type Settled = {
  fields: Record<string, unknown>;
  verdicts: { Ready: Verdict; Verified?: Verdict };
  /** When to look again, though nothing changes in the cluster. */ againAfterMs?: number;
};

export type Reconciler = {
  /** Makes the world as the spec says. @throws RefusalError when that cannot be, anything else when it cannot be now */
  settle(resource: CustomResource): Promise<Settled>;
  /** Undoes it. A verdict when that cannot be yet. */
  remove(resource: CustomResource): Promise<Verdict | undefined>;
};

export type Result = {
  result: 'settled' | 'removed' | 'refused' | 'blocked';
  againAfterMs?: number | undefined;
};

type Needs = {
  kind: KindName;
  resource: Resource;
  kube: Pick<Kube, 'apply' | 'merge'>;
  cache: Pick<ObjectCache<CustomResource>, 'put'>;
  reconciler: Reconciler;
  recordEvent: RecordEvent;
  clock: () => Date;
  log: Log;
};

/** Failures in a row after which the status tells of them: what passes by itself need not show. */
const TOLD_AFTER_FAILURES = 2;

export type Reconcile = (object: CustomResource, failures: number) => Promise<Result>;

export function createReconcile({
  kind,
  resource,
  kube,
  cache,
  reconciler,
  recordEvent,
  clock,
  log,
}: Needs): Reconcile {
  const identity = ({ metadata: { namespace, name, uid } }: CustomResource) => ({
    apiVersion: API_VERSION,
    kind,
    metadata: { namespace, name, uid },
  });

  const apply = (object: NewObject, subresource?: 'status') =>
    written(
      kube.apply<CustomResource>(resource, object, {
        manager: FIELD_MANAGER,
        ...(subresource && { subresource }),
      }),
    );

  const setFinalizer = (object: CustomResource): Promise<CustomResource> => {
    const { metadata, ...rest } = identity(object);
    return apply({ ...rest, metadata: { ...metadata, finalizers: [FINALIZER] } });
  };
  /** Not by apply, which leaves a finalizer that others set too: whoever made the resource anew from a backup. */
  const dropFinalizer = (object: CustomResource): Promise<CustomResource> => {
    const { metadata, ...rest } = identity(object);
    const { resourceVersion, finalizers = [] } = object.metadata;
    return written(
      kube.merge<CustomResource>(resource, {
        ...rest,
        metadata: {
          ...metadata,
          resourceVersion,
          finalizers: finalizers.filter((one) => one !== FINALIZER),
        },
      }),
    );
  };

  /** Writes only what differs. */
  async function tell(
    object: CustomResource,
    fields: Record<string, unknown>,
    verdicts: { Ready: Verdict; Verified?: Verdict },
    isActedUpon = true,
  ): Promise<void> {
    const { generation = 0 } = object.metadata;
    const before = object.status ?? {};
    const given = {
      ...fields,
      observedGeneration: isActedUpon ? generation : before.observedGeneration,
      conditions: withVerdicts(before.conditions ?? [], verdicts, generation, clock()),
    };
    const status = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    );
    if (isDeepStrictEqual(before, status)) return;
    cache.put(await apply({ ...identity(object), status }, 'status'));
    const old = before.conditions?.find(({ type }) => type === 'Ready');
    const now = verdicts.Ready;
    if (old?.status !== now.status || old.reason !== now.reason)
      await recordEvent(kind, object, now);
  }

  async function settle(object: CustomResource): Promise<Result> {
    const current = object.metadata.finalizers?.includes(FINALIZER)
      ? object
      : await setFinalizer(object);
    if (current !== object) cache.put(current);
    try {
      const { fields, verdicts, againAfterMs } = await reconciler.settle(current);
      await tell(current, fields, verdicts);
      return { result: verdicts.Ready.status === 'True' ? 'settled' : 'refused', againAfterMs };
    } catch (error) {
      const refused = refusalIn(error);
      if (refused === undefined) throw error;
      await tell(current, current.status ?? {}, { Ready: refused });
      return { result: 'refused' };
    }
  }

  async function remove(object: CustomResource): Promise<Result> {
    if (!object.metadata.finalizers?.includes(FINALIZER)) return { result: 'removed' }; // others have theirs still
    const blocked = await reconciler.remove(object);
    if (blocked) {
      await tell(object, object.status ?? {}, { Ready: blocked });
      return { result: 'blocked' };
    }
    await dropFinalizer(object);
    log.info('resource.removed', {
      kind,
      namespace: object.metadata.namespace,
      name: object.metadata.name,
    });
    return { result: 'removed' };
  }

  return async function reconcile(object, failures) {
    try {
      return object.metadata.deletionTimestamp === undefined
        ? await settle(object)
        : await remove(object);
    } catch (error) {
      if (error instanceof GoneError) return { result: 'removed' };
      if (failures >= TOLD_AFTER_FAILURES) {
        await tell(
          object,
          object.status ?? {},
          {
            Ready: notReady('Unavailable', 'this cannot be done at the moment; it is tried again'),
          },
          false,
        ).catch((untold: unknown) => log.warn('status.not_written', { kind, error: untold }));
      }
      throw error;
    }
  };
}

/** What is wrong with the resource itself, rather than with the world around it. */
function refusalIn(error: unknown): Verdict | undefined {
  if (error instanceof RefusalError) return notReady(error.reason, error.message);
  if (
    error instanceof AppError &&
    (error.kind === 'conflict' || error.kind === 'validation_failed')
  )
    return notReady('Refused', error.message);
  return undefined;
}

/** Deleted, or deleted and made anew, since it was read: whatever there is now comes by the watch. */
class GoneError extends Error {
  override readonly name = 'GoneError';
}

/** @throws GoneError when there is no such object any more, or another of its name */
async function written(writing: Promise<CustomResource>): Promise<CustomResource> {
  try {
    return await writing;
  } catch (error) {
    throw isGone(error) ? new GoneError() : error;
  }
}

const isGone = (error: unknown) =>
  error instanceof KubeError &&
  (error.status === 404 ||
    (error.status === 409 && /UID in precondition|uid mismatch/i.test(error.message)));
