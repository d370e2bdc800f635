/**
 * Rare failures, one at a time with those of nodes: a disk that is full or lost, all data of NATS lost.
 * And those that come on their own: MongoDB hangs, clocks jump.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import { frozen } from '../support/frozen.ts';
import type { Chance } from './chance.ts';
import type { Field, ProcessClock } from './field.ts';

/** A failure of NATS that ends when the nodes run again. */
export type Calamity = { name: string; strike: (chance: Chance) => Promise<void> };

/** Faults that lose nothing that was accepted. */
export function calamitiesOf({
  cluster,
  disk,
  wipe,
}: Pick<Field, 'cluster' | 'disk' | 'wipe'>): Calamity[] {
  const last = cluster.nodes.at(-1);
  const lostDisk: Calamity = {
    name: 'a node loses its disk',
    strike: async (chance) => {
      const node = chance.oneOf(cluster.nodes);
      await node.kill();
      await wipe([node]);
      await sleep(chance.between(200, 5_000));
      await node.start();
    },
  };
  if (disk === undefined || last === undefined) return [lostDisk];
  const fullDisk: Calamity = {
    name: 'the disk of a node is full',
    strike: async (chance) => {
      await disk.fill();
      await sleep(chance.between(5_000, 20_000));
      await disk.empty();
      await sleep(chance.between(0, 5_000));
      // as the liveness probe of the chart does: until then, its streams store nothing
      await last.stop();
      await last.start();
    },
  };
  return [lostDisk, fullDisk];
}

/** What was accepted before may be lost: it must end all the same. */
export async function loseAllData({
  cluster,
  wipe,
}: Pick<Field, 'cluster' | 'wipe'>): Promise<void> {
  await Promise.all(cluster.nodes.map((node) => node.kill()));
  await wipe(cluster.nodes);
  await Promise.all(cluster.nodes.map((node) => node.start()));
}

const FREEZE_MS = [2_000, 60_000] as const;
const BETWEEN_FREEZES_MS = [20_000, 150_000] as const;

/** @param onFrozen while it hangs, nothing else need be in time */
export async function freezeMongo(
  pid: number,
  chance: Chance,
  stopAtMs: number,
  onFrozen: (isFrozen: boolean) => void,
  report: (line: string) => void,
): Promise<number> {
  for (let freezes = 0; ; freezes++) {
    await sleep(chance.between(...BETWEEN_FREEZES_MS));
    const forMs = chance.between(...FREEZE_MS);
    if (Date.now() + forMs > stopAtMs) return freezes;
    report(`MongoDB hangs for ${Math.round(forMs)} ms`);
    onFrozen(true);
    {
      using _ = await frozen(pid);
      await sleep(forMs);
    }
    onFrozen(false);
  }
}

const DAY_MS = 86_400_000;
const SHIFTS_MS = [-DAY_MS, -60_000, -3_000, 3_000, 60_000, DAY_MS] as const;
const BETWEEN_JUMPS_MS = [2_000, 20_000] as const;
const RIGHT = 0.4;

/** All clocks are right again when it ends. */
export async function jumpClocks(
  clocks: readonly ProcessClock[],
  chance: Chance,
  stopAtMs: number,
  report: (line: string) => void,
): Promise<number> {
  for (let jumps = 0; ; jumps++) {
    await sleep(chance.between(...BETWEEN_JUMPS_MS));
    if (Date.now() > stopAtMs) {
      await Promise.all(clocks.map(({ shift }) => shift(0)));
      return jumps;
    }
    const { name, shift } = chance.oneOf(clocks);
    const isInTheSeventies = chance.next() < 0.1;
    const ms = chance.next() < RIGHT ? 0 : isInTheSeventies ? -Date.now() : chance.oneOf(SHIFTS_MS);
    report(`the clock of ${name} is ${ms / 1_000} s ahead`);
    await shift(Math.round(ms));
  }
}
