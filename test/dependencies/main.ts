/**
 * `npm run check:dependencies`: packages of the lock file with a newer release. Exit status 1: one
 * that runs in production is late, and docs/project/dependencies.md does not say why. 2: npm's registry
 * could not be asked. Works in the current folder.
 */
import { readFile } from 'node:fs/promises';

import {
  behind,
  type Behind,
  DAYS_ALLOWED,
  daysBehind,
  exceptionsOf,
  isLate,
  type LockFile,
  lockedPackages,
  withUpdate,
} from './judgement.ts';
import { CannotAsk, latestVersions, releasesOf } from './npm.ts';

const ASKED_AT_ONCE = 4;
const now = new Date();

const print = (line: string) => process.stdout.write(`${line}\n`);

async function check(): Promise<number> {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as LockFile;
  const page = await readFile('docs/project/dependencies.md', 'utf8').catch(() => '');
  const excused = exceptionsOf(page);
  const locked = lockedPackages(lock);
  const old = await updatesOf(behind(locked, await latestVersions()));
  const late = old.filter((one) => isLate(one, excused, now));
  for (const one of old.toSorted((a, b) => rank(a) - rank(b))) print(lineOf(one, late));
  print(`${locked.length} packages, ${old.length} with a newer release, ${late.length} late`);
  if (late.length === 0) return 0;
  print(
    `Late: used in production, and more than ${DAYS_ALLOWED} days behind a patch or minor release. ` +
      'Update it, or say why not under "Exceptions" in docs/project/dependencies.md.',
  );
  return 1;
}

/** Packages for development are listed only. */
async function updatesOf(old: readonly Behind[]): Promise<Behind[]> {
  const names = [...new Set(old.filter((one) => one.isForRuntime).map(({ name }) => name))];
  const releases = new Map<string, Awaited<ReturnType<typeof releasesOf>>>();
  const work = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      releases.set(name, await releasesOf(name));
  };
  await Promise.all(Array.from({ length: ASKED_AT_ONCE }, work));
  return old.map((one) => {
    const known = one.isForRuntime ? releases.get(one.name) : undefined;
    return known === undefined ? one : withUpdate(one, known);
  });
}

const rank = ({ isForRuntime, update }: Behind) => (isForRuntime ? (update ? 0 : 1) : 2);

function lineOf(one: Behind, late: readonly Behind[]): string {
  const { name, version, latest, update, location, isForRuntime } = one;
  const days = daysBehind(one, now);
  const since = Number.isFinite(days) ? `${days} days` : 'unknown time';
  return [
    late.includes(one) ? 'LATE ' : isForRuntime ? 'run  ' : 'dev  ',
    `${name} ${version} → ${update === undefined ? '' : `${update} (for ${since})`}`,
    update === latest ? '' : `${update === undefined ? '' : ', '}latest ${latest}`,
    location === `node_modules/${name}` ? '' : `  in ${location}`,
  ].join('');
}

process.exitCode = await check().catch((error: unknown) => {
  if (!(error instanceof CannotAsk)) throw error;
  print(`Cannot ask npm's registry, so nothing was checked: ${error.message}`);
  return 2;
});
