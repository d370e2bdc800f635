/**
 * How long the stages took. Each run writes its times to .inlet/stage-times.json. `node
 * test/run/times.ts` copies them into the tables of README.md and .github/CONTRIBUTING.md: a stage by
 * its name, and `all` for their sum, which is the time of .ci/run.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FILE = join('.inlet', 'stage-times.json');
const PAGES = ['README.md', join('.github', 'CONTRIBUTING.md')];
/** `<!-- time test -->5 minutes<!-- -->` */
const TIME = /(<!-- time (\w+) -->)[^<]*(<!-- -->)/g;

export const minutesText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')}`;

/** In seconds, by stage. Other stages keep the time of their last run. */
export async function recordTimes(times: Readonly<Record<string, number>>): Promise<void> {
  await mkdir('.inlet', { recursive: true });
  await writeFile(FILE, `${JSON.stringify({ ...(await readTimes()), ...times }, null, 2)}\n`);
}

async function readTimes(): Promise<Record<string, number>> {
  const text = await readFile(FILE, 'utf8').catch(() => '{}');
  return JSON.parse(text) as Record<string, number>;
}

/** A page with these times in place of its own. A stage without a time keeps the one it has. */
export const withTimes = (page: string, times: Readonly<Record<string, number>>): string =>
  page.replace(TIME, (whole, before: string, stage: string, after: string) => {
    const seconds = stage === 'all' ? sumOf(times) : times[stage];
    return seconds === undefined ? whole : `${before}${roundedText(seconds)}${after}`;
  });

const sumOf = (times: Readonly<Record<string, number>>): number =>
  Object.values(times).reduce((sum, seconds) => sum + seconds, 0);

function roundedText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds / 10) * 10} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}

if (import.meta.main) {
  const times = await readTimes();
  for (const path of PAGES) await writeFile(path, withTimes(await readFile(path, 'utf8'), times));
}
