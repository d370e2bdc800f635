/**
 * The cost of idle connections: accepted emails per second with and without them, alternating in
 * the same run.
 */
import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';
import type { Bed, System } from '../bed.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import type { Options } from '../options.ts';
import { usageOf } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const CONNECTIONS = 50;
const WARM_UP_MAILS = 500;
const OPENED_AT_ONCE = 50;

export const idleConnections: Scenario = {
  name: 'idle-connections',
  purpose: 'accepted emails per second, with and without idle SMTP connections',
  run: async (bed, options, report) => {
    const systems = bed.systems.filter(({ name }) => name === 'inlet' || name === 'other');
    const figures = [];
    for (const system of systems) {
      await warmUp(
        bed,
        system,
        { kind: '2k', connections: CONNECTIONS, mails: 0, seconds: 0 },
        WARM_UP_MAILS,
      );
      report(`${system.title}: ${options['idle-connections']} idle connections`);
      figures.push({
        system: system.name,
        title: system.title,
        ...(await takeTurns(bed, system, options)),
      });
    }
    return { text: textOf(figures, options['idle-connections']), figures };
  },
};

type Turns = {
  without: Run[];
  beside: Run[];
  /** Memory of the gateway per idle connection. */
  bytesEach: number;
};

async function takeTurns(
  bed: Bed,
  system: System,
  { mails, seconds, repeat, 'idle-connections': count }: Options,
): Promise<Turns> {
  const workload: Workload = { kind: '2k', connections: CONNECTIONS, mails, seconds };
  const turns: Turns = { without: [], beside: [], bytesEach: NaN };
  for (let round = 0; round < repeat; round++) {
    const without = async () => void turns.without.push(await measure(bed, system, workload));
    const beside = async () => {
      const before = memoryOf(system);
      await using _ = await holdIdle(system.port, count);
      if (round === 0) turns.bytesEach = (memoryOf(system) - before) / count;
      turns.beside.push(await measure(bed, system, workload));
    };
    for (const turn of round % 2 === 0 ? [without, beside] : [beside, without]) await turn();
  }
  return turns;
}

/** Connections that received the greeting and then stay silent. */
async function holdIdle(port: number, count: number): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  for (let opened = 0; opened < count; opened += OPENED_AT_ONCE) {
    const some = await Promise.all(
      Array.from({ length: Math.min(OPENED_AT_ONCE, count - opened) }, () => dialogue(port)),
    );
    for (const smtp of some) await greet(parts.use(smtp));
  }
  return parts.move();
}

async function greet(smtp: SmtpDialogue): Promise<void> {
  const reply = await smtp.say('EHLO idle.example');
  if (!reply.startsWith('250'))
    throw new Error(`an idle connection was answered ${smtp.greeting}; ${reply}`);
}

const memoryOf = ({ processes }: System): number =>
  usageOf(processes.gateway ?? 0)?.residentBytes ?? NaN;

function textOf(figures: readonly ({ title: string } & Turns)[], count: number): string {
  const rows = figures.flatMap(({ title, without, beside, bytesEach }) => {
    const show = (name: string, runs: readonly Run[]) => [
      title,
      name,
      figure(median(runs.map((run) => run.acceptedPerSecond))),
      figure(median(runs.map((run) => run.acceptMs.p50))),
      figure(median(runs.map((run) => run.acceptMs.p99))),
      figure(median(runs.map((run) => run.systemCpuPerThousand))),
      String(runs.reduce((sum, run) => sum + Object.keys(run.refusals).length, 0)),
      runs.map((run) => figure(run.acceptedPerSecond)).join(' '),
    ];
    const ratio = median(
      beside.map(
        (run, round) => run.acceptedPerSecond / (without[round]?.acceptedPerSecond ?? NaN),
      ),
    );
    return [
      show('none', without),
      show(`${count}`, beside),
      [
        title,
        'ratio',
        figure(ratio),
        '',
        '',
        '',
        '',
        `${figure(bytesEach / 1024)} KiB of memory each`,
      ],
    ];
  });
  return table(
    [
      'system',
      'idle',
      'accepted/s',
      'to 250 p50 ms',
      'p99 ms',
      'CPU s for 1,000',
      'refusals',
      'each run /s',
    ],
    rows,
  );
}
