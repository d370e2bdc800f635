/**
 * What all kinds have in common: the finalizer first, then the steps of the reconciler of the kind,
 * then the Secret, the status and an event.
 */
import { isDeepStrictEqual } from 'node:util';

import { type Kube, KubeError, type NewObject, type Resource } from '../../adapters/kube/client.ts';
import type { ObjectCache } from '../../adapters/kube/watch.ts';
import type { Log } from '../../adapters/process/log.ts';
import { AppError } from '../../core/error/app-error.ts';
import {
  eventOf,
  notReady,
  RefusalError,
  type Verdict,
  withVerdicts,
} from '../../core/kube/condition.ts';
import { API_VERSION, type KindName } from '../../core/kube/custom-resource.ts';
import { droppedFields, droppedMessage } from '../../core/kube/dropped-fields.ts';
import type { RecordEvent } from '../cluster/event-recorder.ts';
import {
  type CustomResource,
  FIELD_MANAGER,
  FINALIZER,
  ownerOf,
  specOf,
  type SpecOf,
} from '../cluster/resource.ts';
import type { SecretKeeper } from '../cluster/secret-keeper.ts';
import type { Reconciler, Verdicts } from './reconciler.ts';

export type Result = {
  result: 'settled' | 'removed' | 'refused' | 'blocked';
  againAfterMs?: number | undefined;
};

type ReconcileDependencies<K extends KindName> = {
  kind: K;
  resource: Resource;
  kube: Pick<Kube, 'apply' | 'merge'>;
  cache: Pick<ObjectCache<CustomResource>, 'get' | 'put'>;
  reconciler: Reconciler<K>;
  secrets: SecretKeeper;
  recordEvent: RecordEvent;
  clock: () => Date;
  log: Log;
};

/** Consecutive failures before the status shows them: short outages need not. */
const SHOWN_AFTER_FAILURES = 2;

export type Reconcile = (object: CustomResource, failures: number) => Promise<Result>;

export function createReconcile<K extends KindName>({
  kind,
  resource,
  kube,
  cache,
  reconciler,
  secrets,
  recordEvent,
  clock,
  log,
}: ReconcileDependencies<K>): Reconcile {
  const { setFinalizer, dropFinalizer, writeStatus } = createWriter({
    kind,
    resource,
    kube,
    cache,
    recordEvent,
    clock,
  });

  async function settle(object: CustomResource): Promise<Result> {
    const current = object.metadata.finalizers?.includes(FINALIZER)
      ? object
      : await setFinalizer(object);
    if (current !== object) cache.put(current);
    try {
      const owner = ownerOf(kind, current);
      const spec = specOf(kind, current);
      const { secret, fields, verdicts, againAfterMs } = await reconciler.settle({
        spec,
        owner,
        status: current.status ?? {},
        generation: current.metadata.generation,
      });
      const refused =
        secret && (await refusalOf(secrets.write(owner, secret.name, secret.content)));
      const Ready = refused ?? droppedVerdict(current, spec, verdicts.Ready);
      const named = secret && !refused && { secretName: secret.name };
      await writeStatus(current, { ...fields, ...named }, { ...verdicts, Ready });
      return { result: Ready.status === 'True' ? 'settled' : 'refused', againAfterMs };
    } catch (error) {
      const refused = refusalIn(error);
      if (refused === undefined) throw error;
      await writeStatus(current, current.status ?? {}, { Ready: refused });
      return { result: 'refused' };
    }
  }

  async function remove(object: CustomResource): Promise<Result> {
    // waits for the finalizers of others
    if (!object.metadata.finalizers?.includes(FINALIZER)) return { result: 'removed' };
    const blocked = await reconciler.remove(ownerOf(kind, object), object.spec);
    if (blocked) {
      await writeStatus(object, object.status ?? {}, { Ready: blocked });
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
      if (failures >= SHOWN_AFTER_FAILURES) {
        await writeStatus(
          object,
          object.status ?? {},
          {
            Ready: notReady('Unavailable', 'temporary failure; Inlet retries'),
          },
          false,
        ).catch((statusError: unknown) =>
          log.warn('status.not_written', { kind, error: statusError }),
        );
      }
      throw error;
    }
  };
}

