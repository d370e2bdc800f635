/**
 * kubeconform with the schemas of test/fixtures/kubernetes-schemas. test/support/
 * kubernetes-schemas.ts creates these.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';

import { findGoTool } from './go-tool.ts';

const SCHEMAS = join(import.meta.dirname, '..', 'fixtures', 'kubernetes-schemas');
const LOCATIONS = [SCHEMAS, join(SCHEMAS, 'custom-resources')].flatMap((folder) => [
  '-schema-location',
  join(folder, '{{.ResourceKind}}{{.KindSuffix}}.json'),
]);

export const kubeconform = await findGoTool({
  name: 'kubeconform',
  given: process.env.KUBECONFORM_BIN,
  versionArgs: ['-v'],
  module: 'github.com/yannh/kubeconform@v0.8.0',
  folder: './cmd/kubeconform',
});

export type Found = {
  resources: { kind: string; name: string; status: string; msg: string }[];
  summary: { valid: number };
};

/** What kubeconform finds, without its exit code. */
export function conform(manifests: string): Promise<Found> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      String(kubeconform),
      ['-strict', '-summary', '-output', 'json', ...LOCATIONS],
      { maxBuffer: 64 * 1024 * 1024 },
      (error, stdout) =>
        stdout === ''
          ? reject(error ?? new Error('no output'))
          : resolve(JSON.parse(stdout) as Found),
    );
    child.stdin?.end(manifests);
  });
}
