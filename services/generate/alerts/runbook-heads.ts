/** What the docs say about each alert, from the table: heads of runbooks, and the list of alerts. */
import type { Alert, Rule } from './alert.ts';
import { ALERTS } from './rule-files.ts';

const UNITS: Record<string, string> = { m: 'minute', h: 'hour' };
const inWords = (duration: string): string => {
  const count = Number(duration.slice(0, -1));
  return `${count} ${UNITS[duration.slice(-1)]}${count === 1 ? '' : 's'}`;
};

const state = ({ cause, severity, for: pending, when, means }: Rule): string => {
  const word = `${severity[0]?.toUpperCase()}${severity.slice(1)}`;
  const after = pending === undefined ? '' : ` after ${inWords(pending)}`;
  const text = `**${word}**${after}: ${when}. ${means}`;
  return cause === undefined ? text : `- \`${cause}\`: ${text}`;
};

/** The head of a runbook: severity, condition, meaning, and what users notice. */
export const runbookHead = ({ rules, users }: Alert): string =>
  `${rules.map(state).join('\n')}\n\n**Users notice**: ${users}`;

/** The list in docs/monitoring.md. */
export const alertsList = (): string =>
  Object.entries(ALERTS)
    .map(
      ([title, alerts]) =>
        `**${title}**: ${alerts.map(({ name }) => `[${name}](runbooks/${name}.md)`).join(', ')}`,
    )
    .join('\n\n');
