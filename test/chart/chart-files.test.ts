/**
 * Copies of files from other folders, because Helm reads nothing outside a chart. `npm run golden`
 * updates them.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';

import { VERSION } from '../../services/core/version.ts';
import { LEASE_RULES, RULES } from '../../services/operator/permissions.ts';
import { CHART } from '../support/helm.ts';

const CRDS = join(CHART, '..', '..', 'crds');
const crds = (await readdir(CRDS)).toSorted();

test.each(crds)('the chart contains an exact copy of crds/%s', async (file) => {
  await expect(await readFile(join(CRDS, file), 'utf8')).toMatchFileSnapshot(
    join(CHART, 'files', 'crds', file),
  );
});

test('the chart contains no other definitions', async () => {
  expect((await readdir(join(CHART, 'files', 'crds'))).toSorted()).toEqual(crds);
});

test("the operator's roles match its declared permissions", async () => {
  const text = stringify(
    { resources: RULES, leases: LEASE_RULES },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
  await expect(
    `# Made from services/operator/permissions.ts by: npm run golden\n${text}`,
  ).toMatchFileSnapshot(join(CHART, 'files', 'operator-rules.yaml'));
});

test('chart, services and package have the same version and license', async () => {
  const { appVersion, annotations } = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8')) as {
    appVersion: string;
    annotations: Record<string, string>;
  };
  const { version, license } = JSON.parse(
    await readFile(join(CHART, '..', '..', 'package.json'), 'utf8'),
  ) as { version: string; license: string };
  expect([appVersion, version]).toEqual([VERSION, VERSION]);
  expect(annotations['artifacthub.io/license']).toBe(license);
});
