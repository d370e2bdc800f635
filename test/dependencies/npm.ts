/** Asks npm what its registry has, with npm's own settings: registries, tokens, proxy, certificates. */
import { spawn } from 'node:child_process';

import type { Releases } from './judgement.ts';

/** The registry did not answer, or not as one. */
export class CannotAsk extends Error {
  override readonly name = 'CannotAsk';
}

const TIMEOUT_MS = 10 * 60_000;
const OUTPUT_MAX_CHARS = 64 * 1024 * 1024;

/** Standard output as JSON; undefined when there is none. @throws CannotAsk */
async function npm(args: readonly string[]): Promise<unknown> {
  const child = spawn('npm', [...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const output = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.out += text;
    if (output.out.length > OUTPUT_MAX_CHARS) child.kill();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.error = (output.error + text).slice(0, 10_000);
  });
  await new Promise((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', (cause) => reject(new CannotAsk(`npm ${args[0]}`, { cause })));
  });
  try {
    const answer = output.out.trim() === '' ? undefined : (JSON.parse(output.out) as unknown);
    const { error } = (answer ?? {}) as { error?: { code?: string; summary?: string } };
    if (typeof error?.code === 'string') throw new CannotAsk(`${error.code}: ${error.summary}`);
    if (answer === undefined && /^npm (ERR!|error)/m.test(output.error))
      throw new CannotAsk(output.error);
    return answer;
  } catch (error) {
    if (error instanceof CannotAsk) throw error;
    throw new CannotAsk(output.error || 'npm wrote no JSON', { cause: error });
  }
}

type Entry = { latest?: string };

/** The newest version of each package that is installed or missing, if another one is locked. */
export async function latestVersions(): Promise<Map<string, string>> {
  const answer = ((await npm(['outdated', '--all'])) ?? {}) as Record<string, Entry | Entry[]>;
  return new Map(
    Object.entries(answer).flatMap(([name, entries]): [string, string][] => {
      const latest = [entries].flat().find((entry) => entry.latest !== undefined)?.latest;
      return latest === undefined ? [] : [[name, latest]];
    }),
  );
}

export async function releasesOf(name: string): Promise<Releases> {
  const answer = (await npm(['view', name, 'versions', 'time'])) as {
    versions?: string | string[];
    time?: Record<string, string>;
  };
  const { versions = [], time } = answer;
  return { versions: [versions].flat(), ...(time !== undefined && { time }) };
}
