/** Each file in charts/inlet/examples renders, and kubeconform accepts every object. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';

import { CHART } from '../support/helm.ts';
import { conform, kubeconform, WITHOUT_SCHEMA } from '../support/kubeconform.ts';
import { testDir } from '../support/servers.ts';
import { EXAMPLES, exampleArgs, FOLDER } from './examples.ts';
import { find, helm, manifestsIn, rendered, template } from './render.ts';

test('the README lists every example', async () => {
  const readme = await readFile(join(FOLDER, 'README.md'), 'utf8');
  const files = (await readdir(FOLDER)).filter((file) => file !== 'README.md');
  const listed = [...readme.matchAll(/^\| \[`(.+?)`\]\((.+?)\) \|/gm)].map(
    ([, , file = '']) => file,
  );
  expect(listed.toSorted()).toEqual(files.toSorted());
});

describe.skipIf(helm === undefined)('examples (skipped without helm)', () => {
  test.each(EXAMPLES)('%s changes what the production profile renders', async (example) => {
    await using args = await exampleArgs(example);
    const text = await template(args.values);
    expect(manifestsIn(text).length).toBeGreaterThan(30);
    expect(text).not.toBe(await template(['-f', join(CHART, 'values-production.yaml')]));
  });

  test.skipIf(kubeconform === undefined).each(EXAMPLES)(
    'kubeconform accepts every object of %s',
    async (example) => {
      await using args = await exampleArgs(example);
      const objects = manifestsIn(await template(args.values)).filter(
        ({ kind }) => !WITHOUT_SCHEMA.includes(kind),
      );
      const { resources, summary } = await conform(
        objects.map((one) => stringify(one)).join('---\n'),
      );
      expect(resources.filter(({ status }) => status !== 'statusValid')).toEqual([]);
      expect(summary.valid).toBe(objects.length);
    },
  );

  test('GitOps: the release leaves the definitions to the chart inlet-crds', async () => {
    for (const example of EXAMPLES.filter((name) => name.startsWith('gitops'))) {
      await using args = await exampleArgs(example);
      const made = await rendered(...args.values);
      expect(made.filter(({ kind }) => kind === 'CustomResourceDefinition')).toEqual([]);
      const text = await readFile(join(FOLDER, example), 'utf8');
      expect(text).toContain('charts/inlet-crds');
    }
  });

  test('examples can be combined: own NATS in EKS', async () => {
    const made = await rendered(
      '-f',
      join(CHART, 'values-production.yaml'),
      '-f',
      join(FOLDER, 'aws.yaml'),
      '-f',
      join(FOLDER, 'own-nats.yaml'),
    );
    expect(made.filter(({ metadata }) => metadata.name === 'inlet-nats')).toEqual([]);
    expect(find(made, 'Ingress', 'inlet-api').spec.ingressClassName).toBe('alb');
  });

  test('a fault in an example would be noticed', async () => {
    await using dir = await testDir();
    const file = join(dir.path, 'aws.yaml');
    const text = await readFile(join(FOLDER, 'aws.yaml'), 'utf8');
    await writeFile(file, text.replace('className: alb', 'classname: alb'));
    await expect(
      template(['-f', join(CHART, 'values-production.yaml'), '-f', file]),
    ).rejects.toThrow(/classname/);
    expect(parseAllDocuments(text)).toHaveLength(1);
  });
});
