/** The runbook pages of the alerts: docs/runbooks/<Alert>.md. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../docs/runbooks');

/** The text of each page, by its alert. */
export async function runbookPages(): Promise<Map<string, string>> {
  const files = await readdir(FOLDER);
  return new Map(
    await Promise.all(
      files.map(
        async (file) =>
          [basename(file, '.md'), await readFile(join(FOLDER, file), 'utf8')] as const,
      ),
    ),
  );
}

export const runbookText = async (): Promise<string> =>
  [...(await runbookPages()).values()].join('\n');

/** The PromQL on the pages: what is in backticks and begins like an expression. */
export const runbookQueries = async (): Promise<string[]> =>
  [
    ...(await runbookText()).matchAll(
      /`((?:sum|rate|histogram_quantile|max|min)\b[^`]*\)|inlet_\w+(?:\{[^}`]*\})?)`/g,
    ),
  ].map(([, expr = '']) => expr);
