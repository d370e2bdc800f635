/** docs/alerts.md: how each alert was provoked, how fast it fired and ended, and what its commands found. */

/** `cluster`: only Kubernetes has an answer. `no program`: the machine lacks it. */
export type Result = 'data' | 'empty' | 'failed' | 'cluster' | 'no program';

/** What a run of `npm run alerts` wrote down. */
export type Row = {
  alert: string;
  /** The rule as the chart had it. */
  expr?: string;
  for?: string;
  firedSeconds: number;
  endedSeconds: number;
  /** The commands of the runbook, in its order. */
  commands: { command: string; result: Result }[];
};

export type Story = {
  /** A sentence or two: what happened, and what ended it. */
  how: string;
  /** What of it was not real. Absent when the processes really were in that state. */
  madeUp?: string;
  /** Parts of commands that rightly find nothing in this state, or cannot work here, with the reason. */
  finds?: Readonly<Record<string, string>>;
  /** Why it lasts for longer than an hour after its cause has ended. */
  lasts?: string;
};

type Facts = { rows: ReadonlyMap<string, Row>; stories: Readonly<Record<string, Story>> };

const PROCESSES =
  'Each alert of the chart has a test that provokes it once in real processes: gateway, dispatcher, API, operator, ' +
  'NATS, MongoDB, rspamd and clamd. A real Prometheus evaluated the rules of the chart, and a real Alertmanager had ' +
  'the alert. While it fired, the queries and commands of its [runbook](monitoring.md#alerts) were run as they are ' +
  'written.';
const TIMES =
  '**All times are a sixtieth.** A minute of a rule is a second: `for`, the ranges and offsets of expressions, and ' +
  'the ages that they compare (three hours in InletSweepFailing, 300 seconds in InletQueueOld, 60 seconds in ' +
  'InletFirstAttemptsLate). Nothing else of an expression is different. The chart restricts `absent()` to its ' +
  'namespace, and so does the test. The columns "fired" and "ended" have the seconds that were measured, with the ' +
  'time that a process takes to start, which is not scaled. Prometheus scrapes and evaluates each second.';
const ENDS =
  '**No alert lasts for an hour** (60 s here) after its cause has ended, except those that the table explains. On a ' +
  'busy machine, a cause takes longer to end.';
const TABLE = [
  '| alert | what happened | what of it was not real | fired | ended |',
  '| --- | --- | --- | --- | --- |',
];
const SCRIPT =
  '`kubectl logs`, `kubectl exec` and `kubectl get secret` read the logs, the settings and the certificates of the ' +
  'processes. Every other `kubectl` needs a cluster. Hosts were those of the test.';
const AGAIN =
  '`npm run alerts` provokes all alerts again, and writes the results to `test/alerts/provoked`. `npm run golden` ' +
  'makes this page of them. A test fails when an alert is not there, or when its expression has changed ' +
  'since it was provoked.';

const MEANINGS: Readonly<Record<Result, string>> = {
  data: 'answered',
  empty: 'found nothing',
  failed: 'failed',
  cluster: 'need a cluster',
  'no program': 'need a program that the machine lacks',
};

/** @param names of the alerts, in the order of the chart */
export function alertsPage(names: readonly string[], facts: Facts): string {
  const table = [...TABLE, ...names.map((name) => lineOf(name, facts))].join('\n');
  const parts = ['# How each alert was provoked', PROCESSES, TIMES, ENDS, table];
  return `${[...parts, ...commandsOf(names, facts), AGAIN].join('\n\n')}\n`;
}

function lineOf(name: string, { rows, stories }: Facts): string {
  const row = rows.get(name);
  const { how, madeUp = '–', lasts } = stories[name] ?? { how: '' };
  const why = lasts === undefined ? '' : ` (${lasts})`;
  const cells = [
    `[${name}](runbooks/${name}.md)`,
    how,
    madeUp,
    row ? `${row.firedSeconds} s` : 'not yet',
    row ? `${row.endedSeconds} s${why}` : 'not yet',
  ];
  return `| ${cells.join(' | ')} |`;
}

function commandsOf(names: readonly string[], { rows, stories }: Facts): string[] {
  const all = names.flatMap((name) =>
    (rows.get(name)?.commands ?? []).map((one) => ({ name, ...one })),
  );
  const counts = Object.entries(MEANINGS).flatMap(([result, meaning]) => {
    const count = all.filter((one) => one.result === result).length;
    return count === 0 ? [] : [`${count} ${meaning}`];
  });
  const others = all
    .filter(({ result }) => result !== 'data')
    .map(({ name, command, result }) => {
      const reason = Object.entries(stories[name]?.finds ?? {}).find(([part]) =>
        command.includes(part),
      )?.[1];
      const text = command.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', String.raw`\|`);
      const why = reason === undefined || result === 'cluster' ? '' : `: ${reason}`;
      return `| ${name} | \`${text}\` | ${MEANINGS[result]}${why} |`;
    });
  const share = `Of ${all.length} queries and commands in the state of their alert, ${counts.join(', ')}.`;
  const table = ['| alert | command | result |', '| --- | --- | --- |', ...others].join('\n');
  return ['## Commands of the runbooks', `${share} ${SCRIPT}`, table];
}