/** Writes what the operator may write of a resource: its finalizer and its status. */
function createWriter<K extends KindName>({
  kind,
  resource,
  kube,
  cache,
  recordEvent,
  clock,
}: Omit<ReconcileDependencies<K>, 'reconciler' | 'secrets' | 'log'>) {
  const identity = ({ metadata: { namespace, name, uid } }: CustomResource) => ({
    apiVersion: API_VERSION,
    kind,
    metadata: { namespace, name, uid },
  });

  /** @throws GoneError when the resource, or this one of its name, no longer exists */
  async function written(
    { namespace = '', name = '', uid }: NewObject['metadata'],
    write: () => Promise<CustomResource>,
  ): Promise<CustomResource> {
    const isReplaced = () => cache.get(namespace, name)?.metadata.uid !== uid;
    if (isReplaced()) throw new GoneError(); // the API server does not compare the uid of a status
    try {
      return await write();
    } catch (error) {
      const status = error instanceof KubeError ? error.status : undefined;
      // When the resource is a later one, the API server refuses the uid (422) or the version (409).
      const mayBeReplaced = status === 409 || status === 422;
      throw status === 404 || (mayBeReplaced && isReplaced()) ? new GoneError() : error;
    }
  }

  const apply = (object: NewObject, subresource?: 'status') =>
    written(object.metadata, () =>
      kube.apply<CustomResource>(resource, object, {
        manager: FIELD_MANAGER,
        ...(subresource && { subresource }),
      }),
    );

  const setFinalizer = (object: CustomResource): Promise<CustomResource> => {
    const { metadata, ...rest } = identity(object);
    return apply({ ...rest, metadata: { ...metadata, finalizers: [FINALIZER] } });
  };
  /**
   * Not by apply, which keeps a finalizer that another manager has set too, such as a restore from
   * a backup.
   */
  const dropFinalizer = (object: CustomResource): Promise<CustomResource> => {
    const { metadata, ...rest } = identity(object);
    const { resourceVersion, finalizers = [] } = object.metadata;
    return written(metadata, () =>
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

  /** Writes the status if it changed, and an event if the condition `Ready` changed. */
  async function writeStatus(
    object: CustomResource,
    fields: Record<string, unknown>,
    verdicts: Verdicts,
    isObserved = true,
  ): Promise<void> {
    const { generation = 0 } = object.metadata;
    const before = object.status ?? {};
    const given = {
      ...fields,
      observedGeneration: isObserved ? generation : before.observedGeneration,
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
      await recordEvent(kind, object, eventOf(old?.reason, now));
  }

  return { setFinalizer, dropFinalizer, writeStatus };
}

/** `Ready` is false while a field that somebody set has no effect: it may be one that refuses. */
function droppedVerdict(
  { spec, metadata }: CustomResource,
  read: SpecOf<KindName>,
  verdict: Verdict,
): Verdict {
  if (verdict.status !== 'True') return verdict;
  const dropped = droppedFields(spec, read, metadata.managedFields);
  return dropped.length === 0 ? verdict : notReady('FieldsDropped', droppedMessage(dropped));
}

/**
 * An error that only a change of a resource can correct; `undefined` for a failure that a retry may
 * correct.
 */
function refusalIn(error: unknown): Verdict | undefined {
  if (error instanceof RefusalError) return notReady(error.reason, error.message);
  if (
    error instanceof AppError &&
    (error.kind === 'conflict' || error.kind === 'validation_failed')
  )
    return notReady('Refused', error.message);
  return undefined;
}

/** The refusal of this work, if it is refused. @throws what else it throws */
async function refusalOf(work: Promise<unknown>): Promise<Verdict | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    const refused = refusalIn(error);
    if (refused === undefined) throw error;
    return refused;
  }
}

/**
 * The resource was deleted, or deleted and created again, since it was read. The watch reports what
 * exists now.
 */
class GoneError extends Error {
  override readonly name = 'GoneError';
}
