/**
 * Stops and restarts random nodes and dispatchers. Only one node is down at a time, and the cluster
 * recovers before the next.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { NatsCluster } from '../support/nats-cluster.ts';
import type { Chance } from './chance.ts';
import type { Field } from './field.ts';

export type Storm = {
  /**
   * Resolves with the failures when everything is running again. Rejects as soon as a node or
   * dispatcher does not start.
   */
  over: Promise<Fallen>;
};
type Victim = {
  name: string;
  kill(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
};
/** From the failure of a node until the cluster is healthy, in milliseconds since 1970. */
export type Outage = { fromMs: number; untilMs: number };
export type Fallen = {
  outages: Outage[];
  dispatchers: number;
  longestRecoveryMs: number;
  /** Of a dispatcher, from its process to its `listening`, without the time while a node was down. */
  longestStartMs: number;
  /** Starts of a dispatcher that took longer than they may. */
  lateStarts: number;
};

const CHECK_MS = 250;
const BY_SIGKILL = 0.75; // the others get SIGTERM, as in a rollout

/**
 * @param stopAtMs milliseconds since 1970
 * @param startWithinMs how long a dispatcher may start, without the time while a node is down: after
 * that, streams elect their leaders again
 */
export function startStorm(
  { cluster, dispatchers }: Pick<Field, 'cluster' | 'dispatchers'>,
  chance: Chance,
  stopAtMs: number,
  startWithinMs: () => number,
  report: (line: string) => void,
): Storm {
  const fallen: Fallen = {
    outages: [],
    dispatchers: 0,
    longestRecoveryMs: 0,
    longestStartMs: 0,
    lateStarts: 0,
  };
  let isNodeDown = false;
  const shaking = Promise.all([
    shakeNodes(cluster, chance.fork('nodes')),
    shakeDispatchers(dispatchers, chance.fork('dispatchers')),
  ]);
  return { over: shaking.then(() => fallen) };

  async function shakeNodes(shaken: NatsCluster, own: Chance): Promise<void> {
    for (;;) {
      await sleep(own.between(500, 2_500));
      if (Date.now() > stopAtMs) return;
      const node = own.oneOf(shaken.nodes);
      const fromMs = Date.now();
      isNodeDown = true;
      await fell(node, own);
      isNodeDown = false;
      const startedMs = Date.now();
      await shaken.healthy();
      const untilMs = Date.now();
      fallen.outages.push({ fromMs, untilMs });
      fallen.longestRecoveryMs = Math.max(fallen.longestRecoveryMs, untilMs - startedMs);
    }
  }

  async function shakeDispatchers(all: Field['dispatchers'], own: Chance): Promise<void> {
    for (;;) {
      await sleep(own.between(500, 3_000));
      if (Date.now() > stopAtMs) return;
      const victim = own.oneOf(all);
      await fell({ ...victim, start: () => startInTime(victim) }, own);
      fallen.dispatchers++;
    }
  }

  /** Reports a late start when it is late, not when it ends. */
  async function startInTime(victim: Victim): Promise<void> {
    let [tookMs, checkedMs, isLate] = [0, Date.now(), false];
    const count = () => {
      if (!isNodeDown) tookMs += Date.now() - checkedMs;
      checkedMs = Date.now();
    };
    const check = setInterval(() => {
      count();
      if (isLate || tookMs <= startWithinMs()) return;
      isLate = true;
      fallen.lateStarts++;
      report(`FAULT: ${victim.name} did not start in ${tookMs} ms with all nodes up`);
    }, CHECK_MS);
    await victim.start().finally(() => clearInterval(check));
    count();
    fallen.longestStartMs = Math.max(fallen.longestStartMs, tookMs);
  }

  async function fell(victim: Victim, own: Chance): Promise<void> {
    const isKilled = own.next() < BY_SIGKILL;
    const downMs = own.between(200, 2_500);
    report(`${victim.name} ${isKilled ? 'killed' : 'stopped'}, down for ${Math.round(downMs)} ms`);
    await (isKilled ? victim.kill() : victim.stop());
    await sleep(downMs);
    await victim.start();
  }
}
