/** The files in charts/inlet/examples, as arguments of helm. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';

import { CHART } from '../support/helm.ts';
import { testDir } from '../support/servers.ts';

export const FOLDER = join(CHART, 'examples');
export const EXAMPLES = (await readdir(FOLDER)).filter((file) => file.endsWith('.yaml'));

const PRODUCTION = ['-f', join(CHART, 'values-production.yaml')];

type GitOps = {
  kind: string;
  spec: {
    source?: { path: string; helm?: { valuesObject: object } };
    chart?: { spec: { chart: string } };
    values?: object;
  };
};

/** The values that a GitOps tool passes to the chart inlet. */
function gitOpsValues(text: string): object | undefined {
  const [release] = parseAllDocuments(text)
    .map((document) => document.toJS() as GitOps)
    .filter(
      ({ spec }) =>
        spec.source?.path === 'charts/inlet' || spec.chart?.spec.chart === 'charts/inlet',
    );
  return release && (release.spec.source?.helm?.valuesObject ?? release.spec.values);
}

/** Files of values for `helm template` of an example. Disposing removes temporary ones. */
export async function exampleArgs(
  example: string,
): Promise<AsyncDisposable & { values: string[] }> {
  const file = join(FOLDER, example);
  if (!example.startsWith('gitops'))
    return { values: [...PRODUCTION, '-f', file], [Symbol.asyncDispose]: async () => undefined };
  const values = gitOpsValues(await readFile(file, 'utf8'));
  if (values === undefined) throw new Error(`${example} has no release of charts/inlet`);
  const dir = await testDir();
  const written = join(dir.path, 'values.yaml');
  await writeFile(written, stringify(values));
  return {
    values: [...PRODUCTION, '-f', written],
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
