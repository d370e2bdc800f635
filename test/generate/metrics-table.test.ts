/**
 * The table in docs/monitoring.md is generated from the metrics that the services register.
 * `npm run golden` updates it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { metricsOf, SERVICES } from '../../services/generate/metric-names.ts';
import { metricsTable } from '../../services/generate/metrics-table.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = join(ROOT, 'docs/monitoring.md');
const SECTION = /(<!-- metrics -->\n)[\s\S]*?(\n<!-- \/metrics -->)/;

const metrics = SERVICES.flatMap(metricsOf);

test('docs/monitoring.md lists every metric as the services register it', async () => {
  const page = await readFile(PAGE, 'utf8');
  expect(page).toMatch(SECTION);
  await expect(
    page.replace(SECTION, (_, start: string, end: string) => `${start}${metricsTable()}${end}`),
  ).toMatchFileSnapshot(PAGE);
});

test('names follow the conventions of Prometheus: they end in a unit, counters in _total', () => {
  const units = 'seconds|bytes|mails|messages|addresses|connections|copies|sources|resources|keys';
  const hasUnit = new RegExp(`_(${units}|total|info|connected|in_\\w+|leader|ready)$`);
  expect(metrics.filter(({ name }) => !hasUnit.test(name)).map(({ name }) => name)).toEqual([]);
  expect(
    metrics
      .filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))
      .map(({ name }) => name),
  ).toEqual([]);
});

test('no label names an address, a mail or a receiver', () => {
  const bounded = new Set([
    'account',
    'backend',
    'blocklist',
    'code',
    'command',
    'job',
    'kind',
    'lane',
    'method',
    'node',
    'noticed',
    'outcome',
    'paced',
    'partition',
    'ready',
    'reason',
    'receiver_kind',
    'reply',
    'resource',
    'result',
    'route',
    'server',
    'state',
    'status',
    'stream',
    'stage',
    'sweep',
    'tls',
    'verb',
    'version',
    'revision',
  ]);
  expect(
    metrics.flatMap(({ name, labels }) =>
      labels.filter((label) => !bounded.has(label)).map((label) => `${name}{${label}}`),
    ),
  ).toEqual([]);
});

test('a metric that several services report has one meaning', () => {
  const meanings = metrics.map(({ name, help, type, labels }) =>
    JSON.stringify([name, help, type, labels]),
  );
  expect(new Set(meanings).size).toBe(new Set(metrics.map(({ name }) => name)).size);
});

test('the chart and the docs name only metrics that exist', async () => {
  const folders = await Promise.all(
    ['charts', 'docs'].map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((path) =>
        join(ROOT, folder, path),
      ),
    ),
  );
  const files = folders
    .flat()
    .filter((path) => /\.(ya?ml|json|tpl|txt|md)$/.test(path))
    .filter((path) => !path.endsWith('CHANGELOG.md')); // names former ones, too
  const known = new Set(
    metrics.flatMap(({ name, type }) =>
      type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  known.add('inlet_client'); // the Python package of docs/api.md, no metric
  const unknown: string[] = [];
  for (const file of [join(ROOT, 'README.md'), ...files]) {
    const named = (await readFile(file, 'utf8')).match(/\binlet_[a-z_]*[a-z]\b/g) ?? [];
    unknown.push(...named.filter((name) => !known.has(name)).map((name) => `${file}: ${name}`));
  }
  expect(unknown).toEqual([]);
});
