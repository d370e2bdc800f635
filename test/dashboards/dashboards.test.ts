/** The dashboards in the chart are generated from dashboards.ts. `npm run golden` updates them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { DASHBOARDS } from './dashboards.ts';
import { grafanaDashboard } from './grafana.ts';

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
