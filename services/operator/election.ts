/**
 * Leader election: tries to hold a Lease, and leads while it does. core/kube/lease.ts decides, this
 * file acts.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { type Kube, KubeError, type KubeObject, type NewObject } from '../adapters/kube/client.ts';
import type { Log } from '../adapters/process/log.ts';
import {
  leaseHeldBy,
  type LeaseSpec,
  observe,
  mayHold,
  leaseReleased,
  type SeenLease,
} from '../core/kube/lease.ts';
import { RESOURCES } from './cluster/permissions.ts';

type Options = {
  /** A connection of its own, so that renewals never wait for other requests. */
  kube: Pick<Kube, 'get' | 'create' | 'update'>;
  lease: { namespace: string; name: string };
  identity: string;
  durationMs: number;
  /** Starts the work of a leader. */
  lead: () => AsyncDisposable;
  clock: () => Date;
};

export type Election = AsyncDisposable & {
  isLeader(): boolean;
  /**
   * Whether no other process can lead yet, by this process's own clock. Correct even right after a
   * pause of this process.
   */
  holds(): boolean;
  /** When the loop last ran, on the clock of `performance.now`. */
  lastRunMs(): number;
  /** When the API server last responded, on the same clock. */
  lastResponseMs(): number;
};

type Lease = KubeObject & { spec?: LeaseSpec };

/** The interval between renewals, as a share of the lease duration. */
const RENEW_SHARE = 0.1;
/** A leader that has not renewed for this share of the lease duration stops leading. */
const GIVE_UP_SHARE = 0.66;

export function startElection(
  { kube, lease: { namespace, name }, identity, durationMs, lead, clock }: Options,
  log: Log,
): Election {
  const stop = new AbortController();
  let seen: SeenLease | undefined;
  let leading: AsyncDisposable | undefined;
  let renewedMs = -Infinity;
  let ranMs = performance.now();
  let respondedMs = -Infinity;

  const holds = () => performance.now() - renewedMs <= durationMs * GIVE_UP_SHARE;

  const leaseObject = (spec: LeaseSpec, resourceVersion?: string): NewObject => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name, ...(resourceVersion !== undefined && { resourceVersion }) },
    spec,
  });

  async function read(): Promise<Lease | undefined> {
    try {
      return await kube.get<Lease>(RESOURCES.Lease, namespace, name);
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Takes or renews the lease. Resolves to whether this process holds it now. */
  async function takeLease(): Promise<boolean> {
    const found = await read();
    respondedMs = performance.now();
    seen = found && observe(seen, found.spec ?? {}, respondedMs);
    if (seen && !mayHold(seen, identity, respondedMs)) return false;
    const spec = leaseHeldBy(seen?.spec, identity, Math.ceil(durationMs / 1_000), clock());
    const sentMs = performance.now();
    // The resource version makes this a conflict if another process has written the lease since.
    const written = found
      ? await kube.update<Lease>(RESOURCES.Lease, leaseObject(spec, found.metadata.resourceVersion))
      : await kube.create<Lease>(RESOURCES.Lease, leaseObject(spec));
    seen = observe(undefined, written.spec ?? {}, sentMs);
    renewedMs = sentMs;
    return true;
  }

  async function stopLeading(why: string): Promise<void> {
    const led = leading;
    leading = undefined;
    if (!led) return;
    log.warn('leadership.ended', { why });
    await led[Symbol.asyncDispose]();
  }

  async function renew(): Promise<void> {
    ranMs = performance.now();
    try {
      const isMine = await takeLease();
      if (isMine && !leading) {
        log.info('leadership.begun', { identity });
        leading = lead();
      }
      if (!isMine) await stopLeading('another process holds the lease');
    } catch (error) {
      const isConflict = error instanceof KubeError && error.status === 409;
      if (!isConflict) log.warn('lease.unreachable', { error });
      if (!holds()) await stopLeading('the lease could not be renewed');
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await renew();
      await sleep(durationMs * RENEW_SHARE * (0.8 + 0.4 * Math.random()), undefined, {
        signal: stop.signal,
      }).catch(() => undefined);
    }
  }
  const running = run();

  return {
    isLeader: () => leading !== undefined,
    holds,
    lastRunMs: () => ranMs,
    lastResponseMs: () => respondedMs,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      if (!leading) return;
      await stopLeading('shutdown');
      try {
        const found = await read();
        if (found?.spec?.holderIdentity === identity)
          await kube.update(
            RESOURCES.Lease,
            leaseObject(leaseReleased(found.spec, clock()), found.metadata.resourceVersion),
          );
      } catch (error) {
        log.warn('lease.not_released', { error });
      }
    },
  };
}
