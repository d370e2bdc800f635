/** Keeps this process in the race for a Lease, and leads while it holds it. core/kube/lease.ts decides, this acts. */
import { setTimeout as sleep } from 'node:timers/promises';

import { type Kube, KubeError, type KubeObject, type NewObject } from '../adapters/kube/client.ts';
import type { Log } from '../adapters/process/log.ts';
import {
  held,
  type LeaseSpec,
  look,
  mayHold,
  released,
  type SeenLease,
} from '../core/kube/lease.ts';
import { RESOURCES } from './permissions.ts';

type Options = {
  /** A connection of its own: renewals wait for nothing. */
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
  /** Whether nobody else can lead yet, by this process's own clock: also right after the machine had stopped it, when it does not know yet that it leads no more. */
  holds(): boolean;
  /** When it last looked at the lease or tried to, on the clock of `performance.now`. */
  lastTurnMs(): number;
  /** When the API server last answered. */
  lastAnswerMs(): number;
};

type Lease = KubeObject & { spec?: LeaseSpec };

/** Of the duration: looks this often, and stops leading when no renewal succeeded for so long. */
const LOOK_SHARE = 0.1;
const GIVE_UP_SHARE = 0.66;

export function startElection(
  { kube, lease: { namespace, name }, identity, durationMs, lead, clock }: Options,
  log: Log,
): Election {
  const stop = new AbortController();
  let seen: SeenLease | undefined;
  let leading: AsyncDisposable | undefined;
  let renewedMs = -Infinity;
  let turnMs = performance.now();
  let answerMs = -Infinity;

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

  /** Whether the lease is this process's now. */
  async function hold(): Promise<boolean> {
    const found = await read();
    answerMs = performance.now();
    seen = found && look(seen, found.spec ?? {}, answerMs);
    if (seen && !mayHold(seen, identity, answerMs)) return false;
    const spec = held(seen?.spec, identity, Math.ceil(durationMs / 1_000), clock());
    const askedMs = performance.now();
    // The resource version makes sure that nobody else took it since.
    const written = found
      ? await kube.update<Lease>(RESOURCES.Lease, leaseObject(spec, found.metadata.resourceVersion))
      : await kube.create<Lease>(RESOURCES.Lease, leaseObject(spec));
    seen = look(undefined, written.spec ?? {}, askedMs);
    renewedMs = askedMs;
    return true;
  }

  async function stopLeading(why: string): Promise<void> {
    const led = leading;
    leading = undefined;
    if (!led) return;
    log.warn('leadership.ended', { why });
    await led[Symbol.asyncDispose]();
  }

  async function turn(): Promise<void> {
    turnMs = performance.now();
    try {
      const isMine = await hold();
      if (isMine && !leading) {
        log.info('leadership.begun', { identity });
        leading = lead();
      }
      if (!isMine) await stopLeading('another holds the lease');
    } catch (error) {
      const isConflict = error instanceof KubeError && error.status === 409;
      if (!isConflict) log.warn('lease.unreachable', { error });
      if (!holds()) await stopLeading('the lease could not be renewed');
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await turn();
      await sleep(durationMs * LOOK_SHARE * (0.8 + 0.4 * Math.random()), undefined, {
        signal: stop.signal,
      }).catch(() => undefined);
    }
  }
  const running = run();

  return {
    isLeader: () => leading !== undefined,
    holds,
    lastTurnMs: () => turnMs,
    lastAnswerMs: () => answerMs,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      if (!leading) return;
      await stopLeading('this process stops');
      try {
        const found = await read();
        if (found?.spec?.holderIdentity === identity)
          await kube.update(
            RESOURCES.Lease,
            leaseObject(released(found.spec, clock()), found.metadata.resourceVersion),
          );
      } catch (error) {
        log.warn('lease.not_released', { error });
      }
    },
  };
}
