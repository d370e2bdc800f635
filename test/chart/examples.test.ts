/**
 * Each file in charts/inlet/examples renders, and kubeconform accepts every object: those of the
 * chart and those of Argo CD and Flux.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { VERSION } from '../../services/core/version.ts';
import { sourceOf } from '../../services/api/http/source-address.ts';
import { CHART, CRD_CHART } from '../support/charts.ts';
import { conform, kubeconform } from '../support/kubeconform.ts';
import { testDir } from '../support/servers.ts';
import { EXAMPLES, exampleArgs, FOLDER, gitOpsArgs, isGitOps, releasesIn } from './examples.ts';
import { find, helm, manifestsIn, rendered, template } from './render.ts';

const GITOPS = EXAMPLES.filter(isGitOps);
const read = (example: string) => readFile(join(FOLDER, example), 'utf8');

/** The objects that kubeconform refuses, and whether it has checked all. */
async function verdict(text: string): Promise<{ refused: object[]; isComplete: boolean }> {
  const { resources, summary } = await conform(text);
  const refused = resources.filter(({ status }) => status !== 'statusValid');
  return {
    refused,
    isComplete: summary.valid + refused.length === manifestsIn(text).length,
  };
}
const ACCEPTED = { refused: [], isComplete: true };

test('the README lists every example', async () => {
  const readme = await read('README.md');
  const files = (await readdir(FOLDER)).filter((file) => file !== 'README.md');
  const listed = [...readme.matchAll(/^\| \[`(.+?)`\]\((.+?)\) \|/gm)].map(
    ([, , file = '']) => file,
  );
  expect(listed.toSorted()).toEqual(files.toSorted());
});

test('gke.yaml: behind the load balancer, which appends two addresses, a client has its own', async () => {
  const { api } = parse(await read('gke.yaml')) as {
    api: { trustedProxies: string[]; trustedProxyHops: number };
  };
  const request = {
    socket: { remoteAddress: '35.191.0.7' },
    headers: { 'x-forwarded-for': '10.1.2.3, 198.51.100.9, 203.0.113.80' }, // the first is invented
  } as unknown as IncomingMessage;
  const proxies = { networks: api.trustedProxies, hops: api.trustedProxyHops };
  expect(sourceOf(request, proxies)).toBe('198.51.100.9');
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
      expect(await verdict(await template(args.values))).toEqual(ACCEPTED);
    },
  );

  test('GitOps: the release leaves the definitions to the chart inlet-crds', async () => {
    for (const example of GITOPS) {
      await using args = await exampleArgs(example);
      const made = await rendered(...args.values);
      expect(made.filter(({ kind }) => kind === 'CustomResourceDefinition')).toEqual([]);
      expect(releasesIn(await read(example)).map(({ chart }) => chart)).toEqual([CRD_CHART, CHART]);
    }
  });

  test.each(GITOPS)('%s begins with the production profile', async (example) => {
    const [, release] = releasesIn(await read(example));
    expect(release?.files).toEqual([join(CHART, 'values-production.yaml')]);
  });

  test.each(GITOPS)('a wrong path of values in %s would be noticed', async (example) => {
    const text = await read(example);
    await using args = await gitOpsArgs(text.replace('values-production', 'values-prod'));
    await expect(template(args.values)).rejects.toThrow(/values-prod\.yaml: no such file/);
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
    const text = await read('aws.yaml');
    await writeFile(file, text.replace('className: alb', 'classname: alb'));
    await expect(
      template(['-f', join(CHART, 'values-production.yaml'), '-f', file]),
    ).rejects.toThrow(/classname/);
    expect(parseAllDocuments(text)).toHaveLength(1);
  });
});

describe.skipIf(kubeconform === undefined)(
  'objects that no chart renders (skipped without Go)',
  () => {
    test.each(GITOPS)('kubeconform accepts every object in %s', async (example) => {
      expect(await verdict(await read(example))).toEqual(ACCEPTED);
    });

    test.each([
      ['gitops-argocd.yaml', 'valueFiles:', 'valuesFiles:'],
      ['gitops-flux.yaml', 'valuesFiles:', 'valueFiles:'],
      ['gitops-flux.yaml', `ref: {tag: v${VERSION}}`, `ref: {tags: v${VERSION}}`],
    ])('it would refuse a fault in %s: %s', async (example, field, fault) => {
      const { refused } = await verdict((await read(example)).replace(field, fault));
      expect(refused).toHaveLength(1);
    });
  },
);
