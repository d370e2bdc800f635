/** The memory of `npm start` before its first email, on an installation of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StandaloneState } from '../../../services/standalone/state/state.ts';
import { until } from '../../support/until.ts';
import { usageOf } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { figure, table } from '../table.ts';

const GOAL_MB = 420;
const STARTED_WITHIN_MS = 60_000;
/** The sample email that the start sends is over by then. */
const IDLE_MS = 10_000;
/** The first start compiles; the second one finds the compiled code, as all later ones do. */
const STARTS = ['first', 'later'] as const;
const SERVICES = ['gateway', 'dispatcher', 'api'];
const SHOWN = [...SERVICES, 'services', 'standalone', 'nats-server', 'mongod'];

const CHECKOUT = resolve(import.meta.dirname, '..', '..', '..');

export const idleMemory: Scenario = {
  name: 'idle-memory',
  purpose: 'resident memory of the processes of npm start before any load',
  run: async ({ dataDir }, _, report) => {
    const figures: Record<string, Record<string, number>> = {};
    for (const start of STARTS) {
      report(`idle-memory: ${start} start`);
      figures[start] = await residentMb(join(dataDir, 'idle'), join(dataDir, 'compiled'));
    }
    const rows = SHOWN.map((name) => [
      name,
      ...STARTS.map((start) => figure(figures[start]?.[name] ?? NaN)),
    ]);
    return {
      text:
        `MB resident; goal: at most ${GOAL_MB} for the three services\n` +
        table(['process', ...STARTS.map((start) => `${start} start`)], rows),
      figures,
    };
  },
};

async function residentMb(dir: string, compileCache: string): Promise<Record<string, number>> {
  const child = spawn(process.execPath, [join(CHECKOUT, 'services/standalone/main.ts')], {
    cwd: CHECKOUT,
    stdio: 'ignore',
    env: {
      ...process.env,
      INLET_DIR: dir,
      INLET_CACHE: join(CHECKOUT, '.inlet', 'cache'),
      NODE_COMPILE_CACHE: compileCache,
      SMTP_PORT: '0',
      API_PORT: '0',
      RECEIVER_PORT: '0',
    },
  });
  const ended = once(child, 'exit');
  try {
    const state = () =>
      readFile(join(dir, 'standalone.json'), 'utf8').then(
        (text) => JSON.parse(text) as StandaloneState,
        () => undefined,
      );
    await until('npm start is ready', async () => (await state()) !== undefined, STARTED_WITHIN_MS);
    await sleep(IDLE_MS);
    const pids = { ...(await state())?.pids, standalone: child.pid };
    const mb: Record<string, number> = {};
    for (const [name, pid] of Object.entries(pids))
      mb[name] = (usageOf(pid ?? 0)?.residentBytes ?? NaN) / 2 ** 20;
    return { ...mb, services: SERVICES.reduce((sum, name) => sum + (mb[name] ?? NaN), 0) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
