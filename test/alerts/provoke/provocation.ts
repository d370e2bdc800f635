/** Provokes alerts and ends them, and prints how long both took. The commands of their runbooks must find something. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';

import { until } from '../../support/until.ts';
import type { Bed } from './bed.ts';
import { FACTOR } from './monitoring.ts';
import { type CommandResult, runRunbook } from './runbook-commands.ts';
import { STORIES } from './stories.ts';

export type Provocation = {
  /** Each has to fire, and to end. stories.ts says how they are provoked. */
  alerts: readonly string[];
  provoke: () => unknown;
  mend: () => unknown;
  withinMs?: number;
};

const WITHIN_MS = 420_000;
const ASKED_EVERY_MS = 200;
/** No alert lasts for an hour after its cause has ended, unless its story says why. */
const ENDED_WITHIN_S = 3_600 / FACTOR;
/** Jobs keep their times, so one that runs each hour fails here anyway. This one runs each minute. */
const LABELS = { InletSweepFailing: { sweep: 'failing_count' } };

export async function provoked(
  bed: Bed,
  { alerts, provoke, mend, withinMs = WITHIN_MS }: Provocation,
): Promise<void> {
  await changed(bed, alerts, false, withinMs);
  const provokedMs = Date.now();
  await provoke();
  const fired = await changed(bed, alerts, true, withinMs, provokedMs);
  const commands = new Map<string, CommandResult[]>();
  for (const alert of alerts) commands.set(alert, await runRunbook(bed, alert));
  const mendedMs = Date.now();
  await mend();
  const ended = await changed(bed, alerts, false, withinMs, mendedMs);
  const rows = alerts.map((alert) => ({
    alert,
    firedSeconds: fired.get(alert) ?? 0,
    endedSeconds: ended.get(alert) ?? 0,
  }));
  for (const { alert, firedSeconds, endedSeconds } of rows)
    process.stdout.write(
      `${alert}: fired after ${firedSeconds} s, ended after ${endedSeconds} s\n`,
    );
  const late = rows.filter(
    ({ alert, endedSeconds }) => endedSeconds > ENDED_WITHIN_S && !STORIES[alert]?.lasts,
  );
  expect.soft(late.map(({ alert, endedSeconds }) => `${alert}: ${endedSeconds} s`)).toEqual([]);
  expect.soft([...commands].flatMap(([alert, results]) => wrongOf(alert, results))).toEqual([]);
}

/**
 * Waits until each alert is active in Alertmanager, or none is.
 * @returns the seconds that each took
 */
async function changed(
  { monitoring, namespace }: Bed,
  alerts: readonly string[],
  isFiring: boolean,
  withinMs: number,
  sinceMs = Date.now(),
): Promise<ReadonlyMap<string, number>> {
  const seconds = new Map<string, number>();
  const left = () => alerts.filter((alert) => !seconds.has(alert));
  const ask = async (): Promise<boolean> => {
    const active = await monitoring.active(namespace, LABELS);
    for (const alert of left())
      if (active.has(alert) === isFiring)
        seconds.set(alert, Math.round((Date.now() - sinceMs) / 1_000));
    if (left().length > 0) await sleep(ASKED_EVERY_MS);
    return left().length === 0;
  };
  await until('the alerts', ask, withinMs).catch((cause: unknown) => {
    const what = isFiring ? 'does not fire' : 'does not end';
    throw new Error(`${what}: ${left().join(', ')}`, { cause });
  });
  return seconds;
}

/** Commands that found nothing or failed, without a reason in the story. */
function wrongOf(alert: string, results: readonly CommandResult[]): string[] {
  const reasons = Object.keys(STORIES[alert]?.finds ?? {});
  return results
    .filter(({ result }) => result === 'empty' || result === 'failed')
    .filter(({ command }) => !reasons.some((part) => command.includes(part)))
    .map(({ command, result, said }) => `${alert}: ${command}: ${result} ${said.slice(-300)}`);
}
