/** docs/alerts.md, made of what `npm run alerts` wrote down: every alert of the chart, with its present rule. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { alertsPage, type Row } from '../../services/generate/alerts-page.ts';
import { shippedRules } from '../alerts/provoke/shipped-rules.ts';
import { STORIES } from '../alerts/provoke/stories.ts';

const RESULTS = join(import.meta.dirname, '../alerts/provoked');
const PAGE = join(import.meta.dirname, '../../docs/alerts.md');

const names = [...shippedRules.keys()];
const rows = new Map<string, Row>();
for (const file of await readdir(RESULTS))
  for (const row of JSON.parse(await readFile(join(RESULTS, file), 'utf8')) as Row[])
    rows.set(row.alert, row);

test('every alert of the chart says how it is provoked', () => {
  expect(Object.keys(STORIES).toSorted()).toEqual(names.toSorted());
});

test('every alert was provoked', () => {
  expect([...rows.keys()].toSorted()).toEqual(names.toSorted());
});

test('every alert was provoked with its present rule', () => {
  const changed = [...rows.values()].filter(({ alert, expr, for: wait }) => {
    const shipped = shippedRules.get(alert);
    return expr !== shipped?.expr || wait !== shipped?.for;
  });
  expect(changed.map(({ alert }) => alert)).toEqual([]);
});

test('docs/alerts.md shows them', async () => {
  await expect(alertsPage(names, { rows, stories: STORIES })).toMatchFileSnapshot(PAGE);
});
