/**
 * Stops and restarts random nodes and dispatchers. Only one node is down at a time, and the cluster
 * recovers before the next. MongoDB hangs and clocks jump at any time.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { NatsCluster } from '../support/nats-cluster.ts';
import { type Calamity, calamitiesOf, freezeMongo, jumpClocks, loseAllData } from './calamities.ts';
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
  calamities: string[];
  freezes: number;
  jumps: number;
  /** When NATS had lost all of its data and worked again, in milliseconds since 1970. */
  emptiedAtMs: number | undefined;
  longestRecoveryMs: number;
  /** Of a dispatcher, from its process to its `listening`, without the time while a server was down. */
  longestStartMs: number;
  /** Starts of a dispatcher that took longer than they may. */
  lateStarts: number;
};

const CHECK_MS = 250;
const EMPTIED = 'NATS loses all of its data';
const BY_SIGKILL = 0.75; // the others get SIGTERM, as in a rollout
const CALAMITY = 0.05;
/** What NATS lost must have its end before the audit, which takes a quarter of an hour. */
const EMPTIED_AFTER_MS = 20_000;

/**
 * @param stopAtMs milliseconds since 1970
 * @param startWithinMs how long a dispatcher may start, without the time while a server is down: after
 * that, streams elect their leaders again
 * @param empties whether NATS loses all of its data once, near the beginning
 */
export function startStorm(
  field: Omit<
    Field,
    'nats' | 'mongo' | 'mailer' | 'addresses' | 'receiver' | 'erase' | 'startConsumer'
  >,
  chance: Chance,
  stopAtMs: number,
  startWithinMs: () => number,
  report: (line: string) => void,
  empties = false,
): Storm {
  const { cluster, dispatchers, clocks, mongodPid } = field;
  const startedMs = Date.now();
  const fallen: Fallen = {
    outages: [],
    dispatchers: 0,
    calamities: [],
    freezes: 0,
    jumps: 0,
    emptiedAtMs: undefined,
    longestRecoveryMs: 0,
    longestStartMs: 0,
    lateStarts: 0,
  };
  let isNodeDown = false;
  let isMongoFrozen = false;
  const onFrozen = (isFrozen: boolean) => (isMongoFrozen = isFrozen);
  const calamities = calamitiesOf(field);
  const shaking = Promise.all([
    shakeNodes(cluster, chance.fork('nodes')),
    shakeDispatchers(dispatchers, chance.fork('dispatchers')),
    shakeMongo(chance.fork('mongo')),
    shakeClocks(chance.fork('clocks')),
  ]);
  return { over: shaking.then(() => fallen) };

  async function shakeNodes(shaken: NatsCluster, own: Chance): Promise<void> {
    for (;;) {
      await sleep(own.between(500, 2_500));
      if (Date.now() > stopAtMs) return;
      const node = own.oneOf(shaken.nodes);
      const isCalamity = own.next() < CALAMITY;
      const fromMs = Date.now();
      const isEmptied =
        empties && fallen.emptiedAtMs === undefined && fromMs > startedMs + EMPTIED_AFTER_MS;
      isNodeDown = true;
      if (isEmptied) await suffer({ name: EMPTIED, strike: () => loseAllData(field) }, own);
      else if (isCalamity && calamities.length > 0) await suffer(own.oneOf(calamities), own);
      else await fell(node, own);
      isNodeDown = false;
      const restartedMs = Date.now();
      await shaken.healthy();
      const untilMs = Date.now();
      if (isEmptied) fallen.emptiedAtMs = untilMs;
      fallen.outages.push({ fromMs, untilMs });
      fallen.longestRecoveryMs = Math.max(fallen.longestRecoveryMs, untilMs - restartedMs);
    }
  }

  async function suffer({ name, strike }: Calamity, own: Chance): Promise<void> {
    report(name);
    await strike(own);
    fallen.calamities.push(name);
  }

  async function shakeMongo(own: Chance): Promise<void> {
    if (mongodPid === undefined) return;
    fallen.freezes = await freezeMongo(mongodPid, own, stopAtMs, onFrozen, report);
  }

  async function shakeClocks(own: Chance): Promise<void> {
    if (clocks.length > 0) fallen.jumps = await jumpClocks(clocks, own, stopAtMs, report);
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
      if (!isNodeDown && !isMongoFrozen) tookMs += Date.now() - checkedMs;
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
