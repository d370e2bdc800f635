/**
 * Copies of files from other folders, because Helm reads nothing outside a chart. `npm run golden`
 * updates them.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';

import { VERSION } from '../../services/core/version.ts';
import { LEASE_RULES, ROUTE_RULES, RULES } from '../../services/operator/cluster/permissions.ts';
import { CHART, CRD_CHART, CRDS } from '../support/charts.ts';

const crds = (await readdir(CRDS)).toSorted();

test("the operator's roles match its declared permissions", async () => {
  const text = stringify(
    { resources: RULES, leases: LEASE_RULES, routes: ROUTE_RULES },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
  await expect(
    `# Made from services/operator/cluster/permissions.ts by: npm run golden\n${text}`,
  ).toMatchFileSnapshot(join(CHART, 'files', 'operator-rules.yaml'));
});

type ChartFile = {
  version: string;
  appVersion: string;
  icon: string;
  home: string;
  sources: string[];
  maintainers: { name: string; url: string }[];
  annotations: Record<string, string>;
};
const chartFile = async (chart: string) =>
  parse(await readFile(join(chart, 'Chart.yaml'), 'utf8')) as ChartFile;
const packageFile = JSON.parse(await readFile(join(CHART, '..', '..', 'package.json'), 'utf8')) as {
  version: string;
  license: string;
};

test.each([CHART, CRD_CHART])(
  '%s names its version, license, icon and maintainers',
  async (chart) => {
    const { version, appVersion, icon, home, sources, maintainers, annotations } =
      await chartFile(chart);
    expect([appVersion, version, packageFile.version]).toEqual([VERSION, VERSION, VERSION]);
    expect(annotations['artifacthub.io/license']).toBe(packageFile.license);
    expect(icon.startsWith(home.replace('github.com', 'raw.githubusercontent.com'))).toBe(true);
    expect(
      await readFile(join(CHART, '..', '..', icon.replace(/^.*?\/main\//, '')), 'utf8'),
    ).toMatch(/^<svg /);
    expect(sources).toEqual([home]);
    expect(maintainers).toEqual([
      { name: 'Inlet maintainers', url: expect.stringMatching(/^https/) },
    ]);
  },
);

test('Artifact Hub shows the images, definitions and examples that the chart contains', async () => {
  const { annotations } = await chartFile(CHART);
  const shown = (name: string) =>
    parse(annotations[`artifacthub.io/${name}`] ?? '') as Record<string, string>[];
  const values = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as Record<
    'image' | 'nats' | 'mongodb',
    { repository: string; image: { repository: string; tag: string } }
  >;
  expect(shown('images').map(({ image }) => image)).toEqual([
    `${values.image.repository}:${VERSION}`,
    ...[values.nats, values.mongodb].map(({ image }) => `${image.repository}:${image.tag}`),
  ]);
  expect(
    shown('crds')
      .map(({ name }) => `${name}.yaml`)
      .toSorted(),
  ).toEqual(crds);
  for (const { url = '' } of shown('screenshots'))
    expect((await stat(join(CHART, '..', '..', url.replace(/^.*?\/main\//, '')))).isFile()).toBe(
      true,
    );
  expect(annotations['artifacthub.io/operatorCapabilities']).toBe('Basic Install'); // of Inlet itself
  const kinds = new Set(shown('crds').map(({ kind }) => kind));
  expect(shown('crdsExamples').filter(({ kind }) => !kinds.has(kind))).toEqual([]);
});
