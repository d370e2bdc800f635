/** What the docs say about each alert, from the rule files: heads of runbooks, and the list of alerts. */
export type AlertRule = {
  alert: string;
  for?: string;
  labels: { severity: string; cause?: string };
  annotations: { description: string; impact: string };
};
type Group = { name: string; rules: readonly (AlertRule | { record: string })[] };

const UNITS: Record<string, string> = { m: 'minute', h: 'hour' };
const inWords = (duration: string): string => {
  const count = Number(duration.slice(0, -1));
  return `${count} ${UNITS[duration.slice(-1)]}${count === 1 ? '' : 's'}`;
};
const capitalized = (word: string): string => `${word[0]?.toUpperCase()}${word.slice(1)}`;

const state = ({ for: pending, labels, annotations }: AlertRule): string => {
  const after = pending === undefined ? '' : ` after ${inWords(pending)}`;
  const text = `**${capitalized(labels.severity)}**${after}: ${annotations.description}`;
  return labels.cause === undefined ? text : `- \`${labels.cause}\`: ${text}`;
};

/**
 * The head of a runbook: severity, condition, meaning, and what users notice.
 * @param rules of one alert
 */
export const runbookHead = (rules: readonly AlertRule[]): string =>
  `${rules.map(state).join('\n')}\n\n**Users notice**: ${rules[0]?.annotations.impact}`;

export const alertsOf = (groups: readonly Group[]): AlertRule[] =>
  groups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule));

/** The list in docs/monitoring.md, by the names of the groups. */
export const alertsList = (groups: readonly Group[]): string =>
  groups
    .map((group) => ({ title: group.name.replace('inlet-', ''), rules: alertsOf([group]) }))
    .filter(({ rules }) => rules.length > 0)
    .map(({ title, rules }) => {
      const names = new Set(rules.map(({ alert }) => `[${alert}](runbooks/${alert}.md)`));
      return `**${capitalized(title)}**: ${[...names].join(', ')}`;
    })
    .join('\n\n');
