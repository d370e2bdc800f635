/**
 * Stops and restarts random nodes and dispatchers. Only one node is down at a time, and the cluster
 * recovers before the next.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { NatsCluster } from '../support/nats-cluster.ts';
import type { Chance } from './chance.ts';
import type { Field } from './field.ts';

export type Storm = {
  /** Resolves with the failures when everything is running again. */
  over(): Promise<Fallen>;
};
type Victim = {
  name: string;
  kill(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
};
export type Fallen = { nodes: number; dispatchers: number; longestRecoveryMs: number };

const BY_SIGKILL = 0.75; // the others get SIGTERM, as in a rollout

/** @param untilMs milliseconds since 1970 */
export function startStorm(
  { cluster, dispatchers }: Pick<Field, 'cluster' | 'dispatchers'>,
  chance: Chance,
  untilMs: number,
  report: (line: string) => void,
): Storm {
  const fallen: Fallen = { nodes: 0, dispatchers: 0, longestRecoveryMs: 0 };
  const shaking = Promise.all([
    shakeNodes(cluster, chance.fork('nodes')),
    shakeDispatchers(dispatchers, chance.fork('dispatchers')),
  ]);
  shaking.catch(() => undefined); // over() reports it
  return {
    over: async () => {
      await shaking;
      return fallen;
    },
  };

  async function shakeNodes(shaken: NatsCluster, own: Chance): Promise<void> {
    for (;;) {
      await sleep(own.between(500, 2_500));
      if (Date.now() > untilMs) return;
      const node = own.oneOf(shaken.nodes);
      await fell(node, own);
      fallen.nodes++;
      const startedMs = Date.now();
      await shaken.healthy();
      fallen.longestRecoveryMs = Math.max(fallen.longestRecoveryMs, Date.now() - startedMs);
    }
  }

  async function shakeDispatchers(all: Field['dispatchers'], own: Chance): Promise<void> {
    for (;;) {
      await sleep(own.between(500, 3_000));
      if (Date.now() > untilMs) return;
      await fell(own.oneOf(all), own);
      fallen.dispatchers++;
    }
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
