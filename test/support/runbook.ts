/**
 * The runbook pages of the alerts: docs/runbooks/<Alert>.md, and the commands and queries on them.
 */
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

/** Code blocks of a language, without the indentation that a list gives them. */
export const codeBlocks = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'))].map(
    ([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
  );

/** All PromQL on the pages. */
export const runbookQueries = async (): Promise<string[]> =>
  codeBlocks(await runbookText(), 'promql');
