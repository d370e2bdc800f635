/** The dashboards in the chart are generated from dashboards.ts. `npm run golden` updates them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { SLOS } from '../../services/generate/alerts/slo.ts';
import { DASHBOARDS } from '../../services/generate/grafana/dashboards.ts';
import { type Dashboard, grafanaDashboard } from '../../services/generate/grafana/grafana.ts';

const FOLDER = join(import.meta.dirname, '../../charts/inlet/files/dashboards');
const panels = Object.values(DASHBOARDS).flatMap(({ title, rows }) =>
  Object.values(rows)
    .flat()
    .map((panel) => ({ dashboard: title, ...panel })),
);

test.each(Object.entries(DASHBOARDS))(
  '%s.json is what dashboards.ts describes',
  async (name, dashboard) => {
    await expect(`${JSON.stringify(grafanaDashboard(dashboard), null, 2)}\n`).toMatchFileSnapshot(
      join(FOLDER, `${name}.json`),
    );
  },
);

test('the folder contains no other dashboards', async () => {
  const files = await readdir(FOLDER);
  expect(files.toSorted()).toEqual(
    Object.keys(DASHBOARDS)
      .map((name) => `${name}.json`)
      .toSorted(),
  );
});

test('every panel has a description and a query', () => {
  expect(panels.filter(({ about }) => !about.endsWith('.')).map(({ title }) => title)).toEqual([]);
  expect(panels.filter(({ queries }) => queries.length === 0).map(({ title }) => title)).toEqual(
    [],
  );
});

/** Parts of an installation that it can be without. */
const PARTS = ['operator', 'backup', 'rspamd', 'clamd', 'virus', 'blocklist', 'tls_certificate'];
const LIMITS = ['authentication', 'jetstream_storage_max', 'stream_max'];
const OPTIONAL = new RegExp(`inlet_(${[...PARTS, ...LIMITS].join('|')})|kubelet_`);

test('every panel says why it has no data, in place of its data', () => {
  const optional = panels.filter(({ queries }) => queries.every(([expr]) => OPTIONAL.test(expr)));
  expect(optional.length).toBeGreaterThan(10);
  expect(optional.filter(({ emptyWhen }) => !emptyWhen).map(({ title }) => title)).toEqual([]);
  for (const dashboard of Object.values(DASHBOARDS)) {
    const { panels: placed } = grafanaDashboard(dashboard) as {
      panels: { type: string; fieldConfig: { defaults: { noValue: string } } }[];
    };
    for (const { fieldConfig } of placed.filter(({ type }) => type !== 'row'))
      expect(fieldConfig.defaults.noValue).toMatch(/^No data: \w/);
  }
});

test('panels have unique names, do not overlap, and fit the 24 columns', () => {
  for (const dashboard of Object.values(DASHBOARDS)) {
    const { panels: placed } = grafanaDashboard(dashboard) as {
      panels: { title: string; gridPos: { x: number; y: number; w: number; h: number } }[];
    };
    expect(new Set(placed.map(({ title }) => title)).size).toBe(placed.length);
    for (const {
      gridPos: { x, w },
    } of placed)
      expect(x + w).toBeLessThanOrEqual(24);
    const cells = placed.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length); // no panel covers another
  }
});

type Grafana = {
  uid: string;
  annotations: { list: { name: string; expr: string; enable: boolean }[] };
  links: { title: string; type: string; url?: string; includeVars?: boolean; keepTime?: boolean }[];
  templating: { list: { name: string; type: string; includeAll: boolean }[] };
};
const made = Object.values(DASHBOARDS).map((dashboard) => grafanaDashboard(dashboard) as Grafana);

test('variables choose the namespace, and the pod or the account', () => {
  expect(made.map(({ templating }) => templating.list.map(({ name }) => name))).toEqual([
    ...Array.from({ length: 3 }, () => ['datasource', 'namespace', 'pod', 'logs']),
    ['datasource', 'namespace', 'account', 'logs'],
  ]);
  const choices = made.flatMap(({ templating }) =>
    templating.list.filter(({ name }) => name === 'namespace').map(({ includeAll }) => includeAll),
  );
  expect(choices).toEqual([false, false, false, false]);
  const used = new Set(
    panels.flatMap(({ queries }) =>
      queries.flatMap(([expr]) => [...expr.matchAll(/"\$(\w+)"/g)].map(([, name]) => name)),
    ),
  );
  expect(used).toEqual(new Set(['namespace', 'pod', 'account']));
});

test('a dashboard uses only variables that it has', () => {
  for (const [name, { rows }] of Object.entries(DASHBOARDS)) {
    const { templating } = grafanaDashboard(DASHBOARDS[name] as Dashboard) as Grafana;
    const has = new Set(templating.list.map((variable) => variable.name));
    const queries = Object.values(rows).flatMap((row) => row.flatMap((panel) => panel.queries));
    const needs = queries.flatMap(([expr]) =>
      [...expr.matchAll(/\$([a-z]\w*)/g)].map(([, variable = '']) => variable),
    );
    expect([name, needs.filter((variable) => !has.has(variable))]).toEqual([name, []]);
  }
});

test('alerts and rollouts are marked on every dashboard', () => {
  for (const { annotations } of made)
    expect(annotations.list.map(({ name, enable }) => [name, enable])).toEqual([
      ['Alerts', true],
      ['Rollouts and restarts', true],
    ]);
});

test('links lead from each dashboard to the next, in a circle, and to the logs of the same pods and time', () => {
  const next = new Map(made.map(({ uid, links }) => [uid, links[0]?.url?.replace('/d/', '')]));
  let at: string | undefined = 'inlet-overview';
  const visited = made.map(() => String((at = next.get(String(at)))));
  expect(visited.toSorted()).toEqual(made.map(({ uid }) => uid).toSorted());
  expect(at).toBe('inlet-overview');
  for (const { links, templating } of made) {
    expect(links[0]).toMatchObject({ includeVars: true, keepTime: true });
    const choices = { namespace: 'mail', pod: 'inlet-gateway-1', logs: 'uid-1' };
    const url = Object.entries({ ...choices, __from: '1', __to: '2' }).reduce(
      (text, [name, value]) => text.replaceAll(`\${${name}:percentencode}`, value),
      links[1]?.url ?? '',
    );
    const panes = JSON.parse(new URL(url, 'http://grafana').searchParams.get('panes') ?? '') as {
      inlet: { datasource: string; queries: { expr: string }[]; range: object };
    };
    const choosesPod = templating.list.some(({ name }) => name === 'pod');
    const pod = choosesPod ? ', pod=~"inlet-gateway-1"' : '';
    expect(panes.inlet).toEqual({
      datasource: 'uid-1',
      queries: [
        {
          refId: 'A',
          expr: `{namespace=~"mail", container=~"gateway|dispatcher|api|operator"${pod}}`,
        },
      ],
      range: { from: '1', to: '2' },
    });
  }
});

test('the overview has a row with every objective and the burn rates', () => {
  expect(DASHBOARDS.overview?.rows.Objectives?.map(({ title }) => title)).toEqual([
    ...SLOS.map(({ title }) => title),
    'Burn rate of the error budgets',
  ]);
});
