/** The rules of the objectives are generated from slo.ts. `npm run golden` updates them. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';

import { metricsOf, SERVICES } from '../../services/generate/metric-names.ts';
import { SLO_RULES } from '../../services/generate/slo.ts';

const FOLDER = join(import.meta.dirname, '../../charts/inlet/files/alerts');

test('slo.yaml contains the rules of the objectives, and the folder no other file', async () => {
  await expect(
    `# Made from services/generate/slo.ts by: npm run golden\n${stringify(SLO_RULES, { lineWidth: 0 })}`,
  ).toMatchFileSnapshot(join(FOLDER, 'slo.yaml'));
  expect((await readdir(FOLDER)).toSorted()).toEqual(['inlet.yaml', 'slo.yaml']);
});

test('an objective has buckets at its limit, so its share is exact', () => {
  const buckets = new Map(
    SERVICES.flatMap(metricsOf).map(({ name, buckets: bounds }) => [name, bounds ?? []]),
  );
  const rules = SLO_RULES.groups.flatMap((group): { expr: string }[] => group.rules);
  const limits = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/(\w+)_bucket\{(?:paced!="true",)?le=~"(\d+)\|/g)].map(
      ([, name = '', limit]) => [name, Number(limit)],
    ),
  ) as [string, number][];
  expect(limits.length).toBeGreaterThan(5);
  expect(limits.filter(([name, limit]) => !buckets.get(name)?.includes(limit))).toEqual([]);
});
