/**
 * The rules, the heads of the runbooks and the list in docs/monitoring.md are generated from the
 * table in services/generate/alerts. `npm run golden` updates them.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';

import { ALERTS, RULE_FILES } from '../../services/generate/alerts/rule-files.ts';
import { alertsList, runbookHead } from '../../services/generate/alerts/runbook-heads.ts';
import { metricsOf, SERVICES } from '../../services/generate/metric-names.ts';
import { SLO_ALERTS, SLO_RECORDS } from '../../services/generate/alerts/slo.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'charts/inlet/files/alerts');
const HEADER = `\
# Made from services/generate/alerts by: npm run golden
# The chart replaces the addresses of the links, and limits each metric to the namespace of the release. Without Helm,
# load this file as it is, or replace them with sed, as docs/monitoring.md shows.
`;
const LIST = /(<!-- alerts -->\n)[\s\S]*?(\n<!-- \/alerts -->)/;
const HEAD = /(<!-- alert -->\n)[\s\S]*?(\n\n## )/;

/** The page with its generated part. */
async function pageWith(path: string, section: RegExp, text: string): Promise<string> {
  const page = await readFile(path, 'utf8');
  expect(page).toMatch(section);
  return page.replace(section, (_, start: string, end: string) => `${start}${text}${end}`);
}

test.each(Object.entries(RULE_FILES))('%s contains the rules of the table', async (file, rules) => {
  await expect(`${HEADER}${stringify(rules, { lineWidth: 0 })}`).toMatchFileSnapshot(
    join(FOLDER, file),
  );
});

test('the folder has no other file', async () => {
  expect((await readdir(FOLDER)).toSorted()).toEqual(Object.keys(RULE_FILES).toSorted());
});

test('docs/monitoring.md lists the alerts', async () => {
  const path = join(ROOT, 'docs/monitoring.md');
  await expect(await pageWith(path, LIST, alertsList())).toMatchFileSnapshot(path);
});

describe('the runbook begins with what the table says', () => {
  test.each(
    Object.values(ALERTS)
      .flat()
      .map((alert) => [alert.name, alert] as const),
  )('%s', async (name, alert) => {
    const path = join(ROOT, 'docs/runbooks', `${name}.md`);
    await expect(await pageWith(path, HEAD, runbookHead(alert))).toMatchFileSnapshot(path);
  });
});

test('an objective has buckets at its limit, so its share is exact', () => {
  const buckets = new Map(
    SERVICES.flatMap(metricsOf).map(({ name, buckets: bounds }) => [name, bounds ?? []]),
  );
  const rules = [...SLO_RECORDS, ...SLO_ALERTS.flatMap(({ rules: states }) => states)];
  const limits = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/(\w+)_bucket\{(?:paced!="true",)?le=~"(\d+)\|/g)].map(
      ([, name = '', limit]) => [name, Number(limit)],
    ),
  ) as [string, number][];
  expect(limits.length).toBeGreaterThan(5);
  expect(limits.filter(([name, limit]) => !buckets.get(name)?.includes(limit))).toEqual([]);
});
