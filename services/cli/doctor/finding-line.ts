/** A finding as a line for people, with its advice below. */
import { type Paint, printable } from '../terminal/text.ts';
import type { Finding } from './finding.ts';

const MARKS: Record<Finding['result'], (paint: Paint) => string> = {
  ok: ({ green }) => green('ok     '),
  warning: ({ yellow }) => yellow('warning'),
  failed: ({ red }) => red('failed '),
  skipped: ({ dim }) => dim('skipped'),
};
const CHECK_COLUMNS = 21;

export function findingLine({ check, result, finding, advice }: Finding, paint: Paint): string {
  const line = `${MARKS[result](paint)}  ${check.padEnd(CHECK_COLUMNS)}${printable(finding)}\n`;
  return advice === undefined ? line : `${line}${' '.repeat(9)}→ ${advice}\n`;
}
