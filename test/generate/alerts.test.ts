/**
 * The heads of the runbooks and the list in docs/monitoring.md are generated from the rule files of
 * the chart, and the file of the objectives from slo.ts. `npm run golden` updates them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';

import { alertsList, alertsOf, runbookHead } from '../../services/generate/alerts/runbook-heads.ts';
import { SLO_RULES } from '../../services/generate/alerts/slo.ts';
import { metricsOf, SERVICES } from '../../services/generate/metric-names.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'charts/inlet/files/alerts');
const HEADER = `\
# Made from services/generate/alerts/slo.ts by: npm run golden
# The chart replaces the addresses of the links, and limits each metric to the namespace of the release. Without Helm,
# load this file as it is, or replace them with sed, as docs/monitoring.md shows.
`;
const LIST = /(<!-- alerts -->\n)[\s\S]*?(\n<!-- \/alerts -->)/;
type Groups = Parameters<typeof alertsList>[0];
const groups: Groups = [
  ...(parse(await readFile(join(FOLDER, 'inlet.yaml'), 'utf8')) as { groups: Groups }).groups,
  ...SLO_RULES.groups,
];
const HEAD = /(<!-- alert -->\n)[\s\S]*?(\n\n## )/;

/** The page with its generated part. */
async function pageWith(path: string, section: RegExp, text: string): Promise<string> {
  const page = await readFile(path, 'utf8');
  expect(page).toMatch(section);
  return page.replace(section, (_, start: string, end: string) => `${start}${text}${end}`);
}

test('slo.yaml contains the rules of the objectives', async () => {
  await expect(`${HEADER}${stringify(SLO_RULES, { lineWidth: 0 })}`).toMatchFileSnapshot(
    join(FOLDER, 'slo.yaml'),
  );
});

test('docs/monitoring.md lists the alerts', async () => {
  const path = join(ROOT, 'docs/monitoring.md');
  await expect(await pageWith(path, LIST, alertsList(groups))).toMatchFileSnapshot(path);
});

describe('the runbook begins with what the table says', () => {
  test.each(Object.entries(Object.groupBy(alertsOf(groups), ({ alert }) => alert)))(
    '%s',
    async (name, rules = []) => {
      const path = join(ROOT, 'docs/runbooks', `${name}.md`);
      await expect(await pageWith(path, HEAD, runbookHead(rules))).toMatchFileSnapshot(path);
    },
  );
});

test('an objective has buckets at its limit, so its share is exact', () => {
  const buckets = new Map(
    SERVICES.flatMap(metricsOf).map(({ name, buckets: bounds }) => [name, bounds ?? []]),
  );
  const rules = SLO_RULES.groups.flatMap(({ rules: all }) => all as { expr: string }[]);
  const limits = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/(\w+)_bucket\{namespace=~"\.\*", (?:paced!="true", )?le=~"(\d+)\|/g)].map(
      ([, name = '', limit]) => [name, Number(limit)],
    ),
  ) as [string, number][];
  expect(limits.length).toBeGreaterThan(5);
  expect(limits.filter(([name, limit]) => !buckets.get(name)?.includes(limit))).toEqual([]);
});
