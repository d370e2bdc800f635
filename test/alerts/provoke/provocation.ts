/** Provokes alerts and ends them, and writes down how long both took and what the runbooks' commands found. */
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

import { until } from '../../support/until.ts';
import type { Bed } from './bed.ts';
import { findTheCause } from './runbook-commands.ts';

export type Provocation = {
  /** Each has to fire, and to end. */
  alerts: readonly string[];
  /** For the table of docs/monitoring.md. */
  how: string;
  provoke: () => unknown;
  mend: () => unknown;
  /** Commands of the runbooks that rightly find nothing in this state, with the reason. */
  finds?: Readonly<Record<string, string>>;
  withinMs?: number;
};

/** One line of JSON for each alert, for the table of docs/monitoring.md. */
const RESULTS = join(import.meta.dirname, '../../../.inlet/provoked');
const WITHIN_MS = 420_000;

export async function provoked(
  bed: Bed,
  { alerts, how, provoke, mend, finds = {}, withinMs = WITHIN_MS }: Provocation,
): Promise<void> {
  const { namespace, monitoring } = bed;
  const others = new Set<string>();
  const changed = (isFiring: boolean, since: number) => async () => {
    const seconds = new Map<string, number>();
    await until(
      `${alerts.join(', ')} to ${isFiring ? 'fire' : 'end'}`,
      async () => {
        const active = await monitoring.active(namespace);
        for (const one of active) if (!alerts.includes(one)) others.add(one);
        for (const alert of alerts)
          if (active.has(alert) === isFiring && !seconds.has(alert))
            seconds.set(alert, Math.round((Date.now() - since) / 1_000));
        const left = alerts.filter((alert) => !seconds.has(alert));
        waitsFor = left.join(', ');
        if (left.length > 0) await sleep(200);
        return left.length === 0;
      },
      withinMs,
    ).catch((cause: unknown) => {
      throw new Error(`${isFiring ? 'silent' : 'still firing'}: ${waitsFor}`, { cause });
    });
    return seconds;
  };
  let waitsFor = '';
  await changed(false, Date.now())();
  const provokedMs = Date.now();
  await provoke();
  const fired = await changed(true, provokedMs)();
  const commands = [];
  for (const alert of alerts)
    for (const result of await findTheCause(bed, alert)) commands.push({ alert, ...result });
  const mendedMs = Date.now();
  await mend();
  const ended = await changed(false, mendedMs)();
  await mkdir(RESULTS, { recursive: true });
  for (const alert of alerts) {
    const own = commands
      .filter((one) => one.alert === alert)
      .map(({ command, result, said }) => ({ command, result, said: said.slice(-300) }));
    const row = {
      alert,
      how,
      fired: fired.get(alert),
      ended: ended.get(alert),
      others: [...others],
      commands: own,
    };
    await appendFile(join(RESULTS, `${namespace}.jsonl`), `${JSON.stringify(row)}\n`);
  }
  const wrong = commands.filter(
    ({ command, result }) =>
      (result === 'empty' || result === 'failed') &&
      !Object.keys(finds).some((part) => command.includes(part)),
  );
  expect
    .soft(
      wrong.map(({ alert, command, result, said }) => `${alert}: ${command}: ${result} ${said}`),
    )
    .toEqual([]);
}
