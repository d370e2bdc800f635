/**
 * The alerts with all times divided by one factor, so that nobody has to wait an hour to see one. The
 * expressions stay what they are.
 */
import { parse } from 'yaml';

type Rule = { alert?: string; expr: string; for?: string };
/** What decides when an alert fires. */
export type Shipped = { expr: string; for?: string };
export type RuleFile = { groups: { name: string; rules: Rule[] }[] };

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/**
 * Ages that grow while an alert is provoked, as the expressions have them, and in seconds. All other
 * seconds in expressions are measured durations, or dates that can be chosen.
 */
export const AGES: Readonly<Record<string, readonly [text: string, seconds: number]>> = {
  InletSweepFailing: ['3 * 3600', 10_800],
  InletQueueOld: ['300', 300],
  InletFirstAttemptsLate: ['60', 60],
};

export const rulesByAlert = (texts: readonly string[]): ReadonlyMap<string, Shipped> =>
  new Map(
    texts
      .flatMap((text) => (parse(text) as RuleFile).groups)
      .flatMap(({ rules }) => rules)
      .flatMap(({ alert, expr, for: wait }) =>
        alert === undefined ? [] : [[alert, { expr: expr.trim(), ...(wait && { for: wait }) }]],
      ),
  );

/** `15m` in Prometheus' notation, divided: `15s` with the factor 60. A second at least. */
export function scaledDuration(duration: string, factor: number): string {
  const [, number, unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const seconds = Number(number) * (SECONDS[unit] ?? NaN);
  if (Number.isNaN(seconds)) throw new Error(`not a duration: ${duration}`);
  return `${Math.max(1, Math.round(seconds / factor))}s`;
}

/**
 * @param text of a file with plain Prometheus rules
 * @param namespace the one for which `absent()` is asked, as in the chart
 */
export function scaledRules(text: string, factor: number, namespace: string): RuleFile {
  const { groups } = parse(text) as RuleFile;
  const scaled = (rule: Rule): Rule => {
    const [age, seconds] = AGES[rule.alert ?? ''] ?? [];
    const expr = rule.expr
      .replaceAll(/\[(\d+[smhd])\]/g, (_, given: string) => `[${scaledDuration(given, factor)}]`)
      .replaceAll(
        /\boffset (\d+[smhd])\b/g,
        (_, given: string) => `offset ${scaledDuration(given, factor)}`,
      )
      .replaceAll('absent(inlet_build_info{', `absent(inlet_build_info{namespace="${namespace}", `);
    return {
      ...rule,
      expr: age === undefined ? expr : expr.replace(`> ${age}`, `> ${Number(seconds) / factor}`),
      ...(rule.for !== undefined && { for: scaledDuration(rule.for, factor) }),
    };
  };
  return { groups: groups.map((group) => ({ ...group, rules: group.rules.map(scaled) })) };
}
