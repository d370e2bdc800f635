/**
 * The chart, values, image and Services that skaffold.yaml names exist. kubeconform.test.ts
 * validates it against skaffold's schema.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { CHART } from '../support/charts.ts';
import { findHelm } from '../support/helm.ts';

const CHECKOUT = join(CHART, '..', '..');
type Release = {
  name: string;
  namespace: string;
  chartPath: string;
  valuesFiles: string[];
  setValues: Record<string, string | number>;
  setValueTemplates: Record<string, string>;
};
type Skaffold = {
  build: { artifacts: { image: string; docker: { dockerfile: string } }[] };
  deploy: { helm: { releases: [Release] } };
  portForward: { resourceType: string; resourceName: string; namespace: string; port: number }[];
};
const skaffold = parse(await readFile(join(CHECKOUT, 'skaffold.yaml'), 'utf8')) as Skaffold;
const {
  build: { artifacts },
  deploy: {
    helm: {
      releases: [release],
    },
  },
  portForward,
} = skaffold;
const helm = await findHelm();

test('its files are there, and its image is the one that the chart runs', async () => {
  for (const file of [
    release.chartPath,
    ...release.valuesFiles,
    ...artifacts.map(({ docker }) => docker.dockerfile),
  ])
    expect([file, existsSync(join(CHECKOUT, file))]).toEqual([file, true]);
  const { image } = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as {
    image: { repository: string };
  };
  expect(artifacts.map((artifact) => artifact.image)).toEqual([image.repository]);
  const variable = image.repository.replaceAll(/[^a-z]/g, '_'); // as skaffold writes it
  expect(release.setValueTemplates).toEqual({
    'image.repository': `{{.IMAGE_REPO_${variable}}}`,
    'image.tag': `{{.IMAGE_TAG_${variable}}}`,
  });
});

test.skipIf(helm === undefined)(
  'the chart takes its values, and has the Services that it forwards',
  async () => {
    const sets = Object.entries(release.setValues).flatMap(([name, value]) => [
      '--set',
      `${name}=${value}`,
    ]);
    const rendered = await helm?.(
      'template',
      release.name,
      release.chartPath,
      '-n',
      release.namespace,
      ...release.valuesFiles.flatMap((file) => ['-f', file]),
      ...sets,
      '--set',
      'image.repository=local,image.tag=abc',
    );
    const services = parseAllDocuments(rendered ?? '').map(
      (document) =>
        document.toJS() as {
          kind: string;
          metadata: { name: string; namespace: string };
          spec: { ports: { port: number }[] };
        } | null,
    );
    for (const { resourceName, namespace, port } of portForward) {
      const service = services.find(
        (one) => one?.kind === 'Service' && one.metadata.name === resourceName,
      );
      expect([
        resourceName,
        service?.metadata.namespace,
        service?.spec.ports.some((one) => one.port === port),
      ]).toEqual([resourceName, namespace, true]);
    }
  },
);
