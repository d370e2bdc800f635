/** The files in charts/inlet/examples, as arguments of helm. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';

import { CHART } from '../support/charts.ts';
import { testDir } from '../support/servers.ts';

export const FOLDER = join(CHART, 'examples');
export const EXAMPLES = (await readdir(FOLDER)).filter((file) => file.endsWith('.yaml'));
export const isGitOps = (example: string): boolean => example.startsWith('gitops');

const REPOSITORY = join(CHART, '..', '..');
const PRODUCTION = ['-f', join(CHART, 'values-production.yaml')];

/** The fields of an Application or a HelmRelease that say what it installs. */
type GitOpsObject = {
  spec: {
    source?: { path: string; helm?: { valueFiles?: string[]; valuesObject?: object } };
    chart?: { spec: { chart: string; valuesFiles?: string[] } };
    values?: object;
  };
};
type Release = { chart: string; files: string[]; values: object };

/** The releases that a GitOps tool installs, with absolute paths. */
export const releasesIn = (text: string): Release[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as GitOpsObject)
    .flatMap(({ spec }) => argoRelease(spec) ?? fluxRelease(spec) ?? []);

/** Argo CD looks for values files in the folder of the chart. */
const argoRelease = ({ source }: GitOpsObject['spec']): Release | undefined =>
  source && {
    chart: join(REPOSITORY, source.path),
    files: (source.helm?.valueFiles ?? []).map((file) => join(REPOSITORY, source.path, file)),
    values: source.helm?.valuesObject ?? {},
  };

/** Flux looks for values files in the root of the repository. */
const fluxRelease = ({ chart, values = {} }: GitOpsObject['spec']): Release | undefined =>
  chart && {
    chart: join(REPOSITORY, chart.spec.chart),
    files: (chart.spec.valuesFiles ?? []).map((file) => join(REPOSITORY, file)),
    values,
  };

type Arguments = AsyncDisposable & { values: string[] };

/** Files of values that a GitOps tool passes to the chart inlet. Disposing removes the temporary one. */
export async function gitOpsArgs(text: string): Promise<Arguments> {
  const release = releasesIn(text).find(({ chart }) => chart === CHART);
  if (release === undefined) throw new Error('no release of charts/inlet');
  const dir = await testDir();
  const written = join(dir.path, 'values.yaml');
  await writeFile(written, stringify(release.values));
  return {
    values: [...release.files, written].flatMap((file) => ['-f', file]),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

/** Files of values for `helm template` of an example. Disposing removes temporary ones. */
export async function exampleArgs(example: string): Promise<Arguments> {
  const file = join(FOLDER, example);
  return isGitOps(example)
    ? gitOpsArgs(await readFile(file, 'utf8'))
    : { values: [...PRODUCTION, '-f', file], [Symbol.asyncDispose]: async () => undefined };
}
