/** Sums up CPU profiles as Node writes them: where the time goes, by function and by package. Alone: `node test/bench/profile-summary.ts FILE…`. */
import { readdir, readFile, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';

import { table } from './table.ts';

type CallFrame = { functionName: string; url: string; lineNumber: number };
type CpuProfile = { nodes: { id: number; callFrame: CallFrame; children?: number[] }[]; samples: number[]; timeDeltas: number[] };

const TOP = 30;
const IDLE = '(idle)';

/** Names the profiles in a folder after their processes and sums up those of the named ones. */
export async function summariseProfiles(dir: string, names: ReadonlyMap<number, string>): Promise<string> {
  const texts: string[] = [];
  for (const file of (await readdir(dir)).filter((one) => one.startsWith('CPU.')).toSorted()) {
    const name = names.get(Number(file.split('.')[3]));
    if (name === undefined) continue;
    const path = join(dir, `${name}.cpuprofile`);
    await rename(join(dir, file), path);
    texts.push(await summariseProfile(path));
  }
  return texts.join('\n\n');
}

export async function summariseProfile(path: string): Promise<string> {
  const { nodes, samples, timeDeltas } = JSON.parse(await readFile(path, 'utf8')) as CpuProfile;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const selfMs = new Map<number, number>();
  for (const [index, id] of samples.entries()) selfMs.set(id, (selfMs.get(id) ?? 0) + (timeDeltas[index] ?? 0) / 1000);

  const [functions, packages, within] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()];
  let [busyMs, idleMs] = [0, 0];
  for (const [id, ms] of selfMs) {
    const frame = byId.get(id)?.callFrame;
    if (!frame) continue;
    if (frame.functionName === IDLE) {
      idleMs += ms;
      continue;
    }
    busyMs += ms;
    add(functions, place(frame), ms);
    add(packages, packageOf(frame), ms);
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const above = byId.get(at)?.callFrame;
      if (above && isNamed(above)) seen.add(place(above));
    }
    for (const one of seen) add(within, one, ms);
  }
  const top = (totals: Map<string, number>) =>
    table(['%', 'where'], [...totals].toSorted((one, other) => other[1] - one[1]).slice(0, TOP).map(([where, ms]) => [((100 * ms) / busyMs).toFixed(1), where]));
  return [
    `== ${basename(path)}: busy ${(busyMs / 1000).toFixed(1)} s, idle ${(idleMs / 1000).toFixed(1)} s; shares are of the busy time`,
    `-- by package\n${top(packages)}`,
    `-- by function, alone\n${top(functions)}`,
    `-- by function, with what it calls (until its first await)\n${top(within)}`,
  ].join('\n\n');
}

const add = (totals: Map<string, number>, key: string, ms: number) => void totals.set(key, (totals.get(key) ?? 0) + ms);

const isNamed = ({ functionName, url }: CallFrame) => url !== '' && functionName !== '';

const place = ({ functionName, url, lineNumber }: CallFrame) => `${functionName || '(anonymous)'}${url === '' ? '' : `  ${shortened(url)}:${lineNumber + 1}`}`;

const NPM_FILE = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/; // greedy: the innermost package

/** `(garbage collector)` and the like, `node:net`, a package of npm, or a file of ours. */
function packageOf({ functionName, url }: CallFrame): string {
  if (url === '') return functionName.startsWith('(') ? functionName : 'native code';
  return NPM_FILE.exec(url)?.[1] ?? shortened(url);
}

const shortened = (url: string) => url.replace(/^.*node_modules\//, '').replace(/^file:\/\/.*\/(services|test)\//, '$1/');

if (import.meta.main) {
  for (const path of process.argv.slice(2)) process.stdout.write(`${await summariseProfile(path)}\n\n`);
}
