/**
 * The manifest of `kubectl inlet` for krew, the plugin manager of kubectl: `node
 * services/cli/package/krew.ts FILE URL` prints it for the file that `npm pack ./services/cli` made,
 * which will be at the URL (krew.sigs.k8s.io/docs/developer-guide/plugin-manifest).
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { VERSION } from '../../core/version.ts';

const [file, url] = process.argv.slice(2);
if (file === undefined || url === undefined) {
  process.stderr.write('usage: node services/cli/package/krew.ts FILE URL\n');
  process.exit(2);
}
const sha256 = createHash('sha256')
  .update(await readFile(file))
  .digest('hex');

process.stdout.write(`apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: inlet
spec:
  version: v${VERSION}
  homepage: https://github.com/inlet-email/inlet
  shortDescription: State, live mail and reports of Inlet
  description: |
    For people who operate Inlet, which receives email and sends it to webhooks:
    status of an installation, live emails, sign-in links, a report for bugs.
  caveats: |
    It needs Node.js 20.11 or later on the PATH.
  platforms:
    - selector:
        matchExpressions:
          - {key: os, operator: In, values: [linux, darwin]}
      uri: ${url}
      sha256: ${sha256}
      files:
        - {from: package/dist/*, to: .}
      bin: kubectl-inlet.mjs
`);
