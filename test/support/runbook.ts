/** The runbook of the alerts, as the README has it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function runbookText(): Promise<string> {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  return /^### Alerts\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
}

/** Its PromQL: what stands in backticks and begins like an expression. */
export const runbookQueries = async (): Promise<string[]> =>
  [
    ...(await runbookText()).matchAll(
      /`((?:sum|rate|histogram_quantile|max|min)\b[^`]*\)|inlet_\w+(?:\{[^}`]*\})?)`/g,
    ),
  ].map(([, expr = '']) => expr);
