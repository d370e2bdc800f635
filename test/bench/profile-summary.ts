/**
 * Summarizes Node's CPU profiles by package and function. Time in Node itself and in native code
 * counts for the package that called it. Also a program: `node test/bench/profile-summary.ts
 * FILE…`.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { featureOf } from './profile-features.ts';
import { table } from './table.ts';

type CallFrame = { functionName: string; url: string; lineNumber: number };
type CpuProfile = {
  startTime: number;
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
};

/** Microseconds of the monotonic clock, which profiles use, too. */
export type TimeSpan = { fromUs: number; toUs: number };

const TOP = 25;
const IDLE = '(idle)';

export const monotonicUs = (): number => Number(process.hrtime.bigint() / 1000n);

/**
 * Takes the profiles of the named processes, renames them, cuts them to a time span and summarizes
 * them.
 */
export async function summariseProfiles(
  dir: string,
  names: ReadonlyMap<number, string>,
  span: TimeSpan,
): Promise<string> {
  const texts: string[] = [];
  for (const file of (await readdir(dir)).filter((one) => one.startsWith('CPU.')).toSorted()) {
    const [pid, thread] = file.split('.').slice(3, 5).map(Number);
    const process = names.get(pid ?? NaN);
    const name = process !== undefined && thread ? `${process}-thread-${thread}` : process;
    const whole = join(dir, file);
    if (name !== undefined) {
      const path = join(dir, `${name}.cpuprofile`);
      await writeFile(path, JSON.stringify(cut(await read(whole), span)));
      texts.push(await summariseProfile(path));
    }
    await rm(whole);
  }
  return texts.join('\n\n');
}

export async function summariseProfile(path: string): Promise<string> {
  const { nodes, samples, timeDeltas } = await read(path);
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const selfMs = new Map<number, number>();
  for (const [index, id] of samples.entries()) add(selfMs, id, (timeDeltas[index] ?? 0) / 1000);

  const stackOf = (id: number): CallFrame[] => {
    const stack: CallFrame[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at))
      stack.push(frames.get(at) ?? { functionName: '', url: '', lineNumber: 0 });
    return stack;
  };
  const [features, charged, alone, within] = [
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
    new Map<string, number>(),
  ];
  let [busyMs, idleMs] = [0, 0];
  for (const [id, ms] of selfMs) {
    const stack = stackOf(id);
    const frame = stack[0];
    if (!frame) continue;
    if (frame.functionName === IDLE) {
      idleMs += ms;
      continue;
    }
    busyMs += ms;
    add(alone, place(frame), ms);
    add(features, featureOf(stack), ms);
    add(charged, packageOf(stack.find(isOutsideNode) ?? frame), ms);
    for (const one of new Set(stack.filter(isOutsideNode).map(place))) add(within, one, ms);
  }
  const top = (totals: ReadonlyMap<string, number>) =>
    table(
      ['%', 'where'],
      [...totals]
        .toSorted((one, other) => other[1] - one[1])
        .slice(0, TOP)
        .map(([where, ms]) => [((100 * ms) / busyMs).toFixed(1), where]),
    );
  return [
    `== ${basename(path)}: busy ${(busyMs / 1000).toFixed(1)} s, ` +
      `idle ${(idleMs / 1000).toFixed(1)} s; shares of the busy time`,
    `-- by feature\n${top(features)}`,
    `-- by package, with what Node did for it\n${top(charged)}`,
    `-- by function, alone\n${top(alone)}`,
    `-- by function, with what it calls before it awaits\n${top(within)}`,
  ].join('\n\n');
}

const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as CpuProfile;

function cut(profile: CpuProfile, { fromUs, toUs }: TimeSpan): CpuProfile {
  const kept: Pick<CpuProfile, 'samples' | 'timeDeltas'> = { samples: [], timeDeltas: [] };
  let atUs = profile.startTime;
  for (const [index, id] of profile.samples.entries()) {
    const delta = profile.timeDeltas[index] ?? 0;
    atUs += delta;
    if (atUs < fromUs || atUs > toUs) continue;
    kept.samples.push(id);
    kept.timeDeltas.push(delta);
  }
  return { ...profile, ...kept };
}

function add<K>(totals: Map<K, number>, key: K, ms: number): void {
  totals.set(key, (totals.get(key) ?? 0) + ms);
}

const isOutsideNode = ({ url }: CallFrame) => url.startsWith('file:');

const place = ({ functionName, url, lineNumber }: CallFrame) =>
  `${(functionName || '(anonymous)').slice(0, 60)}${url === '' ? '' : `  ${shortened(url)}:${lineNumber + 1}`}`;

const NPM_FILE = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/; // greedy: the innermost package

/** `(garbage collector)` and similar, `node:net`, an npm package, or one of our files. */
function packageOf({ functionName, url }: CallFrame): string {
  if (url === '')
    return functionName.startsWith('(') ? functionName : 'native code that Node called';
  return NPM_FILE.exec(url)?.[1] ?? shortened(url);
}

const shortened = (url: string) =>
  url.replace(/^.*node_modules\//, '').replace(/^file:\/\/.*\/(services|test)\//, '$1/');

if (import.meta.main) {
  for (const path of process.argv.slice(2))
    process.stdout.write(`${await summariseProfile(path)}\n\n`);
}
