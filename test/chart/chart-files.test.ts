/** What the chart carries of other folders, since Helm reads nothing outside a chart. `npm run golden` writes it anew. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';

import { VERSION } from '../../services/core/version.ts';
import { LEASE_RULES, RULES } from '../../services/operator/permissions.ts';
import { CHART } from '../support/helm.ts';

const CRDS = join(CHART, '..', '..', 'crds');
const crds = (await readdir(CRDS)).toSorted();

test.each(crds)('the chart carries crds/%s as it is', async (file) => {
  await expect(await readFile(join(CRDS, file), 'utf8')).toMatchFileSnapshot(
    join(CHART, 'files', 'crds', file),
  );
});

test('the chart carries no other definitions', async () => {
  expect((await readdir(join(CHART, 'files', 'crds'))).toSorted()).toEqual(crds);
});

test("the operator's roles are what it says that it does", async () => {
  const text = stringify(
    { resources: RULES, leases: LEASE_RULES },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
  await expect(
    `# Made from services/operator/permissions.ts by: npm run golden\n${text}`,
  ).toMatchFileSnapshot(join(CHART, 'files', 'operator-rules.yaml'));
});

test('chart, services and package have one version', async () => {
  const { appVersion } = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8')) as {
    appVersion: string;
  };
  const { version } = JSON.parse(
    await readFile(join(CHART, '..', '..', 'package.json'), 'utf8'),
  ) as { version: string };
  expect([appVersion, version]).toEqual([VERSION, VERSION]);
});
