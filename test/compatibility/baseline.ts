/** The contract of the last release, in files: one for each part, with a line for each entry. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Contract } from './contract.ts';

const FOLDER = join(import.meta.dirname, 'baseline');
const PARTS = [
  'openapi',
  'payload',
  'crds',
  'settings',
  'values',
  'metrics',
  'exitCodes',
  'commands',
] as const satisfies readonly (keyof Contract)[];
const fileOf = (part: string) => join(FOLDER, `${part}.golden.json`);

const read = async (part: string) => JSON.parse(await readFile(fileOf(part), 'utf8')) as unknown;

export type Baseline = { version: string; contract: Contract };

export async function readBaseline(): Promise<Baseline> {
  const parts = await Promise.all(PARTS.map(async (part) => [part, await read(part)]));
  const { version } = (await read('version')) as { version: string };
  return { version, contract: Object.fromEntries(parts) as Contract };
}

export async function writeBaseline({ version, contract }: Baseline): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const part of PARTS) await writeFile(fileOf(part), `${inLines(contract[part], 3)}\n`);
  await writeFile(fileOf('version'), `${JSON.stringify({ version })}\n`);
}

/** JSON with a line for each entry of the first levels, so that a diff can be read. */
function inLines(value: unknown, levels: number, indent = ''): string {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const deeper = `${indent} `;
  const lines = entries.map(
    ([key, part]) => `${deeper}${JSON.stringify(key)}:${inLines(part, levels - 1, deeper)}`,
  );
  return `{\n${lines.join(',\n')}\n${indent}}`;
}
